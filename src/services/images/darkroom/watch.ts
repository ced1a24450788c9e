// Ends this process when an image takes too long or too much, or when nobody is left to show it to. SIGTERM says that it
// was memory.

import { parentPort } from 'node:worker_threads'

import type { Allowance } from '../limits.js'

const LOOK_MS = 20
/** Whoever waits for the image ends us in time; this is for when they are gone. */
const GRACE_MS = 2000

/** Told of what an image may take when it begins, and of nothing when it is done. */
export function keepWatch(): void {
  const { ppid } = process
  let timer: NodeJS.Timeout | undefined
  parentPort?.on('message', (allowance: Allowance | undefined) => {
    clearInterval(timer)
    if (!allowance) return
    const until = Date.now() + allowance.ms + GRACE_MS
    timer = setInterval(() => {
      if (process.memoryUsage.rss() > allowance.residentBytes) end('SIGTERM')
      else if (Date.now() > until || process.ppid !== ppid) end('SIGKILL')
    }, LOOK_MS)
  })
}

function end(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal)
}
