// Reads an open file up to a limit. Does not rely on the file size: it may grow, and files in /proc report 0.

import type { FileHandle } from 'node:fs/promises'

const CHUNK = 65_536

/** To find out whether there is more, request one byte more than is needed. */
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
