// The shells that are kept ready for the next commands: as many as commands found missing lately, one while nothing runs.
// Created by shell-pool.ts, which starts the shells. Sets timers.

import type { PooledShell } from './pooled-shell.js'
import type { SandboxedCommand } from './shell-pool.js'

/** For all sandboxes together. */
const MAX_READY = 8
/** Of shells that were not taken for this long, one is kept. */
const MAX_UNUSED_MS = 5000

export interface AcquiredShell {
  readonly shell: PooledShell
  readonly tag: string
  readonly sandboxed: SandboxedCommand | undefined
}

export interface ReadyShells {
  /** Takes a shell that was prepared with this key; undefined if there is none. */
  take(key: string): Promise<AcquiredShell | undefined> | undefined
  /** Prepares as many as are wanted. */
  prepare(key: string, start: () => Promise<AcquiredShell>): void
  discardAll(): void
  /** Whether a discarded shell has not exited yet. */
  readonly isDiscarding: boolean
}

interface SpareShell {
  readonly key: string
  readonly preparedAt: number
  readonly starting: Promise<AcquiredShell>
  started: PooledShell | undefined
}

export function createReadyShells(): ReadyShells {
  let spares: readonly SpareShell[] = []
  let wanted = 0
  let fewestLeft = Infinity
  let discarding = 0
  let timer: NodeJS.Timeout | undefined

  function remove(spare: SpareShell): void {
    spares = spares.filter((other) => other !== spare)
  }

  function discard(spare: SpareShell): void {
    remove(spare)
    const finish = (): void => void discarding--
    discarding++
    spare.starting.then(discardShell).then(finish, finish)
  }

  function review(): void {
    timer = undefined
    wanted = fewestLeft === Infinity ? 1 : Math.max(1, wanted - fewestLeft)
    fewestLeft = Infinity
    const oldest = performance.now() - MAX_UNUSED_MS
    const unused = spares.slice(0, -1).filter(({ preparedAt }) => preparedAt <= oldest)
    for (const spare of unused) discard(spare)
    if (spares.length > 1 || wanted > 1) scheduleReview()
  }

  function scheduleReview(): void {
    timer ??= setTimeout(review, MAX_UNUSED_MS).unref()
  }

  function start(key: string, startShell: () => Promise<AcquiredShell>): void {
    const spare: SpareShell = { key, preparedAt: performance.now(), starting: startShell(), started: undefined }
    spares = [...spares, spare]
    spare.starting.then(
      ({ shell }) => (spare.started = shell),
      // Not reported: the next command starts its own shell and reports the error.
      () => remove(spare),
    )
  }

  return {
    take(key) {
      const matching = spares.filter((spare) => spare.key === key)
      // The latest, which is still in the caches of the processor; what is too much grows old.
      const found = matching.findLast(({ started }) => started?.hasStarted) ?? matching[0]
      if (!found?.started?.hasStarted) wanted = Math.min(wanted + 1, MAX_READY)
      fewestLeft = Math.min(fewestLeft, Math.max(matching.length - 1, 0))
      if (!found) return undefined
      remove(found)
      return found.starting.then(useIfCurrent, () => undefined)
    },
    prepare(key, startShell) {
      for (let count = spares.filter((spare) => spare.key === key).length; count < wanted; count++) {
        const other = spares.length < MAX_READY ? undefined : spares.find((spare) => spare.key !== key)
        if (other) discard(other)
        start(key, startShell)
      }
      if (spares.length > 1) scheduleReview()
    },
    discardAll() {
      for (const spare of spares) discard(spare)
    },
    get isDiscarding() {
      return discarding > 0
    },
  }
}

/** A shell may have been killed meanwhile, and a sandbox may be outdated. */
function useIfCurrent(found: AcquiredShell): AcquiredShell | undefined {
  if (!found.shell.hasExited && found.sandboxed?.isUpToDate() !== false) return found
  void discardShell(found)
  return undefined
}

async function discardShell({ shell, sandboxed }: AcquiredShell): Promise<void> {
  shell.discard()
  await shell.exited
  sandboxed?.release()
}
