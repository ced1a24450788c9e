// Buffers the chunks of an incomplete line. Large chunks are kept as they are; small ones are copied into a larger
// block, so that a client that sends byte by byte does not cost an object per byte.

const COPY_BELOW_BYTES = 4096
const SLAB_BYTES = 64 * 1024

export interface Pile {
  add(chunk: Buffer): void
  bytes(): number
  /** Returns everything followed by `last` as one buffer, and empties this one. */
  takeWith(last: Buffer): Buffer
  clear(): void
}

export function createPile(): Pile {
  let pieces: Buffer[] = []
  let bytes = 0
  let slab = Buffer.alloc(0)
  let used = 0

  function closeSlab(): void {
    if (used > 0) pieces.push(slab.subarray(0, used))
    slab = Buffer.alloc(0)
    used = 0
  }

  function add(chunk: Buffer): void {
    bytes += chunk.length
    if (chunk.length >= COPY_BELOW_BYTES) {
      closeSlab()
      pieces.push(chunk)
      return
    }
    if (used + chunk.length > slab.length) {
      closeSlab()
      slab = Buffer.allocUnsafe(SLAB_BYTES)
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
      closeSlab()
      const joined = Buffer.concat([...pieces, last])
      clear()
      return joined
    },
  }
}
