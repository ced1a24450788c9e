// Limits the memory of a worker thread on Bun, which ignores resourceLimits; Node.js enforces them itself. Watches the
// size of the whole process while a thread works.

import { bunVersion } from './bun.js'

const CHECK_MS = 25

/** Calls back once when the process has grown by this much; the returned function stops the watch. */
export function watchMemory(megabytes: number, onExceeded: () => void): () => void {
  if (bunVersion() === undefined) return () => {}
  const maxBytes = process.memoryUsage.rss() + megabytes * 1024 * 1024
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() <= maxBytes) return
    clearInterval(timer)
    onExceeded()
  }, CHECK_MS)
  return () => clearInterval(timer)
}
