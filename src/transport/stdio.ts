// Lines ⇄ messages over this process's standard streams; the only owner of stdout. When the client stops reading,
// reading stops too. The end of input, a signal or a lost client all end it the same way: calls in flight get a
// grace to finish and answer, then their work is stopped.

import type { Writable } from 'node:stream'

import { bunVersion } from '../platform/bun.js'
import type { Outlet, Peer } from '../protocol/exchange.js'
import {
  answerText,
  malformed,
  readText,
  Registered,
  type Answer,
  type Batch,
  type Message,
} from '../protocol/message.js'
import { PARSE_ERROR } from '../protocol/protocol-error.js'
import type { Server } from '../protocol/server.js'
import { createSession, type Session } from '../protocol/session.js'
import { createLines } from './lines.js'
import { localPeer } from './local-peer.js'

const DEFAULT_MAX_LINE_BYTES = 16 * 1024 * 1024
const GRACE_MS = 5000
const STOP_MS = 2500
/** On a busy machine commands take longer to end. A client that does not wait kills this process; they are ended all the same. */
const CLOSE_MS = 15_000
const FLUSH_MS = 500
const FLUSH_AT = 64 * 1024
const CONGESTED_AT = 1024 * 1024
const PENDING_AT = 1024 * 1024

/** Serves until the client goes or a signal comes; resolves when everything is answered or stopped. */
export async function serveStdio(
  server: Server,
  maxLineBytes = DEFAULT_MAX_LINE_BYTES,
  peer: Peer = localPeer(),
): Promise<void> {
  const isBun = bunVersion() !== undefined
  const out = openOutput(isBun ? (await import('./unbuffered-stdout.js')).openUnbuffered() : process.stdout)
  const session = createSession(server, peer, { outlet: out })
  const signals = watchSignals()
  // What a tool throws outside of its call must not take the other calls with it.
  process.on('uncaughtException', (error) => server.logError(error))
  const input = openInput(session, out, maxLineBytes)
  await Promise.race([input.ended, signals.next(), out.gone])
  input.stop()
  session.endListening()
  const stoppingAt = performance.now()
  // Clients close stdin, signal two seconds later and kill two seconds after that: a signal ends the grace.
  await within(GRACE_MS, Promise.race([session.settled(), signals.next(), out.gone]))
  session.abort('the server is stopping')
  await Promise.all([within(STOP_MS, session.settled()), within(CLOSE_MS, server.close())])
  const left = GRACE_MS - (performance.now() - stoppingAt)
  await within(Math.max(left, FLUSH_MS), Promise.race([out.flushed(), signals.next(), out.gone]))
}

interface Output extends Outlet {
  readonly send: (text: string) => void
  readonly give: (answer: Answer) => void
  /** True while the client does not read. */
  congested(): boolean
  /** While held, messages are gathered; they leave in one write when it is released. */
  hold(): void
  release(): void
  onDrain(listener: () => void): void
  flushed(): Promise<void>
  /** Resolves when the client has closed its end. */
  readonly gone: Promise<void>
}

function openOutput(stdout: Writable): Output {
  let buffer = ''
  let held = false
  let scheduled = false
  let lost = false
  const gone = new Promise<void>((resolve) => {
    stdout.on('error', () => {
      lost = true
      buffer = ''
      resolve()
    })
  })

  function flush(): void {
    scheduled = false
    if (buffer === '' || lost) return
    const text = buffer
    buffer = ''
    stdout.write(text)
  }

  function send(text: string): void {
    if (lost) return
    buffer += text + '\n'
    if (buffer.length > FLUSH_AT) return flush()
    if (held || scheduled) return
    scheduled = true
    // From a promise's continuation this runs after all others that are ready, so their answers share a write.
    process.nextTick(flush)
  }

  function settled(done: () => void): void {
    flush()
    if (lost) done()
    else stdout.write('', () => done())
  }

  const congested = (): boolean => stdout.writableLength >= CONGESTED_AT

  return {
    gone,
    send,
    give(answer) {
      const text = answerText(answer)
      if (text !== undefined) send(text)
      if (answer instanceof Registered) settled(() => answer.settle(!lost))
    },
    written: (done) => settled(() => lost || done()),
    congested,
    notify(text) {
      if (!congested()) send(text)
    },
    hold() {
      held = true
    },
    release() {
      held = false
      flush()
    },
    onDrain: (listener) => stdout.on('drain', listener),
    flushed() {
      flush()
      return lost ? Promise.resolve() : new Promise((resolve) => stdout.write('', () => resolve()))
    },
  }
}

interface Input {
  /** Resolves at the end of input, when its last line has been taken. */
  readonly ended: Promise<void>
  /** Takes nothing more, whatever has come already. */
  stop(): void
}

function openInput(session: Session, out: Output, maxLineBytes: number): Input {
  const { stdin } = process
  const lines = createLines(maxLineBytes)
  let state: 'open' | 'ended' | 'stopped' = 'open'
  let resolveEnded: (() => void) | undefined
  const ended = new Promise<void>((resolve) => (resolveEnded = resolve))
  const finish = (): void => resolveEnded?.()
  const mayTake = (): boolean => state !== 'stopped' && !out.congested()

  function take(message: Message | Batch): void {
    const due = session.receive(message, out)
    if (due instanceof Promise) void due.then(out.give)
    else out.give(due)
  }

  function pump(): void {
    out.hold()
    try {
      while (mayTake()) {
        const line = lines.next()
        if (line === undefined) break
        take(typeof line === 'string' ? readText(line) : malformed(PARSE_ERROR, `Parse error: ${line.reason}`))
      }
    } finally {
      out.release()
    }
    if (state === 'ended' && !out.congested()) finish()
    // What has come is held back, not lost; a little more is let in, so that the end of input is seen.
    else if (lines.pending() > PENDING_AT) stdin.pause()
  }

  stdin.on('data', (chunk: Buffer) => {
    lines.push(chunk)
    pump()
  })
  stdin.on('end', () => {
    if (state === 'stopped') return
    lines.end()
    state = 'ended'
    pump()
    setTimeout(finish, GRACE_MS)
  })
  stdin.on('error', finish)
  out.onDrain(() => {
    pump()
    if (state === 'open' && lines.pending() <= PENDING_AT) stdin.resume()
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
  let wake: (() => void) | undefined
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => wake?.())
  return {
    next: () =>
      new Promise((resolve) => {
        wake = resolve
      }),
  }
}

function within(ms: number, work: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return Promise.race([work, limit]).finally(() => clearTimeout(timer))
}
