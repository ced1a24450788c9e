// A file that lines are appended to, for as long as the process lives. It may be moved away under us (logrotate): the
// next write then opens a new one. A write that fails loses its lines and is told once, never thrown.

import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs'

import { Failure } from '../lib/failure.js'
import { reasonOf } from '../lib/reason-of.js'

const LOOK_AGAIN_MS = 1000
// Who asked for what and from where is nobody's business but the operator's and their group's.
const MODE = 0o640

export interface LogFile {
  write(text: string): void
  close(): void
}

/** Throws a Failure where the file cannot be opened at the start; what goes wrong later goes to `onError`. */
export function openLogFile(path: string, onError: (error: unknown) => void): LogFile {
  let fd: number | undefined = openAppending(path)
  let lookedAt = performance.now()
  let told = false

  function write(text: string): void {
    try {
      if (fd === undefined || wasRotated(fd)) reopen()
      if (fd !== undefined) writeWhole(fd, text)
      told = false
    } catch (error) {
      if (!told) onError(error)
      told = true
    }
  }

  function wasRotated(open: number): boolean {
    if (performance.now() - lookedAt < LOOK_AGAIN_MS) return false
    lookedAt = performance.now()
    const [there, ours] = [statSync(path, { throwIfNoEntry: false }), fstatSync(open)]
    return there === undefined || there.ino !== ours.ino || there.dev !== ours.dev
  }

  function reopen(): void {
    close()
    fd = openAppending(path)
  }

  function close(): void {
    if (fd !== undefined) closeSync(fd)
    fd = undefined
  }

  return { write, close }
}

function openAppending(path: string): number {
  const there = statSync(path, { throwIfNoEntry: false })
  // Opening a pipe waits until somebody reads it, and everything else would wait with us.
  if (there && !there.isFile() && !there.isCharacterDevice()) {
    throw new Failure(`The log ${path} is not a file; name one that is, or one that does not exist yet.`)
  }
  try {
    return openSync(path, 'a', MODE)
  } catch (error) {
    const reason = reasonOf(error)
    throw new Failure(`The log ${path} cannot be opened (${reason}); name a file in a folder this user may write to.`)
  }
}

function writeWhole(fd: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written)
}
