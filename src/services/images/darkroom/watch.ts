// Watchdog thread of the image worker: kills the process if an image exceeds its time or memory budget, or if the parent has
// exited. SIGTERM means the memory budget.

import { parentPort } from 'node:worker_threads'

import type { Allowance } from '../limits.js'

const CHECK_INTERVAL_MS = 20
/** The parent kills the worker at the time limit; this is the fallback if the parent is gone. */
const GRACE_MS = 2000

/** Receives the budget when an image starts and undefined when it is done. */
export function keepWatch(): void {
  const { ppid } = process
  let timer: NodeJS.Timeout | undefined
  parentPort?.on('message', (budget: Allowance | undefined) => {
    clearInterval(timer)
    if (!budget) return
    const endsAt = Date.now() + budget.ms + GRACE_MS
    timer = setInterval(() => {
      if (process.memoryUsage.rss() > budget.residentBytes) killSelf('SIGTERM')
      else if (Date.now() > endsAt || process.ppid !== ppid) killSelf('SIGKILL')
    }, CHECK_INTERVAL_MS)
  })
}

function killSelf(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal)
}
