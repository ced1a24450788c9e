// Sends one request to the machine that owns the user's workspace, and its response back: events as they come, with
// back pressure, and a client that disconnects is disconnected there too. Says whether the request may be sent again.
// Used by machine-placement.ts. Sends an HTTP request, writes the response, and sets a connect timeout.

import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'

import { INTERNAL_ERROR } from '@scorpiox/mcp/errors'
import type { HttpExchange } from '@scorpiox/mcp/http/http-exchange'
import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import type { OtherMachine } from '@scorpiox/server/machines/membership'
import { FORWARD_HEADER } from './forward-signature.js'
import type { PeerClient } from './peer-client.js'

/** In a response of a machine that has done nothing, because it does not own the workspace. */
export const MOVED_HEADER = 'x-scorpiox-moved'

const CONNECT_MS = 2000
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
  FORWARD_HEADER,
])

/** `retry`: nothing was done there, and nothing was answered here. */
export type ForwardOutcome = 'answered' | 'retry'

export interface ForwardedMessage {
  readonly exchange: HttpExchange
  /** The whole body; undefined for none. */
  readonly body: string | undefined
  readonly machine: OtherMachine
  /** The value of the header that proves the hop. */
  readonly signature: string
}

export interface RunningForward {
  readonly outcome: Promise<ForwardOutcome>
  /** A stream without an end, on which no call is answered. */
  readonly isStanding: boolean
  /** The lease of that machine is out: it will not answer any more. */
  abandon(): void
}

export function forwardToMachine(peers: PeerClient, message: ForwardedMessage): RunningForward {
  const attempt = new ForwardAttempt(peers, message)
  const { request } = message.exchange
  // The stream of 2024-11-05 has the answers to calls: its owner ends it when there are none.
  const isIdle = isStanding(request) && !isSseStream(request)
  return { outcome: attempt.outcome, isStanding: isIdle, abandon: () => attempt.abandon() }
}

/** Whether a request opens a stream without an end. A wrong header of a client only ends its own stream early. */
export function isStanding({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' || headers['mcp-method'] === 'subscriptions/listen'
}

function isSseStream({ url = '' }: IncomingMessage): boolean {
  return /^\/sse(?:\?|$)/.test(url)
}

/** Headers of the client for the other machine, without those of its connection. */
export function withoutHopHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name)))
}

class ForwardAttempt {
  readonly outcome: Promise<ForwardOutcome>
  readonly #request: ClientRequest
  readonly #connectTimer: NodeJS.Timeout
  #resolve: (outcome: ForwardOutcome) => void = () => {}
  /** Whether that machine may have acted on it. */
  #mayHaveActed = false
  #isAnswering = false
  #isSettled = false
  #isBodySent = false

  constructor(
    peers: PeerClient,
    private readonly message: ForwardedMessage,
  ) {
    this.outcome = new Promise((resolve) => (this.#resolve = resolve))
    const { exchange, body, machine, signature } = message
    const { method = 'GET', url = '/', headers } = exchange.request
    const bytes = body === undefined ? undefined : Buffer.from(body)
    this.#request = peers.open(machine, {
      method,
      path: url,
      headers: {
        ...withoutHopHeaders(headers),
        [FORWARD_HEADER]: signature,
        // That machine may be gone: the body is sent when it asks for it, and nothing is done without the body.
        ...(bytes && { 'content-length': bytes.length, expect: '100-continue' }),
      },
    })
    this.#connectTimer = setTimeout(() => this.#request.destroy(new Error('no connection')), CONNECT_MS)
    this.#listen()
    if (bytes) this.#request.once('continue', () => this.#send(bytes)).flushHeaders()
    else {
      this.#whenConnected(() => (this.#mayHaveActed = method !== 'GET'))
      this.#isBodySent = true
      this.#request.end()
    }
    this.#whenConnected(() => clearTimeout(this.#connectTimer))
  }

  abandon(): void {
    const { exchange } = this.message
    // Ended, not broken: the client opens it again.
    if (this.#isAnswering && isStanding(exchange.request)) this.#endStream()
    this.#request.destroy(new Error('the machine is gone'))
  }

  #send(body: Buffer): void {
    this.#mayHaveActed = true
    this.#isBodySent = true
    this.#request.end(body)
  }

  #finish(outcome: ForwardOutcome): void {
    this.#isSettled = true
    this.#resolve(outcome)
  }

  #listen(): void {
    const { response } = this.message.exchange
    const onClientClose = (): void => {
      if (!response.writableFinished) this.#request.destroy()
    }
    response.once('close', onClientClose)
    this.#request.on('response', (answer) => this.#handleAnswer(answer))
    this.#request.on('error', () => this.#handleError())
    this.#request.on('close', () => {
      clearTimeout(this.#connectTimer)
      response.off('close', onClientClose)
      this.#handleError()
    })
  }

  #whenConnected(action: () => void): void {
    this.#request.once('socket', (socket) => {
      if (!socket.connecting) action()
      else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', action)
    })
  }

  #handleAnswer(answer: IncomingMessage): void {
    const { exchange } = this.message
    // Without its body the request cannot end, so the connection cannot be used again.
    answer.once('end', () => this.#isBodySent || this.#request.destroy())
    if (answer.statusCode === 421 && answer.headers[MOVED_HEADER] !== undefined) {
      answer.resume()
      return this.#finish('retry')
    }
    this.#isAnswering = true
    const { response } = exchange
    const status = answer.statusCode ?? 502
    let bytes = 0
    const length = answer.headers['content-length']
    response.writeHead(status, {
      ...withoutHopHeaders(answer.headers),
      ...(length !== undefined && { 'content-length': length }),
    })
    response.flushHeaders()
    response.on('close', () => {
      exchange.recordAnswer(status, bytes)
      this.#finish('answered')
    })
    response.on('drain', () => answer.resume())
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (!response.write(chunk)) answer.pause()
    })
    answer.on('end', () => response.end())
    answer.on('error', () => {})
    answer.on('close', () => answer.complete || this.#breakAnswer(answer))
  }

  /** Before the answer: nothing was sent, or it is not known what was done. */
  #handleError(): void {
    if (this.#isAnswering || this.#isSettled) return
    const { exchange, body, machine } = this.message
    if (exchange.response.destroyed) {
      exchange.clientClosed()
      return this.#finish('answered')
    }
    if (!this.#mayHaveActed) return this.#finish('retry')
    this.#isAnswering = true
    exchange.json(502, formatUnknownOutcome(body, machine.name))
    this.#finish('answered')
  }

  #breakAnswer({ headers }: IncomingMessage): void {
    const { response } = this.message.exchange
    if (response.writableEnded || response.destroyed) return
    if (headers['content-type'] === 'text/event-stream') this.#endStream()
    else response.destroy()
  }

  /** With the errors of the calls that it carried; where they are not known, with a message that every client can log. */
  #endStream(): void {
    const { body, exchange, machine } = this.message
    const { request, response } = exchange
    if (isStanding(request) && !isSseStream(request)) return void response.end()
    const text = body === undefined ? formatBrokenStream(machine.name) : formatUnknownOutcome(body, machine.name)
    // An event that has arrived in part ends before it.
    response.end(`\n\nevent: message\ndata: ${text}\n\n`)
  }
}

function describeBreak(name: string): string {
  return `The connection to the machine ${name} broke, and it is not known whether it was done: check before repeating it`
}

function formatBrokenStream(name: string): string {
  const params = { level: 'error', logger: 'machines', data: describeBreak(name) }
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params })
}

/** The errors for the requests in a body. */
function formatUnknownOutcome(body: string | undefined, name: string): string {
  const message = describeBreak(name)
  const sent = body === undefined ? undefined : tryParseJson(body)
  const errors = (Array.isArray(sent) ? sent : [sent]).map((request: unknown) => {
    const id = isJsonObject(request) ? request.id : undefined
    const isId = typeof id === 'string' || typeof id === 'number'
    return { jsonrpc: '2.0', id: isId ? id : null, error: { code: INTERNAL_ERROR, message } }
  })
  return JSON.stringify(Array.isArray(sent) ? errors : errors[0])
}
