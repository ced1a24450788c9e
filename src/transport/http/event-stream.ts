// Server-sent events on one HTTP response. A client that does not read is first spared what may be left out, then, if
// it still does not read after a while, let go: a server must not keep what nobody fetches.

import type { ServerResponse } from 'node:http'

const CONGESTED_AT = 256 * 1024
const PATIENCE_MS = 12_000

const HEAD = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

export class EventStream {
  #patience: NodeJS.Timeout | undefined
  #spoke = false

  constructor(
    readonly response: ServerResponse,
    headers: Readonly<Record<string, string>> = {},
  ) {
    response.writeHead(200, { ...HEAD, ...headers })
  }

  get congested(): boolean {
    return this.response.writableLength > CONGESTED_AT
  }

  /** One message, with the id to resume from where there is one. */
  send(text: string, id?: string): void {
    this.#write(`event: message\n${id === undefined ? '' : `id: ${id}\n`}data: ${text}\n\n`)
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

  /** Says that the stream is there, where nothing else has said it yet. */
  open(): void {
    if (!this.#spoke) this.keepAlive()
  }

  end(): void {
    clearTimeout(this.#patience)
    this.response.end()
  }

  #write(text: string): void {
    const { response } = this
    if (response.writableEnded || response.destroyed) return
    this.#spoke = true
    if (response.write(text) || this.#patience) return
    this.#patience = setTimeout(() => response.destroy(), PATIENCE_MS)
    response.once('drain', () => {
      clearTimeout(this.#patience)
      this.#patience = undefined
    })
    response.once('close', () => clearTimeout(this.#patience))
  }
}
