// Waits until a question is answered, the timeout expires, the call is cancelled, or the user has been away for some
// seconds. Reloading the page interrupts presence only briefly.

const GRACE_MS = 5000

export interface Awaited {
  /** Called after each change. */
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
      // Created before the check, so that a change during the check is not missed.
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
