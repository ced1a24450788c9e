// Serves MCP over stdin and stdout, for the program and the library; the only writer of stdout. While the client does
// not read, no input is read. At the end of input, on a signal or when the client disconnects, calls in progress get a
// grace period, then they are aborted. Loaded by main.ts of the app and by `serve` of index.ts. Handles signals; sets
// timers.

import { writeSync } from 'node:fs'

import { type Caller, createLocalCaller } from '../definitions/caller.js'
import { PARSE_ERROR } from '../errors.js'
import {
  createMalformedMessage,
  getAnswerText,
  type JsonRpcAnswer,
  type MessageSink,
  parseMessage,
  TrackedAnswer,
} from '../jsonrpc/message.js'
import { getBunApi } from '../runtime.js'
import type { McpServer } from '../server/mcp-server.js'
import { createSession, type Session } from '../session/session.js'
import { monotonicMs } from '../monotonic-time.js'
import { andThen, withTimeout } from '../promises.js'
import type { InputStream, OutputStream } from './bun-stdio.js'
import { createLineReader } from './line-reader.js'

const DEFAULT_MAX_LINE_BYTES = 16 * 1024 * 1024
const GRACE_MS = 5000
const ABORT_MS = 2500
/**
 * Killing commands takes longer on a busy machine. If the client kills this process first, the commands are killed
 * anyway.
 */
const CLOSE_MS = 15_000
const FLUSH_MS = 500
const FLUSH_AT_CHARS = 64 * 1024
const BACKED_UP_BYTES = 1024 * 1024
const MAX_PENDING_BYTES = 1024 * 1024
/** What is written before there is a stream: it takes 0.8 ms to open, and a pipe holds this much. */
const MAX_DIRECT_BYTES = 16 * 1024

/** Serves until the client disconnects or a signal arrives; resolves when every call was answered or aborted. */
export async function serveStdio(
  server: McpServer,
  maxLineBytes = DEFAULT_MAX_LINE_BYTES,
  caller: Caller = createLocalCaller(),
): Promise<void> {
  const bun = getBunApi('version') ? (await import('./bun-stdio.js')).openStdio() : undefined
  const stdout = createStdoutWriter(bun?.stdout)
  const session = createSession(server, caller, { sink: stdout })
  const signals = watchSignals()
  // An exception outside of a call must not end the other calls.
  process.on('uncaughtException', (error) => server.logError(error))
  const input = createStdinReader(session, stdout, maxLineBytes, bun ?? process)
  await Promise.race([input.ended, signals.next(), stdout.closed])
  input.stop()
  session.endSubscriptions()
  const stoppingAt = monotonicMs()
  // Clients close stdin, send a signal after two seconds and kill after two more: a signal ends the grace period.
  await withTimeout(GRACE_MS, Promise.race([session.whenIdle(), signals.next(), stdout.closed]))
  session.abort('the server is stopping')
  await Promise.all([withTimeout(ABORT_MS, session.whenIdle()), withTimeout(CLOSE_MS, server.close())])
  const remainingMs = GRACE_MS - (monotonicMs() - stoppingAt)
  await withTimeout(
    Math.max(remainingMs, FLUSH_MS),
    Promise.race([stdout.whenFlushed(), signals.next(), stdout.closed]),
  )
}

interface StdoutWriter extends MessageSink {
  readonly send: (text: string) => void
  readonly sendAnswer: (answer: JsonRpcAnswer) => void
  /** True while the client does not read. */
  isBackedUp(): boolean
  onDrain(listener: () => void): void
  whenFlushed(): Promise<void>
  /** Resolves when the client has closed its end. */
  readonly closed: Promise<void>
}

/** Without a stream, the first answers are written directly, and process.stdout is opened for the others. */
function createStdoutWriter(given: OutputStream | undefined): StdoutWriter {
  let buffer = ''
  let isFlushScheduled = false
  let isClosed = false
  let stream: OutputStream | undefined
  let directBytes = 0
  let resolveClosed: (() => void) | undefined
  const closed = new Promise<void>((resolve) => (resolveClosed = resolve))
  let onDrain: (() => void) | undefined
  if (given) openStream(given)

  function openStream(opened: OutputStream): OutputStream {
    opened.on('error', close)
    opened.on('drain', () => onDrain?.())
    return (stream = opened)
  }

  function close(): void {
    isClosed = true
    buffer = ''
    resolveClosed?.()
  }

  function write(text: string): void {
    if (stream) return void stream.write(text)
    let rest = Buffer.from(text)
    directBytes += rest.length
    try {
      if (directBytes <= MAX_DIRECT_BYTES) rest = rest.subarray(writeSync(1, rest))
    } catch {
      // The pipe is full, or the stream meets the same error and reports it.
    }
    if (rest.length > 0) openStream(process.stdout).write(rest)
  }

  function flush(): void {
    isFlushScheduled = false
    if (buffer === '' || isClosed) return
    const text = buffer
    buffer = ''
    write(text)
  }

  function send(text: string): void {
    if (isClosed) return
    buffer += text + '\n'
    if (buffer.length > FLUSH_AT_CHARS) return flush()
    if (isFlushScheduled) return
    isFlushScheduled = true
    // Runs after all lines of a chunk, or all promise continuations that are ready: their answers share one write. They
    // are joined here; with `cork` each would be a chunk of the stream.
    process.nextTick(flush)
  }

  function afterWrite(done: () => void): void {
    flush()
    if (isClosed) done()
    else if (stream) stream.write('', done)
    else process.nextTick(done)
  }

  const isBackedUp = (): boolean => stream !== undefined && stream.writableLength >= BACKED_UP_BYTES

  return {
    closed,
    send,
    sendAnswer(answer) {
      if (typeof answer === 'string') return send(answer)
      const text = getAnswerText(answer)
      if (text !== undefined) send(text)
      if (answer instanceof TrackedAnswer) afterWrite(() => answer.reportWritten(!isClosed))
    },
    onWritten: (done) => afterWrite(() => isClosed || done()),
    isBackedUp,
    notify(text) {
      if (!isBackedUp()) send(text)
    },
    onDrain: (listener) => void (onDrain = listener),
    whenFlushed() {
      return new Promise((resolve) => afterWrite(resolve))
    },
  }
}

interface StdinReader {
  /** Resolves at the end of input, when the last line was processed. */
  readonly ended: Promise<void>
  /** Stops processing, even of input that has already arrived. */
  stop(): void
}

function createStdinReader(
  session: Session,
  stdout: StdoutWriter,
  maxLineBytes: number,
  { stdin }: { readonly stdin: InputStream },
): StdinReader {
  const lines = createLineReader(maxLineBytes)
  let state: 'open' | 'ended' | 'stopped' = 'open'
  let resolveEnded: (() => void) | undefined
  const ended = new Promise<void>((resolve) => (resolveEnded = resolve))
  const resolveInputEnd = (): void => resolveEnded?.()

  function processLines(): void {
    for (;;) {
      const line = state === 'stopped' || stdout.isBackedUp() ? undefined : lines.next()
      if (line === undefined) break
      const message =
        typeof line === 'string'
          ? parseMessage(line)
          : createMalformedMessage(PARSE_ERROR, `Parse error: ${line.reason}`)
      void andThen(session.receive(message, stdout), stdout.sendAnswer)
    }
    if (state === 'ended' && !stdout.isBackedUp()) resolveInputEnd()
    // Input is kept, not lost; a little more is read, so that the end of input is detected.
    else if (lines.pendingBytes > MAX_PENDING_BYTES) stdin.pause()
  }

  stdin.on('data', (chunk: Buffer) => {
    lines.push(chunk)
    processLines()
  })
  stdin.on('end', () => {
    if (state === 'stopped') return
    lines.end()
    state = 'ended'
    processLines()
    setTimeout(resolveInputEnd, GRACE_MS)
  })
  stdin.on('error', resolveInputEnd)
  stdout.onDrain(() => {
    processLines()
    if (state === 'open' && lines.pendingBytes <= MAX_PENDING_BYTES) stdin.resume()
  })
  return {
    ended,
    stop() {
      state = 'stopped'
      stdin.pause()
    },
  }
}

function watchSignals(): { next(): Promise<void> } {
  let onSignal: (() => void) | undefined
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => onSignal?.())
  return {
    next: () =>
      new Promise((resolve) => {
        onSignal = resolve
      }),
  }
}
