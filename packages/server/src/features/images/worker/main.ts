// Entry of the image worker process, which decodes untrusted images: a hang, crash or memory leak affects only this process.
// Handles one image at a time and exits with its parent. A second thread watches time and memory.

import { isMainThread, parentPort, Worker } from 'node:worker_threads'

import { errorMessage } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import type { DecodeRequest } from '../image-types.js'
import { type DecodeBudget, decodeBudgetFor } from '../limits.js'
import { processImage } from './process-image.js'

if (isMainThread) serveRequests()
else runWatchdog()

function serveRequests(): void {
  // The last argument is this script, both with a runtime and with the standalone executable.
  const watchdog = new Worker(process.argv.at(-1) ?? '')
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const setBudget = (budget?: DecodeBudget): void => watchdog.postMessage(budget)
  // SIGKILL, because a normal exit would wait for threads of a decoder.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.on('message', (request: unknown) => {
    if (!isDecodeRequest(request)) return
    setBudget(decodeBudgetFor(request.format))
    void processImage(request)
      .catch((error: unknown) => ({ failure: `could not be decoded (${errorMessage(error)})` }))
      .then((result) => {
        setBudget()
        process.send?.({ ...result, residentBytes: process.memoryUsage.rss() })
      })
  })
}

function isDecodeRequest(value: unknown): value is DecodeRequest {
  return isJsonObject(value) && typeof value.path === 'string'
}

// Watchdog thread of the image worker: kills the process if an image exceeds its time or memory budget, or if the parent has
// exited. SIGTERM means the memory budget.

const CHECK_INTERVAL_MS = 20
/** The parent kills the worker at the time limit; this is the fallback if the parent is gone. */
const GRACE_MS = 2000

/** Receives the budget when an image starts and undefined when it is done. */
function runWatchdog(): void {
  const { ppid } = process
  let timer: NodeJS.Timeout | undefined
  parentPort?.on('message', (budget: DecodeBudget | undefined) => {
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
