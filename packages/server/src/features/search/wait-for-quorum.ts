// Waits for a quorum of the engines of a search: enough engines of enough index families plus a grace period, or the
// deadline. Slow engines are not waited for. Used by search-service. Sets timers, and calls `hedge` of its caller,
// which starts fallback engines, if few have answered in time; no other I/O.

export interface QuorumLimits {
  /** The quorum; when it is reached, the grace period starts. */
  readonly engines: number
  readonly families: number
  readonly graceMs: number
  /** After this time `softFamilies` families are enough. */
  readonly softMs: number
  readonly softFamilies: number
  /** If fewer than `softFamilies` have responded by then, fallback engines are started. */
  readonly hedgeMs: number
  readonly hardMs: number
}

export const DEFAULT_QUORUM_LIMITS: QuorumLimits = {
  engines: 5,
  families: 3,
  graceMs: 300,
  softMs: 2500,
  softFamilies: 2,
  hedgeMs: 900,
  hardMs: 6000,
}

/** An engine whose response is pending. */
export interface PendingEngine {
  readonly family: string
  /** Resolves to whether its response is usable. */
  readonly done: Promise<boolean>
}

/** Rejects with the signal's reason. `hedge` starts fallback engines and returns them. */
export function waitForQuorum(
  initial: readonly PendingEngine[],
  limits: QuorumLimits,
  hedge: () => readonly PendingEngine[],
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const pending = [...initial]
    const useful: PendingEngine[] = []
    const timers: NodeJS.Timeout[] = []
    let settledCount = 0
    let isPastSoftDeadline = false
    let isInGracePeriod = false
    let isDone = false

    const families = (of: readonly PendingEngine[]): number => new Set(of.map(({ family }) => family)).size
    const after = (ms: number, act: () => void): void => void timers.push(setTimeout(act, ms))

    function cleanUp(): void {
      isDone = true
      for (const timer of timers) clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
    function finish(): void {
      cleanUp()
      resolve()
    }
    function fail(reason: unknown): void {
      cleanUp()
      reject(reason)
    }
    function onAbort(): void {
      fail(signal.reason)
    }

    function checkQuorum(): void {
      if (isDone) return
      if (settledCount === pending.length) return finish()
      // The quorum cannot exceed the number of engines in use.
      const requiredEngines = Math.min(limits.engines, pending.length)
      const isQuorum =
        useful.length >= requiredEngines && families(useful) >= Math.min(limits.families, families(pending))
      if (isQuorum && !isInGracePeriod) {
        isInGracePeriod = true
        after(limits.graceMs, finish)
      }
      if (isPastSoftDeadline && families(useful) >= Math.min(limits.softFamilies, families(pending))) finish()
    }

    function watch(engine: PendingEngine): void {
      void engine.done.then((isUseful) => {
        settledCount++
        if (isUseful) useful.push(engine)
        checkQuorum()
      }, fail)
    }

    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    after(limits.hedgeMs, () => {
      if (families(useful) >= limits.softFamilies) return
      const more = hedge()
      pending.push(...more)
      more.forEach(watch)
    })
    after(limits.softMs, () => {
      isPastSoftDeadline = true
      checkQuorum()
    })
    after(limits.hardMs, finish)
    pending.slice().forEach(watch)
    if (pending.length === 0) finish()
  })
}
