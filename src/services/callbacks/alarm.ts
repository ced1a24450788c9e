// Wakes when it is time, and asks how long to sleep next. It never sleeps long at once: a machine that slept meanwhile
// has lost a few seconds at most, and no delay is too long for a timer. Without anything to wait for there is no timer,
// and none keeps the process alive.

const CHUNK_MS = 2000
/** Less is the same as busy. */
const LEAST_MS = 5

export interface Alarm {
  /** Something has changed: looks at once. */
  poke(): void
  /** Resolves when nothing is being done any more. */
  close(): Promise<void>
}

/** `work` never throws; it gives the milliseconds until it wants to be called again, if it does. */
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
    // Poked meanwhile: what was looked at has changed.
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
