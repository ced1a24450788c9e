// Gives access to the garbage collector of the engine, for code that cannot wait for its next run, and runs minor
// collections while much is read. Used where command output is read (spawn, pooled-shell, job-sources) and by
// sqlite.ts. Sets a flag of V8.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Without options, a full collection. */
export type CollectGarbage = (options?: { readonly type: 'minor' }) => void

export function exposeGarbageCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined')
  // Other engines have none, and may not need it.
  return isCollectFunction(found) ? found : () => {}
}

function isCollectFunction(value: unknown): value is CollectGarbage {
  return typeof value === 'function'
}

const BYTES_PER_COLLECTION = 2 * 1024 * 1024

let collect: CollectGarbage | undefined
let bytesSinceCollection = 0

/**
 * Keeps memory flat while much is read: V8 lets tens of megabytes of unused buffers accumulate before it collects,
 * because the objects that refer to them are small. A minor collection every few megabytes takes 0.1 ms each. To be
 * called with the size of everything that is read.
 */
export function noteBytesRead(count: number): void {
  bytesSinceCollection += count
  if (bytesSinceCollection < BYTES_PER_COLLECTION) return
  bytesSinceCollection = 0
  collect ??= exposeGarbageCollector()
  collect({ type: 'minor' })
}
