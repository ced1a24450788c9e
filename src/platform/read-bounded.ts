// Reads an open file up to a bound. Its size is not asked: it may grow meanwhile, and some files say that they are empty
// and are not.

import type { FileHandle } from 'node:fs/promises'

const CHUNK = 65_536

/** To tell whether there is more, ask for one byte more than is wanted. */
export async function readBounded(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let left = maxBytes
  while (left > 0) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(CHUNK, left)), 0, null, null)
    if (bytesRead === 0) break
    chunks.push(buffer.subarray(0, bytesRead))
    left -= bytesRead
  }
  return Buffer.concat(chunks)
}
