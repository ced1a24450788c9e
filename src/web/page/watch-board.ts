// Keeps an event stream open and reconnects with increasing delays. A stream without data for 70 s counts as lost.

import type { BoardChange } from '../../services/board/view.js'
import { createEventReader } from './event-stream.js'
import { openStream, readChange } from './server.js'

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'lost'; readonly retryAt: number; readonly status: number }

export interface Watcher {
  change(change: BoardChange): void
  connection(connection: Connection): void
  /** Milliseconds by which the server's clock is ahead. */
  clock(ahead: number): void
  /** The server rejected the token. */
  denied(): void
}

export interface Watch {
  retry(): void
  close(): void
}

const SILENCE_MS = 70_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

export function watchBoard(token: string, watcher: Watcher): Watch {
  const closing = new AbortController()
  let pause = new AbortController()

  const keepOn = async (): Promise<void> => {
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      watcher.connection({ state: 'connecting' })
      const heard = await follow(token, watcher, closing.signal)
      if (closing.signal.aborted) return
      if (heard.status === 401) return watcher.denied()
      if (heard.events > 0) failures = 0
      const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.75 + Math.random() / 2)
      watcher.connection({ state: 'lost', retryAt: Date.now() + ms, status: heard.status })
      pause = new AbortController()
      await paused(ms, AbortSignal.any([pause.signal, closing.signal]))
    }
  }
  void keepOn()

  return { retry: () => pause.abort(), close: () => closing.abort() }
}

function paused(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
    signal.addEventListener('abort', () => resolve())
  })
}

interface Heard {
  /** 0: no response. */
  readonly status: number
  readonly events: number
}

async function follow(token: string, watcher: Watcher, closing: AbortSignal): Promise<Heard> {
  // A header cannot contain other characters, so no server can accept this token.
  if (!/^[\x21-\x7e]+$/.test(token)) return { status: 401, events: 0 }
  const attempt = new AbortController()
  let events = 0
  let status = 0
  let silence = setTimeout(() => attempt.abort(), SILENCE_MS)
  try {
    const response = await openStream(token, AbortSignal.any([attempt.signal, closing]))
    status = response.status
    if (!response.ok || response.body === null) {
      attempt.abort()
      return { status, events }
    }
    watcher.clock(aheadOf(response.headers.get('date')))
    const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader()
    const reader = createEventReader()
    for (;;) {
      const { done, value } = await pieces.read()
      if (done) return { status, events }
      clearTimeout(silence)
      silence = setTimeout(() => attempt.abort(), SILENCE_MS)
      for (const data of reader.read(value)) {
        const change = readChange(data)
        if (change === undefined) continue
        if (events === 0) watcher.connection({ state: 'live' })
        events += 1
        watcher.change(change)
      }
    }
  } catch {
    return { status, events }
  } finally {
    clearTimeout(silence)
  }
}

/** The header has a resolution of one second, so small differences are ignored. */
function aheadOf(date: string | null): number {
  const ahead = date === null ? Number.NaN : Date.parse(date) - Date.now()
  return Math.abs(ahead) > 3000 ? ahead : 0
}
