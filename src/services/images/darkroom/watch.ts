// Ends this process when an image takes too long or too much, or when nobody is left to show it to. SIGTERM says that it
// was memory.

import { parentPort } from 'node:worker_threads'

import { MAX_MS, MAX_RESIDENT_BYTES } from '../limits.js'

const LOOK_MS = 50
/** Whoever waits for the image ends us in time; this is for when they are gone. */
const GRACE_MS = 2000

export function keepWatch(): void {
  const { ppid } = process
  let timer: NodeJS.Timeout | undefined
  parentPort?.on('message', (word) => {
    clearInterval(timer)
    if (word !== 'begun') return
    const until = Date.now() + MAX_MS + GRACE_MS
    timer = setInterval(() => {
      if (process.memoryUsage.rss() > MAX_RESIDENT_BYTES) end('SIGTERM')
      else if (Date.now() > until || process.ppid !== ppid) end('SIGKILL')
    }, LOOK_MS)
  })
}

function end(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal)
}
