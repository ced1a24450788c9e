// Writes server-sent events to one HTTP response. If the client does not read, optional events are dropped, then the
// connection is closed. Used by the MCP endpoints and by the console.

import type { ServerResponse } from 'node:http'

import { dropSlowReader } from './connections.js'

const BACKED_UP_BYTES = 256 * 1024

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

export class EventStream {
  #isWatched = false

  constructor(
    readonly response: ServerResponse,
    /** The authenticated user. */
    readonly user: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    response.writeHead(200, { ...HEADERS, ...headers })
  }

  get isBackedUp(): boolean {
    return this.response.writableLength > BACKED_UP_BYTES
  }

  /** Sends the response headers, which Node otherwise holds back until the first event. */
  open(): void {
    this.response.flushHeaders()
  }

  /** Sends one message, with an id to resume from if there is one. */
  send(text: string, id?: string): void {
    this.#write(`event: message\n${id === undefined ? '' : `id: ${id}\n`}data: ${escapeLineBreaks(text)}\n\n`)
  }

  /** Sends an event of another type. */
  sendEvent(event: string, data: string): void {
    this.#write(`event: ${event}\ndata: ${data}\n\n`)
  }

  /** Sends an id to resume from before the first event. */
  sendInitialId(id: string, retryMs: number): void {
    this.#write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`)
  }

  /** Keeps proxies from closing the idle connection. */
  keepAlive(): void {
    this.#write(':\n\n')
  }

  end(): void {
    const { response } = this
    response.end()
    if (response.writableLength > 0) this.#watchReader()
  }

  #write(text: string): void {
    const { response } = this
    if (response.writableEnded || response.destroyed) return
    if (!response.write(text)) this.#watchReader()
  }

  #watchReader(): void {
    if (this.#isWatched) return
    this.#isWatched = true
    dropSlowReader(this.response, () => (this.#isWatched = false))
  }
}

// JSON does not escape these. They do not end an event, but Python's line readers split at them.
const LINE_BREAKS = /[\u0085\u2028\u2029]/

/** Escapes characters that some readers treat as line breaks. */
export function escapeLineBreaks(json: string): string {
  if (!LINE_BREAKS.test(json)) return json
  return json.replace(
    new RegExp(LINE_BREAKS, 'g'),
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
