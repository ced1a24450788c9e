// Keeps the event stream of the console open, for use-console.ts, and reconnects with increasing delays. A stream
// without data for 70 s counts as lost. Also parses server-sent events, for use-job-output.ts too. Sends HTTP requests
// through api.ts; sets timers.

import type { ConsoleChange } from '../view.js'
import { openEventStream, parseChange } from './api.js'

export type ConnectionState =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'lost'; readonly retryAt: number; readonly status: number; readonly cause: LossCause }

/** The server ended the stream, does not respond at all, no longer sends anything, or responded with an error. */
export type LossCause = 'ended' | 'unreachable' | 'silent' | 'refused'

interface EventHandlers {
  onChange(change: ConsoleChange): void
  onConnection(connection: ConnectionState): void
  /** Milliseconds by which the server's clock is ahead. */
  onClockOffset(ahead: number): void
  /** Whose console it is, before its first change. */
  onUser(user: string): void
  /** The server rejected the token. */
  onDenied(): void
}

export interface EventConnection {
  retry(): void
  close(): void
}

const SILENCE_MS = 70_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

export function connectEvents(token: string, handlers: EventHandlers): EventConnection {
  const closing = new AbortController()
  let attempt = new AbortController()
  let retryDelay = new AbortController()
  closing.signal.addEventListener('abort', () => {
    attempt.abort()
    retryDelay.abort()
  })

  const reconnectLoop = async (): Promise<void> => {
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      handlers.onConnection({ state: 'connecting' })
      attempt = new AbortController()
      const result = await streamEvents(token, handlers, attempt)
      if (closing.signal.aborted) return
      if (result.status === 401) return handlers.onDenied()
      if (result.events > 0) failures = 0
      const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.75 + Math.random() / 2)
      handlers.onConnection({ state: 'lost', retryAt: Date.now() + ms, status: result.status, cause: result.cause })
      retryDelay = new AbortController()
      await delay(ms, retryDelay.signal)
    }
  }
  void reconnectLoop()

  return { retry: () => retryDelay.abort(), close: () => closing.abort() }
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
    signal.addEventListener('abort', () => resolve())
  })
}

interface StreamResult {
  /** 0: no response. */
  readonly status: number
  readonly events: number
  readonly cause: LossCause
}

async function streamEvents(token: string, handlers: EventHandlers, attempt: AbortController): Promise<StreamResult> {
  // A header cannot contain other characters, so no server can accept this token.
  if (!/^[\x21-\x7e]+$/.test(token)) return { status: 401, events: 0, cause: 'refused' }
  let events = 0
  let status = 0
  let isSilent = false
  const endSilence = (): void => {
    isSilent = true
    attempt.abort()
  }
  let silenceTimer = setTimeout(endSilence, SILENCE_MS)
  try {
    const response = await openEventStream(token, attempt.signal)
    status = response.status
    if (!response.ok || response.body === null) {
      attempt.abort()
      return { status, events, cause: 'refused' }
    }
    handlers.onUser(response.headers.get('console-user') ?? '')
    handlers.onClockOffset(clockOffset(response.headers.get('date')))
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    const parser = createSseParser()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { status, events, cause: 'ended' }
      clearTimeout(silenceTimer)
      silenceTimer = setTimeout(endSilence, SILENCE_MS)
      for (const data of parser.push(value)) {
        const change = parseChange(data)
        if (change === undefined) continue
        if (events === 0) handlers.onConnection({ state: 'live' })
        events += 1
        handlers.onChange(change)
      }
    }
  } catch {
    return { status, events, cause: isSilent ? 'silent' : 'unreachable' }
  } finally {
    clearTimeout(silenceTimer)
  }
}

/** The header has a resolution of one second, so small differences are ignored. */
function clockOffset(date: string | null): number {
  const ahead = date === null ? Number.NaN : Date.parse(date) - Date.now()
  return Math.abs(ahead) > 3000 ? ahead : 0
}

interface SseParser {
  /** Returns the data of the events that this chunk completes. */
  push(chunk: string): readonly string[]
}

/**
 * Parses server-sent events from text chunks that may be split anywhere, and returns the data of complete events. Event
 * names, ids and comments are ignored.
 */
export function createSseParser(): SseParser {
  let line = ''
  let data: string[] = []
  let afterCarriageReturn = false

  const endLine = (events: string[]): void => {
    if (line === '') {
      if (data.length > 0) events.push(data.join('\n'))
      data = []
    } else if (line === 'data' || line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
    line = ''
  }

  return {
    push(chunk) {
      const events: string[] = []
      let from = 0
      for (const { 0: end, index } of chunk.matchAll(/\r\n?|\n/g)) {
        // The CR at the end of the previous chunk already ended the line.
        const isRestOfCrLf = afterCarriageReturn && index === 0 && end === '\n'
        if (!isRestOfCrLf) {
          line += chunk.slice(from, index)
          endLine(events)
        }
        from = index + end.length
      }
      if (chunk !== '') afterCarriageReturn = chunk.endsWith('\r')
      line += chunk.slice(from)
      return events
    },
  }
}
