// Entry of the image worker process, which decodes untrusted images: a hang, crash or memory leak affects only this process.
// Handles one image at a time and exits with its parent. A second thread watches time and memory.

import { isMainThread, Worker } from 'node:worker_threads'

import { isObject } from '../../../lib/json.js'
import { reasonOf } from '../../../lib/reason-of.js'
import { allowanceFor, type Allowance } from '../limits.js'
import type { Order } from '../picture.js'
import { develop } from './develop.js'
import { keepWatch } from './watch.js'

if (isMainThread) serveRequests()
else keepWatch()

function serveRequests(): void {
  // The last argument is this script, both with a runtime and with the standalone executable.
  const watchdog = new Worker(process.argv.at(-1) ?? '')
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const setBudget = (budget?: Allowance): void => watchdog.postMessage(budget)
  // SIGKILL, because a normal exit would wait for threads of a decoder.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.on('message', (request: unknown) => {
    if (!isDecodeRequest(request)) return
    setBudget(allowanceFor(request.format))
    void develop(request)
      .catch((error: unknown) => ({ failure: `could not be decoded (${reasonOf(error)})` }))
      .then((result) => {
        setBudget()
        process.send?.({ ...result, residentBytes: process.memoryUsage.rss() })
      })
  })
}

function isDecodeRequest(value: unknown): value is Order {
  return isObject(value) && typeof value.path === 'string'
}
