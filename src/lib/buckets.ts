// Buckets by key: each holds up to `burst` drops, `rate` flow in a second, an act takes one. What was not touched for
// as long as a bucket takes to fill is full, and forgotten: buckets lie in two maps, the older is dropped whole. So
// nothing is ever swept, and an act costs the same however many keys there are.

export interface BucketSettings {
  /** Acts a second in the long run; 0 switches the limit off. */
  readonly rate: number
  readonly burst: number
  /** Where there are more, the oldest are forgotten before they are full. */
  readonly maxKeys: number
}

export interface Buckets {
  /** Takes drops: undefined when there was one, else the seconds until there will be. Several may leave a debt. */
  take(key: string, count?: number): number | undefined
  readonly size: number
}

interface Bucket {
  level: number
  at: number
}

/** `now` in milliseconds, from a clock that is never set back. */
export function createBuckets({ rate, burst, maxKeys }: BucketSettings, now: () => number): Buckets {
  const room = Math.max(burst, 1)
  const fillMs = (room / rate) * 1000
  let young = new Map<string, Bucket>()
  let old = new Map<string, Bucket>()
  let turnedAt = now()

  const levelAt = ({ level, at }: Bucket, time: number): number => Math.min(room, level + ((time - at) * rate) / 1000)
  const wait = (level: number): number | undefined => (level >= 1 ? undefined : (1 - level) / rate)

  function turn(time: number): void {
    old = young
    young = new Map()
    turnedAt = time
  }

  function find(key: string, time: number): Bucket {
    if (time - turnedAt >= fillMs) turn(time)
    const known = young.get(key)
    if (known) return known
    if (young.size >= maxKeys / 2) turn(time)
    const bucket = old.get(key) ?? { level: room, at: time }
    old.delete(key)
    young.set(key, bucket)
    return bucket
  }

  return {
    take(key, count = 1) {
      if (rate === 0) return undefined
      const time = now()
      const bucket = find(key, time)
      bucket.level = levelAt(bucket, time)
      bucket.at = time
      const seconds = wait(bucket.level)
      if (seconds === undefined) bucket.level -= count
      return seconds
    },
    get size() {
      return young.size + old.size
    },
  }
}
