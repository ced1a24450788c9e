// Timer that calls a function and asks it how long to sleep next. It sleeps in steps of at most 2 s, so that after a
// suspend little time is lost and no delay exceeds the timer limit. It does not keep the process alive.

const CHUNK_MS = 2000
/** A shorter delay would be a busy loop. */
const LEAST_MS = 5

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
  let again = false
  let isClosed = false

  function wake(): void {
    clearTimeout(timer)
    if (isClosed) return
    if (working) again = true
    else working = run().finally(() => (working = undefined))
  }

  async function run(): Promise<void> {
    again = false
    const wanted = await work()
    // Woken meanwhile: the result may be outdated.
    const next = again ? LEAST_MS : wanted
    if (next === undefined || isClosed) return
    timer = setTimeout(wake, Math.min(Math.max(next, LEAST_MS), CHUNK_MS)).unref()
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
