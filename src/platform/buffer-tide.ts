// Keeps memory flat while much is read: V8 lets tens of megabytes of used buffers pile up before it looks, because the
// objects that hold them are small. A young collection every few megabytes takes a tenth of a millisecond each.

import { findCollector, type Collect } from './collector.js'

const EVERY_BYTES = 2 * 1024 * 1024

let collect: Collect | undefined
let bytesSince = 0

/** To be told of everything that is read. */
export function readBytes(count: number): void {
  bytesSince += count
  if (bytesSince < EVERY_BYTES) return
  bytesSince = 0
  collect ??= findCollector()
  collect({ type: 'minor' })
}
