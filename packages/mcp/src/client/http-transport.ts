// Exchanges messages with a server over Streamable HTTP: sessions and streams that can be resumed up to 2025-11-25,
// independent requests since 2026-07-28. No redirect is followed, so that the headers of the author reach no other
// address. Used by mount/. Opens connections; sets timers.

import type { IncomingMessage } from 'node:http'

import { errorMessage, Failure } from '../errors.js'
import { isJsonObject, tryParseJson } from '../json/json.js'
import { RequestError } from '../memory/memory-client.js'
import { MODERN_REVISION, type Revision } from '../revisions/revision.js'
import type { ClientTransport, OpenTransport, OutgoingMessage, TransportEvents } from './client-transport.js'
import { readEvents } from './event-reader.js'
import { readBoundedBody, readChunks, sendHttpRequest } from './http-request.js'

const ACCEPT = 'application/json, text/event-stream'
const MAX_ERROR_BYTES = 64 * 1024
const MAX_RESUMPTIONS = 10
const MIN_RETRY_MS = 1000
const MAX_RETRY_MS = 60_000
const CLOSE_MS = 2000

export interface HttpTransportOptions {
  readonly url: URL
  /** Called for each request, so that tokens can be renewed. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>
  /** Maximum size of a message. */
  readonly maxBytes: number
}

/** The server answered with a status that has no message of the protocol. */
export class HttpStatusFailure extends Failure {
  constructor(readonly status: number) {
    super(describeStatus(status))
  }
}

/** The request was not handled, because its session does not exist any more. A new connection begins a new one. */
export class SessionEnded extends Failure {}

export function openHttpTransport(options: HttpTransportOptions): OpenTransport {
  return (events) => new HttpTransport(options, events)
}

class HttpTransport implements ClientTransport {
  revision: Revision | undefined
  #sessionId: string | undefined
  #isClosed = false
  readonly #closing = new AbortController()

  constructor(
    private readonly options: HttpTransportOptions,
    private readonly events: TransportEvents,
  ) {}

  get cancelsByAbort(): boolean {
    return this.revision === MODERN_REVISION
  }

  async send(message: OutgoingMessage, signal: AbortSignal): Promise<boolean> {
    if (this.#isClosed) throw new Failure('was closed')
    const headers = { accept: ACCEPT, 'content-type': 'application/json', ...message.headers }
    const response = await this.#request('POST', headers, { body: message.text, signal })
    if (message.method === 'initialize') this.#sessionId = readHeader(response, 'mcp-session-id')
    const lastEvent = await this.#readMessages(response, message.id)
    if (message.id !== undefined && lastEvent) await this.#resume(message.id, lastEvent, signal)
    return true
  }

  /** Reads notifications from a stream of their own, for as long as the connection is open. */
  listen(): void {
    if (this.revision !== MODERN_REVISION) void this.#readNotifications()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#closing.abort()
    this.events.onClose('was closed')
    if (this.#sessionId === undefined) return
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), CLOSE_MS)
    // A server need not allow that its sessions are ended.
    await this.#request('DELETE', {}, { signal: limit.signal }).then(
      (response) => response.destroy(),
      () => {},
    )
    clearTimeout(timer)
  }

  async #request(
    method: string,
    headers: Readonly<Record<string, string>>,
    { body, signal }: { readonly body?: string; readonly signal: AbortSignal },
  ): Promise<IncomingMessage> {
    const { url } = this.options
    const own = {
      ...(this.revision !== undefined && this.revision >= '2025-06-18' && { 'mcp-protocol-version': this.revision }),
      ...(this.#sessionId !== undefined && { 'mcp-session-id': this.#sessionId }),
    }
    const given = await this.options.headers()
    let response: IncomingMessage
    try {
      response = await sendHttpRequest({ url, method, headers: { ...given, ...headers, ...own }, body, signal })
    } catch (error) {
      signal.throwIfAborted()
      throw new Failure(`cannot be reached: ${errorMessage(error)}`, { cause: error })
    }
    const { statusCode = 0 } = response
    if (statusCode >= 200 && statusCode < 300) return response
    throw await this.#toFailure(response, statusCode)
  }

  /** An error of the protocol is in the body, of any status. */
  async #toFailure(response: IncomingMessage, status: number): Promise<Failure> {
    const { bytes } = await readBoundedBody(response, MAX_ERROR_BYTES).catch(() => ({ bytes: Buffer.alloc(0) }))
    const body = tryParseJson(bytes.toString())
    if (status === 404 && this.#sessionId !== undefined) return this.#loseSession()
    const isRefused = status === 401 || status === 403
    if (isRefused || !isJsonObject(body) || !isJsonObject(body.error)) return new HttpStatusFailure(status)
    const { code, message, data } = body.error
    return new RequestError(String(message), Number(code), data)
  }

  #loseSession(): Failure {
    this.#isClosed = true
    this.#closing.abort()
    // After the request that was refused has failed with a reason of its own.
    setImmediate(() => this.events.onClose('has ended the session'))
    return new SessionEnded('has ended the session')
  }

  /** Returns the last event of a stream that ended before the answer and can be resumed. */
  async #readMessages(response: IncomingMessage, id: number | undefined): Promise<LastEvent | undefined> {
    const { maxBytes } = this.options
    const type = readHeader(response, 'content-type') ?? ''
    if (!type.startsWith('text/event-stream')) {
      const { bytes, isCut } = await readBoundedBody(response, maxBytes)
      if (isCut) throw new Failure(`sent a message of more than ${maxBytes} bytes`)
      if (bytes.length > 0 && response.statusCode !== 202) this.events.onMessage(bytes.toString(), id)
      return undefined
    }
    let last: LastEvent | undefined
    try {
      for await (const { data, id: eventId, retryMs } of readEvents(readChunks(response), maxBytes)) {
        if (eventId !== undefined) last = { id: eventId, retryMs: retryMs ?? last?.retryMs }
        if (data !== '') this.events.onMessage(data, id)
        if (id !== undefined && !this.events.isPending(id)) return undefined
      }
    } catch (error) {
      if (error instanceof Failure || last === undefined) throw error
    }
    return last
  }

  async #resume(id: number, lastEvent: LastEvent, signal: AbortSignal): Promise<void> {
    let last: LastEvent | undefined = lastEvent
    for (let attempt = 0; last && attempt < MAX_RESUMPTIONS && this.events.isPending(id); attempt++) {
      await pause(Math.min(last.retryMs ?? MIN_RETRY_MS, MAX_RETRY_MS), signal)
      const headers: Record<string, string> = { accept: 'text/event-stream', 'last-event-id': last.id }
      last = (await this.#readMessages(await this.#request('GET', headers, { signal }), id)) ?? last
    }
  }

  async #readNotifications(): Promise<void> {
    const { signal } = this.#closing
    let delayMs = MIN_RETRY_MS
    let last: LastEvent | undefined
    while (!signal.aborted) {
      try {
        const headers = { accept: 'text/event-stream', ...(last && { 'last-event-id': last.id }) }
        const response = await this.#request('GET', headers, { signal })
        delayMs = MIN_RETRY_MS
        last = (await this.#readMessages(response, undefined)) ?? last
      } catch (error) {
        // The server has no such stream.
        if (error instanceof HttpStatusFailure || error instanceof RequestError) return
      }
      await pause(delayMs, signal)
      delayMs = Math.min(delayMs * 2, MAX_RETRY_MS)
    }
  }
}

interface LastEvent {
  readonly id: string
  readonly retryMs: number | undefined
}

function readHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

function describeStatus(status: number): string {
  if (status === 401 || status === 403) return `refused the credentials: HTTP ${status}`
  if (status >= 300 && status < 400) return `redirects to another address, which is not followed: HTTP ${status}`
  return `answered with HTTP ${status}`
}

/** Does not keep the process running; resolves early if the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    timer.unref()
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
