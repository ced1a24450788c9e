// One shell that the shell launcher started: it runs one command, whose output and exit status the launcher reports.
// Created by shell-launcher.ts, handed out by shell-pool.ts, used by command-runner.ts. Sets timers.

import { createDeferred } from '../../async/timeouts.js'
import { noteBytesRead } from '../garbage-collector.js'
import type { PooledShell } from '../pooled-shell.js'

/** The same shell with what only the launcher module uses. */
export interface LaunchedShell extends PooledShell {
  readonly pid: number | undefined
  /** Whether no more reports will arrive. */
  readonly isFinished: boolean
  onStarted(pid: number): void
  onNotStarted(error: Error): void
  onOutput(chunk: Buffer): void
  onClosed(): void
  onExit(exit: ShellExit): void
}

export interface ShellExit {
  /** As a shell reports it; undefined if it is not known. */
  readonly status: number | undefined
  /** Undefined if that is not known. */
  readonly hasLeftChildren: boolean | undefined
  /** Whether a command was passed to it, or may have been. */
  readonly hadCommand: boolean
}

export interface LauncherRequests {
  run(command: string): void
  discard(): void
  pause(): void
  resume(): void
  /** The process must stay alive from `hold` to `release`. */
  hold(): void
  release(): void
}

const DISCARD_PAUSE_MS = 20

export function createLaunchedShell(name: string, askpassKey: string, requests: LauncherRequests): LaunchedShell {
  const started = createDeferred<number | undefined>()
  const exited = createDeferred<number | undefined>()
  const closed = createDeferred<void>()
  /** What arrived after `pause`: at most what the socket to the launcher holds. */
  let unread: Buffer[] = []
  let onData: ((chunk: Buffer) => void) | undefined
  let pid: number | undefined
  let startError: Error | undefined
  let hasLeftChildren: boolean | undefined
  let hasExited = false
  let isClosed = false
  let isSent = false
  let isPaused = false
  let isHolding = false

  function release(): void {
    if (isHolding) requests.release()
    isHolding = false
  }

  function deliver(): void {
    for (let chunk = isPaused ? undefined : unread.shift(); chunk; chunk = isPaused ? undefined : unread.shift())
      onData?.(chunk)
    if (unread.length === 0 && isClosed) {
      closed.resolve()
      if (hasExited) release()
    }
  }

  function resume(): void {
    if (!isPaused) return
    isPaused = false
    deliver()
    if (!isPaused && !isClosed) requests.resume()
  }

  return {
    name,
    askpassKey,
    needsLauncher: true,
    started: started.promise,
    exited: exited.promise,
    closed: closed.promise,
    stdin: undefined,
    get pid() {
      return pid
    },
    get startError() {
      return startError
    },
    get hasLeftChildren() {
      return hasLeftChildren
    },
    // It is started as soon as its command needs it; its pid arrives later.
    get hasStarted() {
      return startError === undefined
    },
    get hasExited() {
      return hasExited
    },
    get isFinished() {
      return hasExited && isClosed
    },
    get isWithdrawn() {
      return !isSent || startError !== undefined
    },
    run(command, onOutput) {
      if (hasExited) return
      onData = onOutput
      isSent = true
      isHolding = true
      requests.hold()
      requests.run(command)
    },
    pause() {
      if (isPaused) return
      isPaused = true
      if (!isClosed) requests.pause()
    },
    resume,
    ignoreOutput() {
      release()
      unread = []
      onData = () => {
        requests.pause()
        setTimeout(() => !isClosed && requests.resume(), DISCARD_PAUSE_MS).unref()
      }
      resume()
    },
    discard() {
      if (!isSent && !hasExited) requests.discard()
    },
    onStarted(leaderPid) {
      pid = leaderPid
      started.resolve(leaderPid)
    },
    onNotStarted(error) {
      startError = error
      hasExited = true
      isClosed = true
      deliver()
      started.resolve(undefined)
      exited.resolve(undefined)
    },
    onOutput(chunk) {
      noteBytesRead(chunk.length)
      if (isPaused) unread.push(chunk)
      else onData?.(chunk)
    },
    onClosed() {
      isClosed = true
      deliver()
    },
    onExit(exit) {
      hasExited = true
      hasLeftChildren = exit.hasLeftChildren
      if (!exit.hadCommand) isSent = false
      if (isClosed && unread.length === 0) release()
      started.resolve(pid)
      exited.resolve(exit.status)
    },
  }
}
