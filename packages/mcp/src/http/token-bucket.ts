// Token buckets by key for rate-limits.ts, in bounded memory. Each bucket holds up to `burst` tokens and refills at
// `rate` per second. A bucket untouched for its refill time is full and can be dropped: buckets are kept in two maps,
// and the older map is dropped as a whole, so nothing is swept and the cost does not depend on the number of keys. In
// memory only.

export interface TokenBucketOptions {
  /** Tokens per second; 0 disables the limit. */
  readonly rate: number
  readonly burst: number
  /** Above this number the oldest buckets are dropped before they are full. */
  readonly maxKeys: number
}

export interface TokenBuckets {
  /**
   * Takes tokens. Returns undefined on success, otherwise the seconds until a token is available. Taking several may
   * leave a debt.
   */
  take(key: string, count?: number): number | undefined
  readonly size: number
}

interface Bucket {
  level: number
  at: number
}

/** `now` returns milliseconds of a monotonic clock. */
export function createTokenBuckets({ rate, burst, maxKeys }: TokenBucketOptions, now: () => number): TokenBuckets {
  const capacity = Math.max(burst, 1)
  const fillMs = (capacity / rate) * 1000
  let current = new Map<string, Bucket>()
  let previous = new Map<string, Bucket>()
  let rotatedAt = now()

  const refillLevel = ({ level, at }: Bucket, time: number): number =>
    Math.min(capacity, level + ((time - at) * rate) / 1000)
  const secondsUntilToken = (level: number): number | undefined => (level >= 1 ? undefined : (1 - level) / rate)

  function rotate(time: number): void {
    previous = current
    current = new Map()
    rotatedAt = time
  }

  function find(key: string, time: number): Bucket {
    if (time - rotatedAt >= fillMs) rotate(time)
    const existing = current.get(key)
    if (existing) return existing
    if (current.size >= maxKeys / 2) rotate(time)
    const bucket = previous.get(key) ?? { level: capacity, at: time }
    previous.delete(key)
    current.set(key, bucket)
    return bucket
  }

  return {
    take(key, count = 1) {
      if (rate === 0) return undefined
      const time = now()
      const bucket = find(key, time)
      bucket.level = refillLevel(bucket, time)
      bucket.at = time
      const seconds = secondsUntilToken(bucket.level)
      if (seconds === undefined) bucket.level -= count
      return seconds
    },
    get size() {
      return current.size + previous.size
    },
  }
}
