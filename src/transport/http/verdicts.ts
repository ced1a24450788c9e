// Caches authentication results by token digest for at most a minute, and not beyond the token's expiry. The oldest
// entries are dropped first.

const MAX_AGE_MS = 60_000
const MAX_ENTRIES = 1000

export interface Verdicts<T> {
  get(digest: string): T | undefined
  set(digest: string, result: T, tokenExpiresAt: number): void
}

export function createVerdicts<T>(now: () => number): Verdicts<T> {
  const entries = new Map<string, { readonly result: T; readonly cachedAt: number; readonly expiresAt: number }>()
  return {
    get(digest) {
      const entry = entries.get(digest)
      if (!entry) return undefined
      const time = now()
      // Entries are not extended if the clock is set back.
      if (time < entry.expiresAt && time >= entry.cachedAt) return entry.result
      entries.delete(digest)
      return undefined
    },
    set(digest, result, tokenExpiresAt) {
      const cachedAt = now()
      const expiresAt = Math.min(tokenExpiresAt, cachedAt + MAX_AGE_MS)
      if (expiresAt <= cachedAt) return
      entries.delete(digest)
      const [oldest] = entries.keys()
      if (entries.size >= MAX_ENTRIES && oldest !== undefined) entries.delete(oldest)
      entries.set(digest, { result, cachedAt, expiresAt })
    },
  }
}
