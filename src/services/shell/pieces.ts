// A queue of bytes from which the oldest can be dropped. Small chunks are copied into shared slabs: that saves objects,
// and does not retain the large buffer that a small chunk may be a view of.

const SMALL = 4096
const SLAB = 16 * 1024

export interface Pieces {
  add(bytes: Buffer): void
  bytes(): number
  /** Drops the oldest chunks while at least `bytes` bytes remain. Returns the number of bytes dropped. */
  keepLast(bytes: number): number
  all(): Buffer[]
}

export function createPieces(): Pieces {
  const chunks: Buffer[] = []
  let chunkBytes = 0
  let slab = Buffer.alloc(0)
  let used = 0

  function push(bytes: Buffer): void {
    chunks.push(bytes)
    chunkBytes += bytes.length
  }

  function sealSlab(): void {
    if (used > 0) push(slab.subarray(0, used))
    slab = Buffer.alloc(0)
    used = 0
  }

  return {
    add(bytes) {
      if (bytes.length >= SMALL) {
        sealSlab()
        return push(bytes)
      }
      if (used + bytes.length > slab.length) {
        sealSlab()
        slab = Buffer.allocUnsafe(SLAB)
      }
      used += bytes.copy(slab, used)
    },
    bytes: () => chunkBytes + used,
    keepLast(bytes) {
      const before = chunkBytes
      for (let first = chunks[0]; first && chunkBytes + used - first.length >= bytes; first = chunks[0]) {
        chunks.shift()
        chunkBytes -= first.length
      }
      return before - chunkBytes
    },
    all: () => [...chunks, slab.subarray(0, used)],
  }
}
