// Listens at the end of a pipe with a name. Node.js takes such a descriptor as a socket; Bun hears nothing there, and
// reads it as a file that does not end.

import { closeSync } from 'node:fs'
import { Socket } from 'node:net'

import { promised, type Promised } from '../lib/promised.js'
import { fromBun } from './bun.js'

export interface Pipe {
  /** When all has been said; the descriptor is closed then. */
  readonly closed: Promise<void>
  readonly pause: () => void
  readonly resume: () => void
  /** Whether this process stays alive for it. */
  ref(): void
  unref(): void
}

export function listenAt(fd: number, onData: (chunk: Buffer) => void): Pipe {
  const file = fromBun('file')
  return isOpener(file) ? readStream(file(fd).stream(), fd, onData) : readSocket(fd, onData)
}

function readSocket(fd: number, onData: (chunk: Buffer) => void): Pipe {
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

/** One read after the other, none while it is paused. Bun waits for the last one whatever it is told. */
function readStream(stream: ReadableStream<Uint8Array>, fd: number, onData: (chunk: Buffer) => void): Pipe {
  const reader = stream.getReader()
  let paused: Promised<void> | undefined

  async function listen(): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read()
      // What was read just before it was paused is kept until it is resumed, and nothing more is read.
      await paused?.promise
      if (done) return
      onData(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
    }
  }

  return {
    closed: listen()
      .catch(() => {})
      .finally(() => closeSync(fd)),
    pause: () => void (paused ??= promised()),
    resume() {
      paused?.resolve()
      paused = undefined
    },
    ref: () => {},
    unref: () => {},
  }
}

type Opener = (fd: number) => { stream(): ReadableStream<Uint8Array> }

function isOpener(value: unknown): value is Opener {
  return typeof value === 'function'
}
