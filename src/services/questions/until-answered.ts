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

export async function untilAnswered(options: Awaited): Promise<void> {
  const { look, isWatched, onStir, ms, graceMs = GRACE_MS, signal } = options
  const endsAt = performance.now() + ms
  let absentSince: number | undefined
  let notifyChange: (() => void) | undefined
  const wake = (): void => notifyChange?.()
  const unsubscribe = onStir(wake)
  signal.addEventListener('abort', wake)
  try {
    for (;;) {
      // Created before the check, so that a change during the check is not missed.
      const next = new Promise<void>((resolve) => (notifyChange = resolve))
      signal.throwIfAborted()
      if (await look()) return
      signal.throwIfAborted()
      const now = performance.now()
      absentSince = isWatched() ? undefined : (absentSince ?? now)
      const until = Math.min(endsAt, absentSince === undefined ? Infinity : absentSince + graceMs)
      if (now >= until) return
      await waitAtMost(until - now, next)
    }
  } finally {
    unsubscribe()
    signal.removeEventListener('abort', wake)
  }
}

async function waitAtMost(ms: number, change: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, Math.ceil(ms))))
  await Promise.race([change, limit]).finally(() => clearTimeout(timer))
}
