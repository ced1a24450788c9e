// The darkroom: a process of its own in which untrusted images are decoded, so that one that hangs, grows or breaks its
// decoder costs nothing but this process. It develops one image at a time and ends with whoever started it. Its second
// thread looks at the clock and at the memory while the first may be too busy to.

import { isMainThread, Worker } from 'node:worker_threads'

import { isObject } from '../../../lib/json.js'
import { reasonOf } from '../../../lib/reason-of.js'
import { allowanceFor, type Allowance } from '../limits.js'
import type { Order } from '../picture.js'
import { develop } from './develop.js'
import { keepWatch } from './watch.js'

if (isMainThread) work()
else keepWatch()

function work(): void {
  // Itself: behind the runtime, or behind the executable that has it within.
  const watch = new Worker(process.argv.at(-1) ?? '')
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const allow = (allowance?: Allowance): void => watch.postMessage(allowance)
  // Threads of a decoder would be waited for by any gentler end.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.on('message', (order: unknown) => {
    if (!isOrder(order)) return
    allow(allowanceFor(order.format))
    void develop(order)
      .catch((error: unknown) => ({ failure: `could not be decoded (${reasonOf(error)})` }))
      .then((outcome) => {
        allow()
        process.send?.({ ...outcome, residentBytes: process.memoryUsage.rss() })
      })
  })
}

function isOrder(value: unknown): value is Order {
  return isObject(value) && typeof value.path === 'string'
}
