// Repeats work that is due again and again, such as requests after changes, with time between. Used by the list of calls
// and the timeline. Sets a timer.

import { useEffect, useRef } from 'preact/hooks'

/** Runs `work` when it becomes due, at most once per interval, also while it is due all the time. */
export function useThrottled(isDue: boolean, intervalMs: number, work: () => void): void {
  const latest = useRef(work)
  latest.current = work
  const lastAt = useRef(-Infinity)
  useEffect(() => {
    if (!isDue) return undefined
    const run = (): void => {
      lastAt.current = performance.now()
      latest.current()
    }
    const timer = setTimeout(run, Math.max(0, lastAt.current + intervalMs - performance.now()))
    return () => clearTimeout(timer)
  }, [isDue])
}
