// The standard output for Bun, which says of what it still holds that it is written, and loses it at its end. Loaded there
// only; `stdio` owns it.

import { write } from 'node:fs'
import { Writable } from 'node:stream'

/** How long a pipe that takes nothing is left alone. */
const FULL_MS = 5

export function openUnbuffered(): Writable {
  return new Writable({ write: (bytes: Buffer, _encoding, done) => putOut(bytes, done) })
}

function putOut(bytes: Buffer, done: (error?: Error | null) => void): void {
  write(1, bytes, (error, count) => {
    if (error?.code === 'EAGAIN') setTimeout(putOut, FULL_MS, bytes, done)
    else if (error || count === bytes.length) done(error)
    else putOut(bytes.subarray(count), done)
  })
}
