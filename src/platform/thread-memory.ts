// How much a thread may take where its engine does not care: Node.js ends one that needs more than it was given, Bun does
// not. There, the whole process is looked at while a thread works.

import { bunVersion } from './bun.js'

const LOOK_MS = 25

/** Tells once when the process has grown by so much; the function that comes back ends the watch. */
export function watchMemory(megabytes: number, tell: () => void): () => void {
  if (bunVersion() === undefined) return () => {}
  const most = process.memoryUsage.rss() + megabytes * 1024 * 1024
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() <= most) return
    clearInterval(timer)
    tell()
  }, LOOK_MS)
  return () => clearInterval(timer)
}
