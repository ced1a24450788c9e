// What was found out about a credential, kept for a minute at most and never past its end; the oldest goes first.

const KEEP_MS = 60_000
const MAX_KEPT = 1000

export interface Verdicts<T> {
  get(digest: string): T | undefined
  set(digest: string, verdict: T, endsAt: number): void
}

export function createVerdicts<T>(now: () => number): Verdicts<T> {
  const kept = new Map<string, { readonly verdict: T; readonly from: number; readonly until: number }>()
  return {
    get(digest) {
      const entry = kept.get(digest)
      if (!entry) return undefined
      const time = now()
      // Also when the clock was set back: a verdict must not live longer for that.
      if (time < entry.until && time >= entry.from) return entry.verdict
      kept.delete(digest)
      return undefined
    },
    set(digest, verdict, endsAt) {
      const from = now()
      const until = Math.min(endsAt, from + KEEP_MS)
      if (until <= from) return
      kept.delete(digest)
      const [oldest] = kept.keys()
      if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest)
      kept.set(digest, { verdict, from, until })
    },
  }
}
