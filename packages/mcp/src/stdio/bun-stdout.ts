// Stdout for Bun, whose own reports buffered output as written and drops it at exit. Loaded on Bun only, by
// serve-stdio.ts. Writes to stdout; retries on a timer while the pipe is full.

import { write } from 'node:fs'
import { Writable } from 'node:stream'

/** The delay before a full pipe is written to again. */
const RETRY_DELAY_MS = 5

export function openUnbufferedStdout(): Writable {
  return new Writable({ write: (bytes: Buffer, _encoding, done) => writeFully(bytes, done) })
}

function writeFully(bytes: Buffer, done: (error?: Error | null) => void): void {
  write(1, bytes, (error, count) => {
    if (error?.code === 'EAGAIN') setTimeout(writeFully, RETRY_DELAY_MS, bytes, done)
    else if (error || count === bytes.length) done(error)
    else writeFully(bytes.subarray(count), done)
  })
}
