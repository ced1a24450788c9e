// Types text and keys into a running job: into its terminal, or its stdin pipe; fails with the reason if it cannot.
// Calls for one job are served one after the other; a person who types interrupts the model. Used by job-typing and
// user-terminals. Writes to the job's input, and retries on a timer while the pipe is full.

import { setTimeout as sleep } from 'node:timers/promises'

import { Failure } from '@scorpiox/mcp/errors'
import type { InputPipe } from '../../process/input-pipe.js'
import { adviseTerminal } from '../../process/terminal-support.js'
import { describeJobEnd } from './format-job.js'
import type { Job } from './job.js'
import { encodeKey } from './terminal-keys.js'
import { isUserTyping, refuseWhileUserTypes } from './user-typing.js'
import { findInputReaders } from './waiting-for-input.js'

const MAX_INPUT_BYTES = 1024 * 1024
const MIN_RETRY_MS = 1
const MAX_RETRY_MS = 20

export interface TypeRequest {
  readonly input?: string | undefined
  readonly keys?: readonly string[] | undefined
}

export interface TypedText {
  /** Bytes that the job had printed before. */
  readonly from: number
  /** How often the threads that waited for input had blocked by then. */
  readonly switches: ReadonlyMap<string, number>
  readonly bytes: number
  /** Bytes that the program did not take. */
  readonly untakenBytes: number
  /** The first line that was typed, if it was ended, which a terminal echoes. */
  readonly firstLine: string | undefined
}

const queues = new WeakMap<Job, Promise<unknown>>()

/** Throws a Failure if nothing was typed. Gives up after `maxMs` if the program does not take its input. */
export async function typeIntoJob(
  job: Job,
  request: TypeRequest,
  maxMs: number,
  signal: AbortSignal,
): Promise<TypedText> {
  return inTurn(job, () => typeNow(job, request, maxMs, signal))
}

/** Types what a person has typed, as it is. Returns how many bytes the program has taken. */
export async function typeUserText(job: Job, text: string, maxMs: number): Promise<number> {
  const deadline = performance.now() + maxMs
  return inTurn(job, () => writeAll(job, requireInput(job), Buffer.from(text), () => performance.now() > deadline))
}

function inTurn<T>(job: Job, type: () => Promise<T>): Promise<T> {
  const previous = queues.get(job) ?? Promise.resolve()
  const typing = previous.catch(() => undefined).then(type)
  queues.set(job, typing)
  return typing
}

async function typeNow(job: Job, request: TypeRequest, maxMs: number, signal: AbortSignal): Promise<TypedText> {
  const pipe = requireInput(job)
  const isTerminal = job.record.stdin === 'terminal'
  const { text, endsInput } = isTerminal ? await encodeForTerminal(job, request) : encodeForPipe(job, request)
  const bytes = Buffer.from(text)
  if (bytes.length > MAX_INPUT_BYTES)
    throw new Failure(
      `Nothing was typed: the input has ${bytes.length} bytes, and the limit is ${MAX_INPUT_BYTES}. Write it to a file.`,
    )
  await job.flush()
  const from = await job.output.size()
  const readers = findInputReaders(job.record.pid ?? 0, isTerminal ? undefined : pipe.identity())
  const switches = new Map(readers.map((reader) => [reader.key, reader.switches]))
  refuseWhileUserTypes(job, 'Nothing was typed.')
  const deadline = performance.now() + maxMs
  const isOver = (): boolean => signal.aborted || performance.now() > deadline || isUserTyping(job)
  const taken = await writeAll(job, pipe, bytes, isOver)
  if (endsInput) endInput(job, pipe)
  const [firstLine, ...others] = text.split('\r')
  const echoed = others.length === 0 ? undefined : firstLine
  return { from, switches, bytes: bytes.length, untakenBytes: bytes.length - taken, firstLine: echoed }
}

function requireInput(job: Job): InputPipe {
  const { id, record, stdin, isRunning } = job
  if (!isRunning)
    throw new Failure(
      `Nothing was typed: job ${id} has ended (${describeJobEnd(job)}). ReadBgOutput(task_id: ${id}) without input reads its output.`,
    )
  if (stdin) return stdin
  const reason =
    record.stdin === undefined ? 'was started without an open stdin' : 'has a stdin that this server cannot reach'
  throw new Failure(
    `Nothing was typed: job ${id} ${reason}. Start programs that need input with BackgroundBash.` +
      adviseTerminal('With tty: true they have a terminal.'),
  )
}

interface EncodedInput {
  readonly text: string
  /** The input ends after it. */
  readonly endsInput: boolean
}

/** A line break is typed as the Enter key sends it. */
async function encodeForTerminal(job: Job, { input = '', keys = [] }: TypeRequest): Promise<EncodedInput> {
  const { readModes } = await import('./read-terminal.js')
  await job.flush()
  const { usesApplicationCursorKeys } = await readModes(job, await job.output.size())
  const encoded = keys.map((key) => encodeKey(key, usesApplicationCursorKeys))
  return { text: input.replaceAll(/\r?\n/g, '\r') + encoded.join(''), endsInput: false }
}

const PIPE_KEYS: Readonly<Record<string, string>> = { enter: '\n', tab: '\t', space: ' ' }

function encodeForPipe({ id }: Job, { input = '', keys = [] }: TypeRequest): EncodedInput {
  const names = keys.map((key) => key.trim().toLowerCase())
  const endsInput = names.at(-1) === 'ctrl+d'
  const encoded = (endsInput ? names.slice(0, -1) : names).map((name) => {
    const text = PIPE_KEYS[name]
    if (text !== undefined) return text
    throw new Failure(
      `Nothing was typed: job ${id} has no terminal, so it cannot receive the key ${JSON.stringify(name.slice(0, 40))}. ` +
        `Its stdin is a pipe: enter, tab and space work, and ctrl+d as the last key closes it.${adviseTerminal('Start programs that need keys with tty: true.')}`,
    )
  })
  return { text: input + encoded.join(''), endsInput }
}

function endInput({ id }: Job, pipe: InputPipe): void {
  if (pipe.close()) return
  throw new Failure(
    `The stdin of job ${id} was not closed: the job outlives this server, and another process holds the pipe open. Everything before ctrl+d was written.`,
  )
}

/** Returns how many bytes were taken. */
async function writeAll(job: Job, pipe: InputPipe, bytes: Buffer, isOver: () => boolean): Promise<number> {
  let taken = 0
  for (let pauseMs = MIN_RETRY_MS; taken < bytes.length;) {
    const written = pipe.write(bytes.subarray(taken))
    if (written === undefined) break
    taken += written
    if (!job.isRunning || isOver()) break
    if (written > 0) pauseMs = MIN_RETRY_MS
    else {
      await sleep(pauseMs)
      pauseMs = Math.min(pauseMs * 2, MAX_RETRY_MS)
    }
  }
  return taken
}
