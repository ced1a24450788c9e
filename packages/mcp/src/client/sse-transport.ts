// Exchanges messages with a server of revision 2024-11-05 over HTTP: one stream of events carries all its messages, and
// its first event names the address for ours. Used by mount/ if a server knows no other transport. Opens connections.

import { errorMessage, Failure } from '../errors.js'
import type { ClientTransport, OpenTransport, OutgoingMessage, TransportEvents } from './client-transport.js'
import { readEvents } from './event-reader.js'
import { readChunks, sendHttpRequest } from './http-request.js'
import { type HttpTransportOptions, HttpStatusFailure } from './http-transport.js'

export function openSseTransport(options: HttpTransportOptions): OpenTransport {
  return (events) => new SseTransport(options, events)
}

class SseTransport implements ClientTransport {
  revision = undefined
  readonly cancelsByAbort = false
  readonly #closing = new AbortController()
  readonly #address: Promise<URL>
  #isClosed = false
  #resolveAddress: (address: URL) => void = () => {}
  #rejectAddress: (error: unknown) => void = () => {}

  constructor(
    private readonly options: HttpTransportOptions,
    private readonly events: TransportEvents,
  ) {
    this.#address = new Promise((resolve, reject) => {
      this.#resolveAddress = resolve
      this.#rejectAddress = reject
    })
    // Reported by what is sent.
    this.#address.catch(() => {})
    void this.#readStream()
  }

  async send({ text }: OutgoingMessage, signal: AbortSignal): Promise<boolean> {
    if (this.#isClosed) throw new Failure('was closed')
    const url = await this.#address
    const headers = { ...(await this.options.headers()), 'content-type': 'application/json' }
    const response = await sendHttpRequest({ url, method: 'POST', headers, body: text, signal })
    response.destroy()
    const { statusCode = 0 } = response
    if (statusCode < 200 || statusCode >= 300) throw new HttpStatusFailure(statusCode)
    return false
  }

  async close(): Promise<void> {
    this.#end('was closed')
  }

  async #readStream(): Promise<void> {
    const { url, maxBytes } = this.options
    const { signal } = this.#closing
    try {
      const headers = { ...(await this.options.headers()), accept: 'text/event-stream' }
      const response = await sendHttpRequest({ url, method: 'GET', headers, signal })
      const { statusCode = 0 } = response
      if (statusCode !== 200) throw new HttpStatusFailure(statusCode)
      for await (const { type, data } of readEvents(readChunks(response), maxBytes)) {
        if (type === 'endpoint') this.#resolveAddress(this.#readAddress(data))
        else if (data !== '') this.events.onMessage(data, undefined)
      }
      this.#end('has closed its stream')
    } catch (error) {
      this.#end(error instanceof Failure ? error.message : `broke off: ${errorMessage(error)}`)
    }
  }

  /** The headers of the author must reach no other server. */
  #readAddress(text: string): URL {
    const address = new URL(text, this.options.url)
    if (address.origin === this.options.url.origin) return address
    throw new Failure('names an address of another server for its messages')
  }

  #end(reason: string): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#closing.abort()
    this.#rejectAddress(new Failure(reason))
    this.events.onClose(reason)
  }
}
