// The writing end of a command's stdin: a FIFO that this process holds open (pooled-shell), one that is opened by its
// path for each write (command-runner, and job-sources for a job that outlives its server), or the stream of a child
// process (spawn). Writes never block; type-into-job repeats them. Writes to pipes; no timers.

import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'

import { hasErrorCode } from '@scorpiox/mcp/os'

export interface InputPipe {
  /** Writes as many bytes as fit and returns their number; undefined if nothing can read them any more. */
  write(bytes: Buffer): number | undefined
  /** Ends the input. False if another process holds it open. */
  close(): boolean
  /** Identifies the FIFO among the open files of a process; undefined if it is gone. */
  identity(): string | undefined
  /** Changes the size of the terminal, if this is the input of one that this process has made. */
  resize?(size: { readonly cols: number; readonly rows: number }): void
}

/** Takes over an open descriptor, which does not block. */
export function createInputPipe(fd: number): InputPipe {
  let isOpen = true
  return {
    write: (bytes) => (isOpen ? tryWrite(fd, bytes) : undefined),
    close() {
      if (isOpen) closeSync(fd)
      isOpen = false
      return true
    },
    identity: () => (isOpen ? identifyFile(fd) : undefined),
  }
}

/** Bytes that wait to be taken by a program, beyond which no more are accepted. */
const MAX_QUEUED_BYTES = 64 * 1024

/** The stdin of a child process. */
export function createStreamInput(stream: Writable): InputPipe {
  let isOpen = true
  stream.on('error', () => (isOpen = false))
  return {
    write(bytes) {
      if (!isOpen || stream.destroyed) return undefined
      const accepted = bytes.subarray(0, Math.max(MAX_QUEUED_BYTES - stream.writableLength, 0))
      if (accepted.length > 0) stream.write(accepted)
      return accepted.length
    },
    close() {
      isOpen = false
      stream.end()
      return true
    },
    identity: () => undefined,
  }
}

/** A FIFO that the process that waits for the command holds open. */
export function createInputPipeAt(path: string): InputPipe {
  function withFifo<T>(use: (fd: number) => T): T | undefined {
    let fd: number | undefined
    try {
      // Fails if there is no reader.
      fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
      return fstatSync(fd).isFIFO() ? use(fd) : undefined
    } catch {
      return undefined
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  }

  return {
    write: (bytes) => withFifo((fd) => tryWrite(fd, bytes)),
    close: () => false,
    identity: () => withFifo(identifyFile),
  }
}

function tryWrite(fd: number, bytes: Buffer): number | undefined {
  try {
    return writeSync(fd, bytes)
  } catch (error) {
    return hasErrorCode(error, 'EAGAIN') ? 0 : undefined
  }
}

function identifyFile(fd: number): string {
  const { dev, ino } = fstatSync(fd)
  return `${dev}:${ino}`
}
