// Reads a FIFO descriptor, the output of a pooled shell. Node.js reads it as a socket; Bun receives no data that way and
// reads it as an endless file. Used by pooled-shell.

import { closeSync } from 'node:fs'
import { Socket } from 'node:net'

import { getBunApi } from '@scorpiox/mcp/runtime'
import { createDeferred, type Deferred } from '../async/timeouts.js'

export interface FifoReader {
  /** Resolves at the end of the file; the descriptor is closed then. */
  readonly closed: Promise<void>
  readonly pause: () => void
  readonly resume: () => void
  /** Whether it keeps this process alive. */
  ref(): void
  unref(): void
}

export function readFifo(fd: number, onData: (chunk: Buffer) => void): FifoReader {
  const file = getBunApi('file')
  return isOpenBunFile(file) ? readAsBunFile(file(fd).stream(), fd, onData) : readAsSocket(fd, onData)
}

function readAsSocket(fd: number, onData: (chunk: Buffer) => void): FifoReader {
  const socket = new Socket({ fd, readable: true, writable: false })
  socket.on('data', onData)
  socket.on('error', () => {})
  return {
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    ref: () => void socket.ref(),
    unref: () => void socket.unref(),
  }
}

/** One read at a time, none while paused. Bun waits for the last read even if the stream is cancelled. */
function readAsBunFile(stream: ReadableStream<Uint8Array>, fd: number, onData: (chunk: Buffer) => void): FifoReader {
  const reader = stream.getReader()
  let paused: Deferred<void> | undefined

  async function readAll(): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read()
      // Data that was read just before the pause is passed on after it; nothing more is read.
      await paused?.promise
      if (done) return
      onData(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
    }
  }

  return {
    closed: readAll()
      .catch(() => {})
      .finally(() => closeSync(fd)),
    pause: () => void (paused ??= createDeferred()),
    resume() {
      paused?.resolve()
      paused = undefined
    },
    ref: () => {},
    unref: () => {},
  }
}

type OpenBunFile = (fd: number) => { stream(): ReadableStream<Uint8Array> }

function isOpenBunFile(value: unknown): value is OpenBunFile {
  return typeof value === 'function'
}
