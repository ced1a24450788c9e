// Server-sent events on one HTTP response. A client that does not read is first spared what may be left out, then let go.

import type { ServerResponse } from 'node:http'

import { waitForReader } from './patience.js'

const CONGESTED_AT = 256 * 1024

const HEAD = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

export class EventStream {
  #waiting = false

  constructor(
    readonly response: ServerResponse,
    /** Whose it is. */
    readonly user: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    response.writeHead(200, { ...HEAD, ...headers })
  }

  get congested(): boolean {
    return this.response.writableLength > CONGESTED_AT
  }

  /** Tells the client that it is open, where there is nothing to say yet: Node keeps the head back until then. */
  open(): void {
    this.response.flushHeaders()
  }

  /** One message, with the id to resume from where there is one. */
  send(text: string, id?: string): void {
    this.#write(`event: message\n${id === undefined ? '' : `id: ${id}\n`}data: ${oneLine(text)}\n\n`)
  }

  /** An event of another kind. */
  sendEvent(event: string, data: string): void {
    this.#write(`event: ${event}\ndata: ${data}\n\n`)
  }

  /** Gives the client an id to come back with before there is anything to say. */
  prime(id: string, retryMs: number): void {
    this.#write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`)
  }

  /** Keeps those between us and the client from thinking that the line is dead. */
  keepAlive(): void {
    this.#write(':\n\n')
  }

  end(): void {
    const { response } = this
    response.end()
    if (response.writableLength > 0) this.#wait()
  }

  #write(text: string): void {
    const { response } = this
    if (response.writableEnded || response.destroyed) return
    if (!response.write(text)) this.#wait()
  }

  #wait(): void {
    if (this.#waiting) return
    this.#waiting = true
    waitForReader(this.response, () => (this.#waiting = false))
  }
}

// JSON leaves these as they are, and an event does not end at them; but Python's readers of lines do.
const BREAKS = /[\u0085\u2028\u2029]/

/** JSON that is one line to everybody. */
export function oneLine(json: string): string {
  if (!BREAKS.test(json)) return json
  return json.replace(new RegExp(BREAKS, 'g'), (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
