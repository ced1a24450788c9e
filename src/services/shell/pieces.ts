// Bytes in the order they came, of which the oldest can be dropped. Small ones are packed together: they cost no object
// each, and do not keep the large chunk they may be a part of.

const SMALL = 4096
const SLAB = 16 * 1024

export interface Pieces {
  add(bytes: Buffer): void
  bytes(): number
  /** Drops from the front what is not needed to have so many bytes, a piece at a time; gives how many it dropped. */
  keepLast(bytes: number): number
  all(): Buffer[]
}

export function createPieces(): Pieces {
  const whole: Buffer[] = []
  let wholeBytes = 0
  let slab = Buffer.alloc(0)
  let used = 0

  function keep(bytes: Buffer): void {
    whole.push(bytes)
    wholeBytes += bytes.length
  }

  function seal(): void {
    if (used > 0) keep(slab.subarray(0, used))
    slab = Buffer.alloc(0)
    used = 0
  }

  return {
    add(bytes) {
      if (bytes.length >= SMALL) {
        seal()
        return keep(bytes)
      }
      if (used + bytes.length > slab.length) {
        seal()
        slab = Buffer.allocUnsafe(SLAB)
      }
      used += bytes.copy(slab, used)
    },
    bytes: () => wholeBytes + used,
    keepLast(bytes) {
      const before = wholeBytes
      for (let first = whole[0]; first && wholeBytes + used - first.length >= bytes; first = whole[0]) {
        whole.shift()
        wholeBytes -= first.length
      }
      return before - wholeBytes
    },
    all: () => [...whole, slab.subarray(0, used)],
  }
}
