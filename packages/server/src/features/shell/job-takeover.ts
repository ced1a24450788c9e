// Takes over the jobs whose server has exited, for the first server that lists them: kills jobs that should have ended with
// their server, and follows those that outlive it. Used by user-jobs. Reads and writes job records; kills processes.

import type { CommandRunner } from '../../process/command-runner.js'
import { currentProcessIdentity } from '../../process/process-identity.js'
import type { JobRecord } from './job-record.js'
import { fromAdoptedProcess } from './job-sources.js'
import type { JobStore } from './job-store.js'
import type { JobSource } from './job.js'
import { openJobOutputReader } from './output-reader.js'

const KILL_AFTER_MS = 2000
const RECORDS_AT_ONCE = 500

export interface JobTakeover {
  takeOverJob(record: JobRecord): Promise<void>
  /** Reads the records of jobs that are new, or that other servers run; an ended one does not change. */
  takeOverAll(): Promise<void>
  /** A job of this server, whose record need not be read. */
  skip(id: number): void
}

export interface JobTakeoverDeps {
  readonly records: JobStore
  /** Whether the server of a job that has not ended is still there. */
  readonly isOwnerAlive: (record: JobRecord) => Promise<boolean>
  readonly commandRunner: CommandRunner
  readonly isRegistered: (id: number) => boolean
  readonly add: (record: JobRecord, source?: JobSource) => void
  /** Saves a record; never rejects. */
  readonly save: (record: JobRecord) => Promise<void>
}

export function createJobTakeover({
  records,
  isOwnerAlive,
  commandRunner,
  isRegistered,
  add,
  save,
}: JobTakeoverDeps): JobTakeover {
  const takeovers = new Map<number, Promise<void>>()
  let settled = new Set<number>()
  /** The list of ids of which none was left to read. */
  let settledIds: readonly number[] | undefined

  /** Concurrent calls for one job share one takeover. */
  function takeOver(record: JobRecord): Promise<void> {
    const { id } = record
    const takeover = takeovers.get(id) ?? takeOverIfOrphaned(record).finally(() => takeovers.delete(id))
    takeovers.set(id, takeover)
    return takeover
  }

  async function takeOverIfOrphaned(record: JobRecord): Promise<void> {
    if (isRegistered(record.id)) return
    const isOwn = record.family === commandRunner.tagPrefix
    if (record.ending !== undefined) {
      // Own ones were forgotten together with their user.
      if (record.keep || isOwn) add(record)
    } else if (isOwn || (await isOwnerAlive(record))) return
    else await adopt(record)
    settled.add(record.id)
  }

  async function adopt(record: JobRecord): Promise<void> {
    const adoptedRecord = { ...record, owner: currentProcessIdentity(), family: commandRunner.tagPrefix }
    // The call that waited for a foreground command is gone with its server.
    if (record.keep && record.background) {
      await save(adoptedRecord)
      const output = openJobOutputReader(records.outputFolder(record.id))
      return add(
        adoptedRecord,
        fromAdoptedProcess({
          commandRunner,
          record,
          output,
          statusFile: records.statusFile(record.id),
          inputFifo: records.inputFifo(record.id),
        }),
      )
    }
    await commandRunner.killTree(record.tag, KILL_AFTER_MS)
    const lostRecord: JobRecord = {
      ...adoptedRecord,
      endedAt: Date.now(),
      exitCode: null,
      signal: null,
      ending: 'server-lost',
    }
    await save(lostRecord)
    add(lostRecord)
  }

  return {
    takeOverJob: takeOver,
    async takeOverAll() {
      const ids = await records.listIds()
      if (ids === settledIds) return
      const open = ids.filter((id) => !settled.has(id) && !isRegistered(id))
      if (settled.size > ids.length) settled = new Set(ids.filter((id) => settled.has(id)))
      settledIds = open.length === 0 ? ids : undefined
      // In parts, so that other work gets its turn between them.
      for (let at = 0; at < open.length; at += RECORDS_AT_ONCE)
        await Promise.all((await records.loadAll(open.slice(at, at + RECORDS_AT_ONCE))).map(takeOver))
    },
    skip: (id) => void settled.add(id),
  }
}
