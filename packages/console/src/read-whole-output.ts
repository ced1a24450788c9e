// Reads everything that is kept of a job's output, as it was printed, in chunks: for a download of the page and a file of
// the inbox. Reads through a function of the caller.

import { MAX_CHUNK_BYTES } from './output-chunk.js'
import type { ReadOutputChunk } from './output-stream.js'

/** Up to what is printed now; a line marks where bytes were dropped. Rejects with a Failure if it cannot be read. */
export async function* readWholeOutput(read: ReadOutputChunk): AsyncGenerator<Buffer, void> {
  const { size } = await read(0, 0)
  for (let next = 0; next < size;) {
    const { from, bytes } = await read(next, Math.min(MAX_CHUNK_BYTES, size - next))
    if (bytes.length === 0) return
    if (from > next) yield Buffer.from(`\n[${from - next} bytes of output are no longer stored]\n`)
    yield bytes
    next = from + bytes.length
  }
}
