// Detects shells whose exit report will never arrive, because the process that waited for them was killed, perhaps by
// their own command. That process writes its report before it exits. So a shell counts as lost when it and its supervisor
// were both gone at one check and the report has not been read by the next, between which everything that was written
// is read. A supervisor that is only slow is waited for; one that was stopped is continued.

import type { Ward } from './nursling.js'
import { isAlive, ownerOf, processState, type Owner } from './process-identity.js'
import { signalProcess } from './trees.js'

const CHECK_MS = 1000
/** Checks after which a shell that was requested and has not started counts as lost. */
const MAX_CHECKS_UNSTARTED = 30
/** Checks after which a supervisor that is there but does not report counts as gone. */
const MAX_CHECKS_UNREPORTED = 120

/** `session` is the session that all supervisors are in. Returns the function that stops it. */
export function watchShells(
  shells: ReadonlyMap<number, Ward>,
  session: number,
  onLost: (shell: Ward) => void,
): () => void {
  const owners = new WeakMap<Ward, Owner>()
  const unstarted = new WeakMap<Ward, number>()
  const unreported = new WeakMap<Ward, number>()
  const gone = new WeakSet<Ward>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function isRunning(shell: Ward, pid: number): boolean {
    const owner = owners.get(shell) ?? ownerOf(pid)
    if (!owner || !isAlive(owner)) return false
    owners.set(shell, owner)
    return true
  }

  function isLost(shell: Ward): boolean {
    const { pid, supervisor } = shell
    if (pid === undefined) {
      if (isStoppedProcess(session)) signalProcess(session, 'SIGCONT')
      return increment(unstarted, shell) >= MAX_CHECKS_UNSTARTED
    }
    if (isRunning(shell, pid)) return false
    const state = supervisor === undefined ? undefined : processState(supervisor)
    const isThere =
      state !== undefined && state.session === session && increment(unreported, shell) < MAX_CHECKS_UNREPORTED
    if (!isThere && gone.has(shell)) return true
    if (!isThere) gone.add(shell)
    else if (supervisor !== undefined && isStoppedProcess(supervisor)) signalProcess(supervisor, 'SIGCONT')
    return false
  }

  function check(): void {
    for (const shell of shells.values()) if (!shell.isOver && isLost(shell)) onLost(shell)
    // After the next poll for input, so that no two checks follow each other without one.
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

function isStoppedProcess(pid: number): boolean {
  return ['T', 't'].includes(processState(pid)?.state ?? '')
}

function increment(counts: WeakMap<Ward, number>, shell: Ward): number {
  const count = (counts.get(shell) ?? 0) + 1
  counts.set(shell, count)
  return count
}
