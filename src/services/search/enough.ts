// Waits until there is enough to answer with: several engines of several families and a moment more, or the time is up.
// Nobody waits for the slowest.

export interface Limits {
  /** This many engines of this many families, then the grace. */
  readonly engines: number
  readonly families: number
  readonly graceMs: number
  /** From here on two families are enough. */
  readonly softMs: number
  readonly softFamilies: number
  /** If fewer families have answered by then, spares are asked too. */
  readonly hedgeMs: number
  readonly hardMs: number
}

export const LIMITS: Limits = {
  engines: 5,
  families: 3,
  graceMs: 300,
  softMs: 2500,
  softFamilies: 2,
  hedgeMs: 900,
  hardMs: 6000,
}

/** One engine that is waited for. */
export interface Runner {
  readonly family: string
  /** Resolves to whether it brought something to answer with. */
  readonly done: Promise<boolean>
}

/** Rejects with the signal's reason. `hedge` gives the spares that it has started. */
export function enough(
  runners: readonly Runner[],
  limits: Limits,
  hedge: () => readonly Runner[],
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const all = [...runners]
    const helpful: Runner[] = []
    const timers: NodeJS.Timeout[] = []
    let settled = 0
    let isSoft = false
    let hasGrace = false
    let isOver = false

    const families = (of: readonly Runner[]): number => new Set(of.map(({ family }) => family)).size
    const after = (ms: number, act: () => void): void => void timers.push(setTimeout(act, ms))

    function end(): void {
      isOver = true
      for (const timer of timers) clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
    }
    function finish(): void {
      end()
      resolve()
    }
    function fail(reason: unknown): void {
      end()
      reject(reason)
    }
    function giveUp(): void {
      fail(signal.reason)
    }

    function look(): void {
      if (isOver) return
      if (settled === all.length) return finish()
      // Where few are asked, few are enough.
      const wanted = Math.min(limits.engines, all.length)
      const isQuorum = helpful.length >= wanted && families(helpful) >= Math.min(limits.families, families(all))
      if (isQuorum && !hasGrace) {
        hasGrace = true
        after(limits.graceMs, finish)
      }
      if (isSoft && families(helpful) >= Math.min(limits.softFamilies, families(all))) finish()
    }

    function watch(runner: Runner): void {
      void runner.done.then((isHelpful) => {
        settled++
        if (isHelpful) helpful.push(runner)
        look()
      }, fail)
    }

    if (signal.aborted) return giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    after(limits.hedgeMs, () => {
      if (families(helpful) >= limits.softFamilies) return
      const more = hedge()
      all.push(...more)
      more.forEach(watch)
    })
    after(limits.softMs, () => {
      isSoft = true
      look()
    })
    after(limits.hardMs, finish)
    all.slice().forEach(watch)
    if (all.length === 0) finish()
  })
}
