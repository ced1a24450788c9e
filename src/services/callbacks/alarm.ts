// Timer that calls a function and asks it how long to sleep next. It sleeps in steps of at most 2 s, so that after a
// suspend little time is lost and no delay exceeds the timer limit. It does not keep the process alive.

const MAX_SLEEP_MS = 2000
/** A shorter delay would be a busy loop. */
const MIN_DELAY_MS = 5

export interface Alarm {
  /** Runs the function now, because something changed. */
  poke(): void
  /** Resolves when the function has finished. */
  close(): Promise<void>
}

/** `work` must not throw; it returns the milliseconds until its next call, or undefined. */
export function createAlarm(work: () => Promise<number | undefined>): Alarm {
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> | undefined
  let wakeAgain = false
  let isClosed = false

  function wake(): void {
    clearTimeout(timer)
    if (isClosed) return
    if (working) wakeAgain = true
    else working = run().finally(() => (working = undefined))
  }

  async function run(): Promise<void> {
    wakeAgain = false
    const delayMs = await work()
    // Woken meanwhile: the result may be outdated.
    const next = wakeAgain ? MIN_DELAY_MS : delayMs
    if (next === undefined || isClosed) return
    timer = setTimeout(wake, Math.min(Math.max(next, MIN_DELAY_MS), MAX_SLEEP_MS)).unref()
  }

  return {
    poke: wake,
    async close() {
      isClosed = true
      clearTimeout(timer)
      await working
    },
  }
}
