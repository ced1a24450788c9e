// Moves the monotonic clock of this process forward, for code that reads it to decide whether something is due. Timers
// are not affected: those are faked with vi.useFakeTimers.

import { onTestFinished, vi } from 'vitest'

const realNow = performance.now.bind(performance)

/** Until the end of the test the clock is ahead by this much, and by what was added before. */
export function advanceMonotonicClock(ms: number): void {
  const aheadMs = performance.now() - realNow() + ms
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => realNow() + aheadMs)
  onTestFinished(() => clock.mockRestore())
}
