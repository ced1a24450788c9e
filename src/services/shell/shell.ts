// Runs a command until it exits, reaches its time limit or is cancelled. Stopping a command kills its process tree;
// a command that outlasts a soft limit continues as a job.

import { Failure } from '../../lib/failure.js'
import type { Exit } from '../../platform/process.js'
import type { Plan, Started } from '../jobs/book.js'
import type { Who } from '../who.js'
import type { Jobs, SharedJobDeps } from '../jobs/jobs.js'
import { NotKept } from '../jobs/not-kept.js'
import type { Confinement } from './confinement.js'
import type { Digest } from './digest.js'
import { createForeground, unkept, type Foreground } from './foreground.js'
import { leftProcesses, type LeftProcess } from './left-process.js'
import { showLines } from './progress.js'
import { whyNotStarted } from './refusals.js'
import { startWork, type Work, type WorkSettings } from './work.js'

const KILL_AFTER_MS = 2000
/** How long to wait for the exit of a command if one of its processes cannot be killed. */
const UNKILLED_MS = 500
/** A probe needs no time to clean up. */
const ASK_KILL_MS = 200

// Clients kill a server two seconds after they ask it to stop; processes that ignore SIGTERM must be gone by then.
const SHUTDOWN_KILL_MS = 1000

/** Output held in memory before it is known to be too long to be shown whole. */
const MAX_HELD_BYTES = 256 * 1024

export interface Shell {
  run(command: string, options: Terms): Promise<Outcome>
  /** Runs a command that may not write persistent files if a sandbox is on. Nothing is recorded. */
  ask(command: string, question: Question): Promise<Outcome>
  /** Limit of commands that set none. */
  readonly usualLimit: Limit
  /** Output characters that a result for the named client may have. */
  maxCharacters(client: string): number
  /** Background jobs; opened on first use. */
  jobs(): Promise<Jobs>
  /** Undefined if `jobs` has not been called. */
  openJobs(): Promise<Jobs> | undefined
  close(): Promise<void>
}

export interface Terms {
  readonly who: Who
  /** Name of the client; decides how much output is shown. */
  readonly client: string
  readonly limit: Limit
  readonly signal: AbortSignal
  /** True once the call was deferred to a task handle; a soft limit then no longer applies. */
  readonly isDeferred?: () => boolean
  /** Called with the latest output line while the command runs. */
  readonly onLine?: ((line: string) => void) | undefined
  /** The output is data: do not clip long lines. */
  readonly isData?: boolean | undefined
  /** stdin; empty by default. */
  readonly input?: string | undefined
}

/** Options of a probe, a short command whose output is not recorded and that never becomes a job. */
export interface Question {
  readonly who: Who
  readonly limitMs: number
  readonly maxCharacters: number
}

export interface Limit {
  readonly ms: number
  /** Kill the command at the limit; otherwise it continues as a job. */
  readonly isHard: boolean
}

export interface Outcome extends Digest {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly durationMs: number
  readonly ending: 'exit' | 'timeout' | 'cancelled' | 'backgrounded'
  /** The job as which it continues, or which stores its whole output. */
  readonly jobId: number | undefined
  /** Bytes of output that the job stores. */
  readonly keptBytes: number
  /** Why it could not continue as a job, or its output not be stored. */
  readonly problem: string | undefined
  /** Possible reason of a failure that the output does not show, such as the sandbox. */
  readonly note: string | undefined
  /** Processes it left running or, if it was killed, those that could not be killed. */
  readonly left: readonly LeftProcess[]
}

export interface ShellSettings extends SharedJobDeps {
  readonly maxCharacters: Shell['maxCharacters']
  /** Called before each command. Rejects if a required sandbox is not available. */
  readonly confine: Confinement['confine']
  readonly usualLimit: Limit
  /** Whether running commands report their output lines. */
  readonly streaming: boolean
}

export function createShell(settings: ShellSettings): Shell {
  const {
    cwd,
    launcher,
    maxCharacters,
    outlive: jobsOutliveServer,
    confine: sandboxFor,
    streaming,
    usualLimit: defaultLimit,
  } = settings
  let closing: Promise<void> | undefined
  let openingJobs: Promise<Jobs> | undefined

  function jobs(): Promise<Jobs> {
    return (openingJobs ??= import('../jobs/jobs.js').then(({ createJobs }) =>
      createJobs({
        ...settings,
        startWork: (request, launch) =>
          start(request, () => sandboxFor(request), {
            launch,
            maxCharacters: request.maxCharacters ?? maxCharacters(''),
            maxLine: request.maxLine,
          }),
      }),
    ))
  }

  async function start(
    { command, input }: Pick<Plan, 'command' | 'input'>,
    getSandbox: () => ReturnType<Confinement['confine']>,
    options: Pick<WorkSettings, 'maxCharacters' | 'maxLine'> & Partial<Pick<WorkSettings, 'launch' | 'onOverflow'>>,
  ): Promise<Work> {
    if (closing) throw new Failure('The command was not started: the server is stopping.')
    if (command.includes('\0')) throw new Failure('The command was not started: it contains a NUL character.')
    const request = { command, input, confine: await getSandbox() }
    const { launch } = launcher
    try {
      return await startWork({ launch, order: request, maxHeldBytes: MAX_HELD_BYTES, ...options })
    } catch (error) {
      if (error instanceof Failure) throw error
      if (closing) throw new Failure('The server is stopping: the command was not started, or was ended at once.')
      throw new Failure(`The command was not started: ${whyNotStarted(error, cwd)}`)
    }
  }

  async function startForeground(
    command: string,
    { who: caller, client, input, isData = false }: Terms,
  ): Promise<Foreground> {
    const shown = { maxCharacters: maxCharacters(client), maxLine: isData ? Infinity : undefined }
    const recorded = jobsOutliveServer ? await startRecorded(command, caller, { input, ...shown }) : undefined
    if (recorded) return createForeground(recorded.work, jobs, caller, recorded.job)
    let foreground: Foreground | undefined
    const foregroundFor = (execution: Work): Foreground => (foreground ??= createForeground(execution, jobs, caller))
    const onOverflow = (execution: Work): void => void foregroundFor(execution).keep()
    return foregroundFor(await start({ command, input }, () => sandboxFor(caller), { onOverflow, ...shown }))
  }

  /** Undefined if jobs cannot be stored; the command then runs without being recorded. */
  async function startRecorded(
    command: string,
    caller: Who,
    options: Pick<Plan, 'input' | 'maxCharacters' | 'maxLine'>,
  ): Promise<Started | undefined> {
    try {
      return await (await jobs()).start(command, caller, { background: false, ...options })
    } catch (error) {
      if (error instanceof NotKept) return undefined
      throw error
    }
  }

  async function closeAll(): Promise<void> {
    const jobsClosed = (await openingJobs)?.close(SHUTDOWN_KILL_MS)
    // In parallel, because time is short. With JOBS_OUTLIVE_SERVER the tags to spare must be known first.
    await Promise.all([jobsClosed, launcher.close(SHUTDOWN_KILL_MS, jobsOutliveServer ? await jobsClosed : undefined)])
  }

  return {
    usualLimit: defaultLimit,
    maxCharacters,
    jobs,
    openJobs: () => openingJobs,
    async run(command, options) {
      const { who: caller, limit, signal, onLine, isDeferred } = options
      const foreground = await startForeground(command, options)
      const { work: execution } = foreground
      const stopShowing = streaming && onLine ? showLines(execution, onLine) : undefined
      const ending = await untilOver(execution, limit, signal, isDeferred)
      stopShowing?.()
      const job = ending === 'backgrounded' ? await foreground.keep() : undefined
      if (!job) return collectResult(foreground, ending === 'backgrounded' ? 'timeout' : ending)
      await job.amend({ background: true })
      const output = execution.digester.take()
      // The result shows this output, so ReadBgOutput continues after it.
      job.positions.set(caller.session, output.bytes - output.heldBack)
      return { ...OPEN_END, ...output, durationMs: Date.now() - execution.startedAt, jobId: job.id }
    },
    async ask(command, { who: caller, limitMs, maxCharacters: max }) {
      // Explicit empty stdin: a probe does not use a pooled shell.
      const execution = await start({ command, input: '' }, () => sandboxFor(caller, true), {
        maxCharacters: max,
        maxLine: Infinity,
      })
      execution.spool.drop()
      const ending = await untilOver(execution, { ms: limitMs, isHard: true }, NEVER)
      const outcome = await collectResult(unkept(execution), ending === 'exit' ? 'exit' : 'timeout', ASK_KILL_MS)
      if (outcome.left.length > 0) await execution.end(ASK_KILL_MS)
      return outcome
    },
    close: () => (closing ??= closeAll()),
  }

  async function collectResult(
    foreground: Foreground,
    ending: 'exit' | 'timeout' | 'cancelled',
    killAfterMs = KILL_AFTER_MS,
  ): Promise<Outcome> {
    const { work: execution } = foreground
    const survivors = ending === 'exit' ? [] : await execution.end(killAfterMs)
    const { code, signal } = await (survivors.length === 0 ? execution.over : orUnknown(execution.over))
    const durationMs = Date.now() - execution.startedAt
    execution.digester.end()
    const output = execution.digester.take()
    const shouldStoreOutput = output.truncated && !output.binary
    const job = await (shouldStoreOutput ? foreground.keep() : foreground.kept())
    if (survivors.length === 0) await job?.ended
    if (job && !shouldStoreOutput) await (await jobs()).discard(job)
    const storedBytes = shouldStoreOutput && job ? await job.output.kept() : 0
    const leftover = ending === 'exit' ? ((await execution.left()) ?? []) : survivors
    return {
      ...output,
      ending,
      durationMs,
      exitCode: code,
      signal,
      jobId: shouldStoreOutput ? job?.id : undefined,
      keptBytes: storedBytes,
      problem: foreground.problem,
      note: ending === 'exit' && code !== 0 ? execution.note : undefined,
      left: leftProcesses(leftover),
    }
  }
}

const OPEN_END = {
  ending: 'backgrounded',
  exitCode: null,
  signal: null,
  keptBytes: 0,
  problem: undefined,
  note: undefined,
  left: [],
} as const satisfies Partial<Outcome>

const UNKNOWN_EXIT = { code: null, signal: null } as const

/** The exit of a command with unkilled processes; perhaps the command itself is one of them. */
function orUnknown(exited: Promise<Exit>): Promise<Exit> {
  return Promise.race([exited, new Promise<Exit>((resolve) => setTimeout(resolve, UNKILLED_MS, UNKNOWN_EXIT))])
}

const NEVER = new AbortController().signal

function untilOver(
  { over: exited }: Work,
  { ms, isHard }: Limit,
  signal: AbortSignal,
  isDeferred: () => boolean = () => false,
): Promise<Outcome['ending']> {
  return new Promise((resolve) => {
    const finish = (ending: Outcome['ending']): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      resolve(ending)
    }
    const onLimit = (): void => {
      if (isHard) finish('timeout')
      // A task handle is polled by the client: no request is waiting.
      else if (!isDeferred()) finish('backgrounded')
    }
    const onAbort = (): void => finish('cancelled')
    const timer = setTimeout(onLimit, ms)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    void exited.then(() => finish('exit'))
  })
}
