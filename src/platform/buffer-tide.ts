// Keeps memory flat while much is read: V8 lets tens of megabytes of unused buffers accumulate before it collects,
// because the objects that refer to them are small. A minor collection every few megabytes takes 0.1 ms each.

import { findCollector, type Collect } from './collector.js'

const BYTES_PER_COLLECTION = 2 * 1024 * 1024

let collect: Collect | undefined
let bytesSinceCollection = 0

/** To be called with the size of everything that is read. */
export function readBytes(count: number): void {
  bytesSinceCollection += count
  if (bytesSinceCollection < BYTES_PER_COLLECTION) return
  bytesSinceCollection = 0
  collect ??= findCollector()
  collect({ type: 'minor' })
}
