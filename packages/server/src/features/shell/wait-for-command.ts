// Starts a command through a function of the caller and waits until it exits, reaches its time limit or is cancelled;
// reports output as progress meanwhile, and defers a long call to a task handle if the client supports that. Used by
// shell-service, which decides what becomes of a command at its limit. Sets timers; only killAndWait kills processes.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import { withTimeout } from '@scorpiox/mcp/promises'
import type { ExitStatus } from '../../process/spawn.js'
import { createDeferred } from '../../async/timeouts.js'
import { type CommandExecution, type CommandRecord, reportLatestLine } from './command-execution.js'

const DEFER_AFTER_MS = 10_000
/** How long to wait for the exit of a command if one of its processes cannot be killed. */
const UNKILLED_EXIT_WAIT_MS = 500

/** What a command needs of the call that waits for it. */
export type CommandCall = Pick<
  CallContext,
  'user' | 'session' | 'client' | 'clientAbilities' | 'ask' | 'signal' | 'wantsProgress' | 'progress' | 'continueAsTask'
>

export interface TimeLimit {
  readonly ms: number
  /** Kill the command at the limit; otherwise it continues as a job. */
  readonly killAtLimit: boolean
}

/** A command that a call waits for. */
export interface ForegroundCommand {
  readonly execution: CommandExecution
  readonly record: CommandRecord
}

/** `end`: how it ended, or why the call no longer waits for it. */
export interface StoppedCommand extends ForegroundCommand {
  readonly end: CommandEnd | 'timeout' | 'cancelled' | 'backgrounded'
}

export interface CommandEnd {
  readonly exit: ExitStatus
  readonly endedAt: number
  /** Those that still run after the exit, or that could not be killed; undefined if unknown. */
  readonly remainingChildren: readonly number[] | undefined
  /** Of a command that was killed: its children could not be listed, and may still run. */
  readonly areChildrenUnlisted?: boolean
}

interface WaitOptions {
  readonly limit: TimeLimit
  /** Undefined for a probe. */
  readonly call?: CommandCall
  /** Whether output lines are reported as progress. */
  readonly streaming?: boolean
}

export async function waitForCommand(
  start: () => Promise<ForegroundCommand>,
  { limit, call, streaming = false }: WaitOptions,
): Promise<StoppedCommand> {
  const stop = createDeferred<Extract<StoppedCommand['end'], string>>()
  let reported = 0
  let isDeferred = false
  const onAbort = (): void => stop.resolve('cancelled')
  const onLimit = (): void => {
    if (limit.killAtLimit) stop.resolve('timeout')
    // A task handle is polled by the client: no request is waiting.
    else if (!isDeferred) stop.resolve('backgrounded')
  }
  // If no task handle can be created, the call stays open until the command ends.
  const defer = (): void => {
    // Past tense: the message is also shown after the command has ended.
    void call?.continueAsTask({ message: 'The command took longer than 10 s.' }).then(
      (isAccepted) => (isDeferred = isAccepted),
      () => {},
    )
  }
  const foreground = await start()
  const { execution } = foreground
  const { signal, exited } = execution
  // Both times count from the start of the command.
  const timers = [setTimeout(onLimit, limit.ms), setTimeout(defer, DEFER_AFTER_MS)]
  const stopReporting =
    streaming && call?.wantsProgress === true
      ? reportLatestLine(execution, (message) => call.progress(++reported, { message }))
      : undefined
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted === true) onAbort()
  const exit = await Promise.race([exited, stop.promise])
  signal?.removeEventListener('abort', onAbort)
  for (const timer of timers) clearTimeout(timer)
  stopReporting?.()
  if (typeof exit === 'string') return { ...foreground, end: exit }
  const endedAt = Date.now()
  return { ...foreground, end: { exit, endedAt, remainingChildren: await execution.findRemainingChildren() } }
}

const UNKNOWN_EXIT = { code: null, signal: null } as const

/** If processes survive, the command itself may be one of them, and its exit is not awaited for long. */
export async function killAndWait(
  { exited, kill, areChildrenUnlisted }: CommandExecution,
  killAfterMs: number,
): Promise<CommandEnd> {
  const survivors = await kill(killAfterMs)
  const exit = survivors.length === 0 ? await exited : await withTimeout(UNKILLED_EXIT_WAIT_MS, exited)
  return {
    exit: exit ?? UNKNOWN_EXIT,
    endedAt: Date.now(),
    remainingChildren: survivors,
    areChildrenUnlisted: areChildrenUnlisted?.() ?? false,
  }
}
