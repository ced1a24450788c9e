// Types into a job for a caller: checks what the caller may do now, types, records what was typed, resizes the
// terminal, and adds the wait for input to a wait request. Used by job-service and user-terminals. Writes to the job's
// input and record, and runs stty, through other modules.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import { adviseTerminal } from '../../process/terminal-support.js'
import type { Job } from './job.js'
import { DEFAULT_SIZE, type TerminalSize } from './terminal-size.js'
import type { Terminals } from './terminal.js'
import { type TypedText, typeIntoJob, type TypeRequest } from './type-into-job.js'
import type { UserJobs } from './user-jobs.js'
import { refuseWhileUserTypes } from './user-typing.js'
import type { WaitRequest } from './wait-for-job.js'

/** How long a program may take to take its input, if the call does not wait. */
const WRITE_MS = 30_000
/** Sizes that are kept for rendering what was printed at each. */
const MAX_SIZES = 32

export interface TypingDeps {
  readonly jobs: Pick<UserJobs, 'recordTyped'>
  readonly caller: Caller
  readonly maxMs: number | undefined
  readonly signal: AbortSignal
  /** Of the sandbox that a command of the caller would get now. */
  readonly sandboxKey: (caller: Caller) => Promise<string | undefined>
}

export async function typeForCaller(job: Job, request: TypeRequest, settings: TypingDeps): Promise<TypedText> {
  const { jobs, caller, maxMs = WRITE_MS, signal, sandboxKey } = settings
  await refuseMoreRights(job, caller, sandboxKey)
  const typed = await typeIntoJob(job, request, maxMs, signal)
  jobs.recordTyped(job, { session: caller.session, at: Date.now(), offset: typed.from, ...request })
  return typed
}

/** A program that was started with more rights than commands have now, before plan mode began, may not be used further. */
export async function refuseMoreRights(job: Job, caller: Caller, sandboxKey: TypingDeps['sandboxKey']): Promise<void> {
  const { sandbox, stdin } = job.record
  if (!job.isRunning || stdin === undefined || sandbox?.startsWith('plan ')) return
  const current = await sandboxKey(caller)
  if (current === undefined || current === sandbox) return
  const reason = current.startsWith('plan ') ? 'plan mode is on' : 'the sandbox of commands has changed'
  throw new Failure(
    `Nothing was typed: ${reason}, and job ${job.id} was started earlier with more rights. ` +
      'Start a new job, or leave plan mode first.',
  )
}

export function requireTerminal(job: Job, isResize: boolean): void {
  const { id, isRunning, record } = job
  if (record.stdin !== 'terminal')
    throw new Failure(
      `Job ${id} has no terminal.${adviseTerminal('Start programs that need one with BackgroundBash and tty: true.')}`,
    )
  if (isResize && !isRunning) throw new Failure(`The terminal was not resized: job ${id} has ended.`)
  if (isResize) refuseWhileUserTypes(job, 'It was not resized.')
}

export async function resizeTerminal(job: Job, size: Partial<TerminalSize>, terminals: Terminals): Promise<void> {
  const { sizes = [] } = job.record
  const { cols, rows } = { ...(sizes.at(-1) ?? DEFAULT_SIZE), ...size }
  await job.flush()
  const from = await job.output.size()
  await terminals.resize(job, { cols, rows })
  await job.update({ sizes: [...sizes.slice(0, 1), ...sizes.slice(1).slice(2 - MAX_SIZES), { from, cols, rows }] })
}

/** A job that can be typed into is also waited for until it waits for input. */
export function withInputWait(request: WaitRequest, job: Job, typed: TypedText | undefined): WaitRequest {
  if (job.record.stdin === undefined) return request
  const echo = job.record.stdin === 'terminal' ? typed?.firstLine : undefined
  return { ...request, input: { ...request.input, typed }, echo }
}
