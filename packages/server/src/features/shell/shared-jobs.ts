// What user-jobs needs where several machines share the jobs of a user: copies record and output of a running job to
// the database, and shows jobs that other machines run or ran. Sets timers; reads job output; writes the database
// through the ledger.

import { Failure } from '@scorpiox/mcp/errors'
import { withTimeout } from '@scorpiox/mcp/promises'
import type { OutputTail } from '../../machines/job-table.js'
import type { JobLedger, SharedJob } from './job-ledger.js'
import type { JobRecord } from './job-record.js'
import { createJob, type Job, type JobSource } from './job.js'
import type { JobOutputReader } from './output-reader.js'

const COPY_INTERVAL_MS = 2000
const MAX_COPIED_BYTES = 32 * 1024
/** How long the end of a job waits until the database has it. */
const END_WAIT_MS = 2000
/** Jobs of other machines whose read positions are kept. */
const MAX_SHOWN = 200

export interface SharedJobs {
  /** Stores a changed record, with the last output if the job has ended. Never rejects. */
  save(record: JobRecord, output: JobOutputReader): Promise<void>
  /** Copies the output of a running job while it grows. */
  copyOutput(job: Job): void
  /** Jobs that this process does not have, sorted by id. */
  listOthers(isKnown: (id: number) => boolean): Promise<readonly Job[]>
  find(id: number): Promise<Job | undefined>
}

export function createSharedJobs(ledger: JobLedger): SharedJobs {
  const ended = new Map<number, Job>()

  /** Kept, so that each session reads the output of an ended job once. */
  function show(shared: SharedJob): Job {
    const known = ended.get(shared.record.id)
    if (known) return known
    const output = createTailReader(shared)
    const source = shared.isRunning ? runningElsewhere(shared.record) : undefined
    const job = createJob({ record: shared.record, output, source, save: () => Promise.resolve() })
    if (source) return job
    ended.set(job.id, job)
    const [oldest] = ended.keys()
    if (ended.size > MAX_SHOWN && oldest !== undefined) ended.delete(oldest)
    return job
  }

  return {
    async save(record, output) {
      const saving = readTail(output)
        .then((tail) => ledger.save(record, record.ending === undefined ? undefined : tail))
        .catch(() => undefined)
      await withTimeout(END_WAIT_MS, saving)
    },
    copyOutput(job) {
      let timer: NodeJS.Timeout | undefined
      const copy = async (): Promise<void> => {
        await job.flush()
        await ledger.saveOutput(job.id, await readTail(job.output))
      }
      job.onChange(() => {
        if (timer || !job.isRunning) return
        timer = setTimeout(() => {
          timer = undefined
          // What is missing comes with the next output, or with the end.
          if (job.isRunning) void copy().catch(() => undefined)
        }, COPY_INTERVAL_MS).unref()
      })
    },
    async listOthers(isKnown) {
      const others = (await ledger.list()).filter(({ record, isOwn }) => !isOwn && !isKnown(record.id))
      return others.map(show)
    },
    async find(id) {
      const known = ended.get(id)
      if (known) return known
      const shared = await ledger.find(id)
      return shared && show(shared)
    },
  }
}

async function readTail(output: JobOutputReader): Promise<OutputTail> {
  const size = await output.size()
  const { from, bytes } = await output.read(Math.max(size - MAX_COPIED_BYTES, 0), MAX_COPIED_BYTES)
  return { start: from, text: bytes.toString() }
}

/** Reads the stored part; what came before it is dropped. */
function createTailReader(shared: SharedJob): JobOutputReader {
  const load = async (): Promise<{ readonly start: number; readonly bytes: Buffer }> => {
    const { start, text } = await shared.readOutput()
    return { start, bytes: Buffer.from(text) }
  }
  return {
    async size() {
      const { start, bytes } = await load()
      return start + bytes.length
    },
    keptBytes: async () => (await load()).bytes.length,
    async read(from, max) {
      const { start, bytes } = await load()
      const begin = Math.max(from, start)
      return { from: begin, bytes: bytes.subarray(begin - start, begin - start + max) }
    },
    watch: () => () => {},
  }
}

/** A machine that hands a user over still runs the jobs of that user. */
function runningElsewhere({ id, machine = '' }: JobRecord): JobSource {
  return {
    exited: new Promise(() => {}),
    flush: () => Promise.resolve(),
    onGrowth: () => () => {},
    kill: () =>
      Promise.reject(
        new Failure(
          `Nothing was killed: job ${id} runs on machine ${machine}, which is stopping. The job ends with it.`,
        ),
      ),
    leftovers: { kill: () => Promise.resolve([]), find: () => Promise.resolve(undefined) },
  }
}
