// Appends lines to a log file, for the access log of cli/serve-http.ts. If the file is moved away (logrotate), the next
// write opens a new one. A failed write loses its lines and is reported once, never thrown. Writes synchronously.

import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'

const ROTATION_CHECK_MS = 1000
// Requests and their origin are for the operator and their group only.
const MODE = 0o640

interface LogFile {
  write(text: string): void
  close(): void
}

/** Throws a Failure if the file cannot be opened at the start; later errors go to `onError`. */
export function openLogFile(path: string, onError: (error: unknown) => void): LogFile {
  let fd: number | undefined = openAppending(path)
  let checkedAt = performance.now()
  let errorReported = false

  function write(text: string): void {
    try {
      if (fd === undefined || wasRotated(fd)) reopen()
      if (fd !== undefined) writeFully(fd, text)
      errorReported = false
    } catch (error) {
      if (!errorReported) onError(error)
      errorReported = true
    }
  }

  function wasRotated(open: number): boolean {
    if (performance.now() - checkedAt < ROTATION_CHECK_MS) return false
    checkedAt = performance.now()
    const [current, opened] = [statSync(path, { throwIfNoEntry: false }), fstatSync(open)]
    return current === undefined || current.ino !== opened.ino || current.dev !== opened.dev
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
  const existing = statSync(path, { throwIfNoEntry: false })
  // Opening a FIFO blocks until it is read, and the whole process with it.
  if (existing && !existing.isFile() && !existing.isCharacterDevice()) {
    throw new Failure(`The log ${path} is not a file. Set it to a regular file, or to a path that does not exist yet.`)
  }
  try {
    return openSync(path, 'a', MODE)
  } catch (error) {
    const reason = errorMessage(error)
    throw new Failure(
      `The log ${path} cannot be opened (${reason}). Set it to a file in a folder that this user can write to.`,
    )
  }
}

function writeFully(fd: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written)
}
