// Detects shells of supervisor.ts, its caller, that exited without a report because the process that waited for them
// was killed, perhaps by their own command. That process reports before it exits, so a shell is lost if both were gone
// at one check and no report was read by the next. A slow watcher is waited for. Checks on a timer, reads /proc, and
// continues stopped watchers with SIGCONT.

import type { SupervisedShell } from './pooled-shell.js'
import {
  continueIfStopped,
  identifyProcess,
  isSameProcessAlive,
  type ProcessIdentity,
  readProcessState,
} from './process-identity.js'

const CHECK_MS = 1000
/** Checks after which a requested shell that has not started counts as lost. */
const MAX_CHECKS_UNSTARTED = 30
/** Checks after which a running watcher that does not report counts as gone. */
const MAX_CHECKS_UNREPORTED = 120

/** `session` is the session of all watchers. Returns a function that stops the checks. */
export function watchShells(
  shells: ReadonlyMap<number, SupervisedShell>,
  session: number,
  onLost: (shell: SupervisedShell) => void,
): () => void {
  const identities = new WeakMap<SupervisedShell, ProcessIdentity>()
  const unstarted = new WeakMap<SupervisedShell, number>()
  const unreported = new WeakMap<SupervisedShell, number>()
  const gone = new WeakSet<SupervisedShell>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function isRunning(shell: SupervisedShell, pid: number): boolean {
    const identity = identities.get(shell) ?? identifyProcess(pid)
    if (!identity || !isSameProcessAlive(identity)) return false
    identities.set(shell, identity)
    return true
  }

  function isLost(shell: SupervisedShell): boolean {
    const { pid, watcherPid } = shell
    if (pid === undefined) {
      continueIfStopped(session)
      return increment(unstarted, shell) >= MAX_CHECKS_UNSTARTED
    }
    if (isRunning(shell, pid)) return false
    const state = watcherPid === undefined ? undefined : readProcessState(watcherPid)
    const isWatcherRunning =
      state !== undefined && state.session === session && increment(unreported, shell) < MAX_CHECKS_UNREPORTED
    if (!isWatcherRunning && gone.has(shell)) return true
    if (!isWatcherRunning) gone.add(shell)
    else if (watcherPid !== undefined) continueIfStopped(watcherPid)
    return false
  }

  function check(): void {
    for (const shell of shells.values()) if (!shell.hasExited && isLost(shell)) onLost(shell)
    // After the next poll for input, so that all reports that were written before a check are read before the next one.
    setImmediate(schedule)
  }

  function schedule(): void {
    if (!isStopped) timer = setTimeout(check, CHECK_MS).unref()
  }

  schedule()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

function increment(counts: WeakMap<SupervisedShell, number>, shell: SupervisedShell): number {
  const count = (counts.get(shell) ?? 0) + 1
  counts.set(shell, count)
  return count
}
