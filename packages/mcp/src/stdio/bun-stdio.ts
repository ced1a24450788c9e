// stdin and stdout of Bun through its own API: its streams of Node.js take 4 ms to open, process.stdout reports buffered
// output as written and drops it at exit, and a write in a thread of node:fs doubles the time of a call. Loaded on Bun
// only, by serve-stdio.ts and main.ts of the app. Reads stdin and writes to stdout, both without blocking.

import { getBunApi } from '../runtime.js'

/** What serve-stdio.ts uses of a readable stream. */
export interface InputStream {
  on(event: 'data' | 'end' | 'error', listener: (chunk: Buffer) => void): unknown
  pause(): unknown
  resume(): unknown
}

/** What serve-stdio.ts uses of a writable stream. */
export interface OutputStream {
  readonly writableLength: number
  on(event: 'drain' | 'error', listener: () => void): unknown
  /** Calls `done` when everything up to here is written. */
  write(data: string | Buffer, done?: () => void): unknown
}

interface FileSink {
  write(data: string | Buffer): unknown
  /** A promise while the pipe is full, for all that is buffered. */
  flush(): unknown
}

interface BunStdin {
  stream(): ReadableStream<Uint8Array>
}

export function openStdio(): { readonly stdin: InputStream; readonly stdout: OutputStream } {
  const stdin = getBunApi('stdin')
  const stdout = getBunApi('stdout')
  if (!isStdin(stdin) || !isStdout(stdout)) throw new Error('this version of Bun has no stdin and stdout')
  return { stdin: createInput(stdin), stdout: createOutput(stdout.writer()) }
}

/** Without opening process.stdin. */
export function isStdinTerminal(): boolean {
  return process.getBuiltinModule('node:tty').isatty(0)
}

function isStdin(value: unknown): value is BunStdin {
  return typeof value === 'object' && value !== null && 'stream' in value
}

function isStdout(value: unknown): value is { writer(): FileSink } {
  return typeof value === 'object' && value !== null && 'writer' in value
}

/** Reads from the first listener for data on. A chunk that is being read when it is paused is still delivered. */
function createInput(stdin: BunStdin): InputStream {
  const listeners: Partial<Record<'data' | 'end' | 'error', (chunk: Buffer) => void>> = {}
  const reader = stdin.stream().getReader()
  let isPaused = true
  let isReading = false

  function readNext(): void {
    if (isPaused || isReading) return
    isReading = true
    reader.read().then(receive, () => emit('error'))
  }

  function receive({ done, value }: { readonly done: boolean; readonly value?: Uint8Array | undefined }): void {
    isReading = false
    if (done || value === undefined) return emit('end')
    emit('data', Buffer.from(value.buffer, value.byteOffset, value.byteLength))
    readNext()
  }

  function emit(event: 'data' | 'end' | 'error', chunk: Buffer = Buffer.alloc(0)): void {
    try {
      listeners[event]?.(chunk)
    } catch (error) {
      // As an exception in a listener of a stream: the next chunk is read all the same.
      process.nextTick(() => {
        throw error
      })
    }
  }

  function resume(): void {
    isPaused = false
    readNext()
  }

  return {
    on(event, listener) {
      listeners[event] = listener
      if (event === 'data') resume()
    },
    pause: () => void (isPaused = true),
    resume,
  }
}

function createOutput(sink: FileSink): OutputStream {
  const listeners: Partial<Record<'drain' | 'error', () => void>> = {}
  let pendingBytes = 0
  const fail = (): void => listeners.error?.()

  function writeNow(data: string | Buffer): Promise<unknown> | undefined {
    const written = sink.write(data)
    // It rejects as the flush does.
    if (written instanceof Promise) written.catch(() => undefined)
    const flushed = sink.flush()
    return flushed instanceof Promise ? flushed : undefined
  }

  function noteWritten(length: number, onWritten: (() => void) | undefined): void {
    pendingBytes -= length
    onWritten?.()
    if (pendingBytes === 0) listeners.drain?.()
  }

  return {
    get writableLength() {
      return pendingBytes
    },
    on: (event, listener) => (listeners[event] = listener),
    write(data, done) {
      try {
        const flushed = writeNow(data)
        if (!flushed) return done && process.nextTick(done)
        pendingBytes += data.length
        flushed.then(() => noteWritten(data.length, done), fail)
      } catch {
        process.nextTick(fail)
      }
      return undefined
    },
  }
}
