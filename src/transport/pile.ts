// Bytes waiting for their newline. Large chunks are kept as they came; small ones are packed together, because a client
// that sends byte by byte must not cost an object a byte.

const SMALL = 4096
const SLAB = 64 * 1024

export interface Pile {
  add(chunk: Buffer): void
  bytes(): number
  /** All of it with `last` behind it, in one piece; the pile is empty then. */
  takeWith(last: Buffer): Buffer
  clear(): void
}

export function createPile(): Pile {
  let pieces: Buffer[] = []
  let bytes = 0
  let slab = Buffer.alloc(0)
  let used = 0

  function seal(): void {
    if (used > 0) pieces.push(slab.subarray(0, used))
    slab = Buffer.alloc(0)
    used = 0
  }

  function add(chunk: Buffer): void {
    bytes += chunk.length
    if (chunk.length >= SMALL) {
      seal()
      pieces.push(chunk)
      return
    }
    if (used + chunk.length > slab.length) {
      seal()
      slab = Buffer.allocUnsafe(SLAB)
    }
    used += chunk.copy(slab, used)
  }

  function clear(): void {
    pieces = []
    bytes = 0
    slab = Buffer.alloc(0)
    used = 0
  }

  return {
    add,
    bytes: () => bytes,
    clear,
    takeWith(last) {
      if (bytes === 0) return last
      seal()
      const whole = Buffer.concat([...pieces, last])
      clear()
      return whole
    },
  }
}
