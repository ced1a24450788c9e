// Waits for a person at the page or in the inbox: until they have answered, the time is up, the call is stopped, or
// nobody has been looking for a while. A page that is loaded again is gone for a moment only.

const GRACE_MS = 5000

export interface Awaited {
  /** Whether it is over; asked whenever something stirs. */
  readonly look: () => Promise<boolean>
  readonly isWatched: () => boolean
  readonly onStir: (listener: () => void) => () => void
  readonly ms: number
  readonly graceMs?: number
  readonly signal: AbortSignal
}

export async function untilAnswered(awaited: Awaited): Promise<void> {
  const { look, isWatched, onStir, ms, graceMs = GRACE_MS, signal } = awaited
  const endsAt = performance.now() + ms
  let aloneSince: number | undefined
  let stirred: (() => void) | undefined
  const wake = (): void => stirred?.()
  const leave = onStir(wake)
  signal.addEventListener('abort', wake)
  try {
    for (;;) {
      // Before looking: what stirs meanwhile is not missed.
      const next = new Promise<void>((resolve) => (stirred = resolve))
      signal.throwIfAborted()
      if (await look()) return
      signal.throwIfAborted()
      const now = performance.now()
      aloneSince = isWatched() ? undefined : (aloneSince ?? now)
      const until = Math.min(endsAt, aloneSince === undefined ? Infinity : aloneSince + graceMs)
      if (now >= until) return
      await atMost(until - now, next)
    }
  } finally {
    leave()
    signal.removeEventListener('abort', wake)
  }
}

async function atMost(ms: number, stir: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, Math.ceil(ms))))
  await Promise.race([stir, limit]).finally(() => clearTimeout(timer))
}
