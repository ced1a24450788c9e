// The side of a worker process that handles untrusted content: a hang, crash or memory leak affects only this process.
// Handles one request at a time and exits with its parent. A second thread watches time and memory, because the first
// may be busy; Node.js itself does not limit the memory of buffers. Run by pdf-worker and the image worker. Starts the
// second thread; ends its own process. Sets timers.

import { isMainThread, parentPort, Worker } from 'node:worker_threads'

import { terminateSelf } from './self-termination.js'

export interface WorkerBudget {
  readonly ms: number
  /** Resident memory of the process. */
  readonly residentBytes: number
}

export interface BoundedWorkerOptions {
  readonly budgetFor: (request: unknown) => WorkerBudget
  /** What it throws is reported as `problem`. */
  readonly handle: (request: unknown) => Promise<unknown>
}

/** To be called at the top of the script of the process: the second thread runs the same script. */
export function runBoundedWorker(options: BoundedWorkerOptions): void {
  if (isMainThread) serveRequests(options)
  else runWatchdog()
}

function serveRequests({ budgetFor, handle }: BoundedWorkerOptions): void {
  // The last argument is this script, both with a runtime and with the standalone executable.
  const watchdog = new Worker(process.argv.at(-1) ?? '')
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const setBudget = (budget?: WorkerBudget): void => watchdog.postMessage(budget)
  // SIGKILL, because a normal exit would wait for threads of a decoder.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.on('message', (request: unknown) => {
    setBudget(budgetFor(request))
    void handle(request)
      .then((answer) => ({ answer }))
      .catch((error: unknown) => ({ problem: error }))
      .then((reply) => {
        setBudget()
        process.send?.({ ...reply, residentBytes: process.memoryUsage.rss() })
      })
  })
}

const CHECK_INTERVAL_MS = 20
/** The parent kills the worker at the time limit; this is the fallback if the parent is gone. */
const GRACE_MS = 2000

/**
 * The watchdog thread kills the process if a request exceeds its budget, or if the parent has exited. SIGTERM means the
 * memory budget. Receives the budget when a request starts and undefined when it is done.
 */
function runWatchdog(): void {
  const { ppid } = process
  let timer: NodeJS.Timeout | undefined
  parentPort?.on('message', (budget: WorkerBudget | undefined) => {
    clearInterval(timer)
    if (!budget) return
    const endsAt = Date.now() + budget.ms + GRACE_MS
    timer = setInterval(() => {
      if (process.memoryUsage.rss() > budget.residentBytes) terminateSelf()
      else if (Date.now() > endsAt || process.ppid !== ppid) process.kill(process.pid, 'SIGKILL')
    }, CHECK_INTERVAL_MS)
  })
}
