// Runs a command to its end, its limit or its cancellation. A command that is stopped takes everything it started with
// it; one that takes longer than its caller can wait goes on as a job.

import { Failure } from '../../lib/failure.js'
import type { Launcher } from '../../platform/launcher.js'
import type { Exit } from '../../platform/process.js'
import type { Plan, Started } from '../jobs/book.js'
import type { Who } from '../who.js'
import type { Jobs, JobsSettings } from '../jobs/jobs.js'
import { NotKept } from '../jobs/not-kept.js'
import type { Confinement } from './confinement.js'
import type { Digest } from './digest.js'
import { createForeground, unkept, type Foreground } from './foreground.js'
import { leftProcesses, type LeftProcess } from './left-process.js'
import { showLines } from './progress.js'
import { whyNotStarted } from './refusals.js'
import { startWork, type Work, type WorkSettings } from './work.js'

const KILL_AFTER_MS = 2000
/** How long the exit of a command is waited for when something that it started cannot be killed. */
const UNKILLED_MS = 500
/** Who was only asked something has nothing to put in order. */
const ASK_KILL_MS = 200

// Clients kill a server that has not gone two seconds after they asked; whatever ignores TERM must be gone by then.
const SHUTDOWN_KILL_MS = 1000

/** What may be held in memory of an output before it is clear that it is too long to be shown whole. */
const MAX_HELD_BYTES = 256 * 1024

export interface Shell {
  run(command: string, terms: Terms): Promise<Outcome>
  /** Where commands are confined, it may write nothing that lasts. */
  ask(command: string, question: Question): Promise<Outcome>
  /** For a command without a limit of its own. */
  readonly usualLimit: Limit
  /** How much output a result for the named client may show. */
  maxCharacters(client: string): number
  /** The commands that run behind. */
  jobs(): Promise<Jobs>
  /** The same where somebody has asked for them before. */
  openJobs(): Promise<Jobs> | undefined
  close(): Promise<void>
}

export interface Terms {
  readonly who: Who
  /** The name of the client that gets the output; decides how much of it is shown. */
  readonly client: string
  readonly limit: Limit
  readonly signal: AbortSignal
  /** Nobody holds the line: the command may take the time it takes. */
  readonly isDeferred?: () => boolean
  /** Shown the newest line of output while the command runs. */
  readonly onLine?: ((line: string) => void) | undefined
  /** The output is data: long lines are not clipped. */
  readonly isData?: boolean | undefined
  /** What it reads from stdin; nothing unless told. */
  readonly input?: string | undefined
}

/** A question to a program: nothing of the answer is kept, and nothing of it goes on. */
export interface Question {
  readonly who: Who
  readonly limitMs: number
  readonly maxCharacters: number
}

export interface Limit {
  readonly ms: number
  /** At the limit it is ended; otherwise it goes on as a job. */
  readonly isHard: boolean
}

export interface Outcome extends Digest {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly durationMs: number
  readonly ending: 'exit' | 'timeout' | 'cancelled' | 'goes-on'
  /** The job as which it goes on, or under which its whole output is kept. */
  readonly jobId: number | undefined
  /** Bytes of the output that are kept there. */
  readonly keptBytes: number
  /** Why it could not go on, or its whole output not be kept. */
  readonly problem: string | undefined
  /** Why it may have failed, where that does not show. */
  readonly note: string | undefined
  /** What it left running or, where it was ended, what could not be ended with it. */
  readonly left: readonly LeftProcess[]
}

export interface ShellSettings extends Omit<JobsSettings, 'launcher' | 'startWork'> {
  readonly launcher: Launcher
  readonly maxCharacters: Shell['maxCharacters']
  /** What commands are confined by; asked before each, and refuses where it should be there and is not. */
  readonly confine: Confinement['confine']
  readonly usualLimit: Limit
  /** Whether running commands may show their lines. */
  readonly streaming: boolean
}

export function createShell(settings: ShellSettings): Shell {
  const { cwd, launcher, maxCharacters, outlive, confine, streaming, usualLimit } = settings
  let closing: Promise<void> | undefined
  let opening: Promise<Jobs> | undefined

  function jobs(): Promise<Jobs> {
    return (opening ??= import('../jobs/jobs.js').then(({ createJobs }) =>
      createJobs({
        ...settings,
        startWork: (plan, launch) =>
          start(plan, () => confine(plan), {
            launch,
            maxCharacters: plan.maxCharacters ?? maxCharacters(''),
            maxLine: plan.maxLine,
          }),
      }),
    ))
  }

  async function start(
    { command, input }: Pick<Plan, 'command' | 'input'>,
    confined: () => ReturnType<Confinement['confine']>,
    manner: Pick<WorkSettings, 'maxCharacters' | 'maxLine'> & Partial<Pick<WorkSettings, 'launch' | 'onOverflow'>>,
  ): Promise<Work> {
    if (closing) throw new Failure('The command was not started: the server is stopping.')
    if (command.includes('\0')) throw new Failure('The command was not started: it contains a NUL character.')
    const order = { command, input, confine: await confined() }
    const { launch } = launcher
    try {
      return await startWork({ launch, order, maxHeldBytes: MAX_HELD_BYTES, ...manner })
    } catch (error) {
      if (error instanceof Failure) throw error
      if (closing) throw new Failure('The server is stopping: the command was not started, or was ended at once.')
      throw new Failure(`The command was not started: ${whyNotStarted(error, cwd)}`)
    }
  }

  async function begin(command: string, { who, client, input, isData = false }: Terms): Promise<Foreground> {
    const shown = { maxCharacters: maxCharacters(client), maxLine: isData ? Infinity : undefined }
    const recorded = outlive ? await startRecorded(command, who, { input, ...shown }) : undefined
    if (recorded) return createForeground(recorded.work, jobs, who, recorded.job)
    let foreground: Foreground | undefined
    const foregroundOf = (work: Work): Foreground => (foreground ??= createForeground(work, jobs, who))
    const onOverflow = (work: Work): void => void foregroundOf(work).keep()
    return foregroundOf(await start({ command, input }, () => confine(who), { onOverflow, ...shown }))
  }

  /** undefined: nothing can be kept, which whoever waits need not know yet. */
  async function startRecorded(
    command: string,
    who: Who,
    manner: Pick<Plan, 'input' | 'maxCharacters' | 'maxLine'>,
  ): Promise<Started | undefined> {
    try {
      return await (await jobs()).start(command, who, { background: false, ...manner })
    } catch (error) {
      if (error instanceof NotKept) return undefined
      throw error
    }
  }

  async function closeAll(): Promise<void> {
    const jobsClosed = (await opening)?.close(SHUTDOWN_KILL_MS)
    // All at once, because there is no time for one after the other; but what goes on must be known first.
    await Promise.all([jobsClosed, launcher.close(SHUTDOWN_KILL_MS, outlive ? await jobsClosed : undefined)])
  }

  return {
    usualLimit,
    maxCharacters,
    jobs,
    openJobs: () => opening,
    async run(command, terms) {
      const { who, limit, signal, onLine, isDeferred } = terms
      const foreground = await begin(command, terms)
      const { work } = foreground
      const stopShowing = streaming && onLine ? showLines(work, onLine) : undefined
      const ending = await untilOver(work, limit, signal, isDeferred)
      stopShowing?.()
      const job = ending === 'goes-on' ? await foreground.keep() : undefined
      if (!job) return finish(foreground, ending === 'goes-on' ? 'timeout' : ending)
      await job.amend({ background: true })
      const digest = work.digester.take()
      // What the answer shows is not new to whoever reads on.
      job.positions.set(who.session, digest.bytes - digest.heldBack)
      return { ...OPEN_END, ...digest, durationMs: Date.now() - work.startedAt, jobId: job.id }
    },
    async ask(command, { who, limitMs, maxCharacters: most }) {
      // An input, though an empty one, because no shell need be kept ready for the next question.
      const work = await start({ command, input: '' }, () => confine(who, true), {
        maxCharacters: most,
        maxLine: Infinity,
      })
      work.spool.drop()
      const ending = await untilOver(work, { ms: limitMs, isHard: true }, NEVER)
      const outcome = await finish(unkept(work), ending === 'exit' ? 'exit' : 'timeout', ASK_KILL_MS)
      if (outcome.left.length > 0) await work.end(ASK_KILL_MS)
      return outcome
    },
    close: () => (closing ??= closeAll()),
  }

  async function finish(
    foreground: Foreground,
    ending: 'exit' | 'timeout' | 'cancelled',
    killAfterMs = KILL_AFTER_MS,
  ): Promise<Outcome> {
    const { work } = foreground
    const survivors = ending === 'exit' ? [] : await work.end(killAfterMs)
    const { code, signal } = await (survivors.length === 0 ? work.over : orUnknown(work.over))
    const durationMs = Date.now() - work.startedAt
    work.digester.end()
    const digest = work.digester.take()
    const isWorthIt = digest.truncated && !digest.binary
    const job = await (isWorthIt ? foreground.keep() : foreground.kept())
    if (survivors.length === 0) await job?.ended
    if (job && !isWorthIt) await (await jobs()).discard(job)
    const keptBytes = isWorthIt && job ? await job.output.kept() : 0
    const left = ending === 'exit' ? ((await work.left()) ?? []) : survivors
    return {
      ...digest,
      ending,
      durationMs,
      exitCode: code,
      signal,
      jobId: isWorthIt ? job?.id : undefined,
      keptBytes,
      problem: foreground.problem,
      note: ending === 'exit' && code !== 0 ? work.note : undefined,
      left: leftProcesses(left),
    }
  }
}

const OPEN_END = {
  ending: 'goes-on',
  exitCode: null,
  signal: null,
  keptBytes: 0,
  problem: undefined,
  note: undefined,
  left: [],
} as const

const UNKNOWN_EXIT = { code: null, signal: null } as const

/** The exit of a command of which something could not be killed, perhaps the command itself. */
function orUnknown(over: Promise<Exit>): Promise<Exit> {
  return Promise.race([over, new Promise<Exit>((resolve) => setTimeout(resolve, UNKILLED_MS, UNKNOWN_EXIT))])
}

/** Nobody gives up but by the limit. */
const NEVER = new AbortController().signal

function untilOver(
  { over }: Work,
  { ms, isHard }: Limit,
  signal: AbortSignal,
  isDeferred: () => boolean = () => false,
): Promise<Outcome['ending']> {
  return new Promise((resolve) => {
    const settle = (ending: Outcome['ending']): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      resolve(ending)
    }
    const onLimit = (): void => {
      if (isHard) settle('timeout')
      // Who has a handle asks when he likes: there is no line to be held.
      else if (!isDeferred()) settle('goes-on')
    }
    const onAbort = (): void => settle('cancelled')
    const timer = setTimeout(onLimit, ms)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    void over.then(() => settle('exit'))
  })
}
