// Handles the HTTP+SSE transport of 2024-11-05: GET /sse opens the stream and sends the URL for messages; POST
// /messages accepts messages, which are answered on the stream. The session lasts as long as the stream. Called by
// router.ts, created by http-server.ts. Writes HTTP responses.

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

import { deliverAnswer, type MessageSink, parseMessage } from '../jsonrpc/message.js'
import type { Session } from '../session/session.js'
import type { EventStream } from './event-stream.js'
import type { HttpContext } from './http-context.js'
import type { HttpExchange } from './http-exchange.js'
import { refuseNewWork } from './mcp-endpoint.js'
import { refuseScope } from './refuse-scope.js'

export class SseSessions {
  readonly #sessions = new Map<string, SseSession>()

  constructor(private readonly context: HttpContext) {}

  open(exchange: HttpExchange): void {
    const { context } = this
    exchange.protocol = 'sse'
    const id = randomBytes(24).toString('base64url')
    exchange.session = id
    const { user, server } = exchange
    const stream = exchange.stream()
    const sink: MessageSink = {
      send: (text) => stream.send(text),
      notify: (text) => (stream.isBackedUp ? undefined : stream.send(text)),
    }
    const session = context.createSession({ user, session: id }, { server, revision: '2024-11-05', sink })
    this.#sessions.set(id, { user, session, stream, sink })
    context.transientSessions.add(session)
    context.streams.add(stream)
    stream.response.on('close', () => {
      this.#sessions.delete(id)
      context.transientSessions.delete(session)
      context.streams.delete(stream)
      session.disconnect('the client disconnected')
    })
    stream.sendEvent('endpoint', `${context.basePath ?? ''}/messages?sessionId=${id}`)
  }

  post(exchange: HttpExchange, id: string, body: string, values?: number): void {
    exchange.protocol = 'sse'
    exchange.session = id
    const sseSession = this.#sessions.get(id)
    if (sseSession?.user !== exchange.user) {
      return exchange.refuse({ status: 404, reason: 'Unknown session; open GET /sse first' }, 'session')
    }
    const { session, stream, sink } = sseSession
    const message = parseMessage(body, values)
    if (message.kind === 'malformed') return exchange.json(400, message.answer.text)
    if (refuseNewWork(this.context, exchange, message) || refuseScope(this.context, exchange, message)) return
    if (message.kind === 'request' || message.kind === 'notification') exchange.rpcMethod = message.method
    const pendingAnswer = Promise.resolve(session.receive(message, sink, exchange.auth))
    exchange.holdMemoryUntil(pendingAnswer)
    void pendingAnswer.then((answer) =>
      deliverAnswer(
        answer,
        (text) => stream.send(text),
        () => !stream.response.destroyed,
      ),
    )
    exchange.text(202, 'Accepted', 'text/plain')
  }

  /** Ends the streams whose request fits and on which no answer is pending. */
  endIfIdle(fits: (request: IncomingMessage) => boolean): void {
    for (const [id, { session, stream }] of this.#sessions) {
      if (session.isBusy || !fits(stream.response.req)) continue
      // At once: a message that is accepted before the connection has closed could not be answered.
      this.#sessions.delete(id)
      stream.end()
    }
  }

  /** Ends each stream when no answer is pending on it. */
  endIdle(): void {
    for (const { session, stream } of this.#sessions.values()) void session.whenIdle().then(() => stream.end())
  }

  /** Ends all streams. */
  close(): void {
    for (const { stream } of this.#sessions.values()) stream.end()
  }
}

interface SseSession {
  readonly user: string
  readonly session: Session
  readonly stream: EventStream
  readonly sink: MessageSink
}
