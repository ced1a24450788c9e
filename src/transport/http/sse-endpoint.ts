// HTTP+SSE transport of 2024-11-05: GET /sse opens the stream and sends the URL for messages; POST /messages accepts
// messages, which are answered on the stream. The session lasts as long as the stream.

import { randomBytes } from 'node:crypto'

import type { Outlet } from '../../protocol/outlet.js'
import { answerText, readText, Registered } from '../../protocol/message.js'
import type { Session } from '../../protocol/session.js'
import type { EventStream } from './event-stream.js'
import type { House } from './house.js'
import { refuseBegun } from './mcp-endpoint.js'
import type { Visit } from './visit.js'

export class SseSessions {
  readonly #sessions = new Map<string, SseSession>()

  constructor(private readonly context: House) {}

  open(exchange: Visit): void {
    const { context } = this
    exchange.era = 'sse'
    const id = randomBytes(24).toString('base64url')
    exchange.session = id
    const { user } = exchange
    const stream = exchange.stream()
    const sink: Outlet = {
      send: (text) => stream.send(text),
      notify: (text) => (stream.congested ? undefined : stream.send(text)),
    }
    const session = context.converse({ user, session: id }, { revision: '2024-11-05', outlet: sink })
    this.#sessions.set(id, { user, session, stream, sink })
    context.passing.add(session)
    context.streams.add(stream)
    stream.response.on('close', () => {
      this.#sessions.delete(id)
      context.passing.delete(session)
      context.streams.delete(stream)
      session.leave('the client disconnected')
    })
    stream.sendEvent('endpoint', `${context.basePath ?? ''}/messages?sessionId=${id}`)
  }

  post(exchange: Visit, id: string, body: string): void {
    exchange.era = 'sse'
    exchange.session = id
    const sseSession = this.#sessions.get(id)
    if (sseSession?.user !== exchange.user) {
      return exchange.refuse({ status: 404, reason: 'Unknown session; open GET /sse first' }, 'session')
    }
    const { session, stream, sink } = sseSession
    const message = readText(body)
    if (message.kind === 'malformed') return exchange.json(400, message.answer.text)
    if (refuseBegun(this.context, exchange, message)) return
    if (message.kind === 'request' || message.kind === 'notification') exchange.rpcMethod = message.method
    void Promise.resolve(session.receive(message, sink)).then((answer) => {
      const text = answerText(answer)
      if (text !== undefined) stream.send(text)
      if (answer instanceof Registered) answer.settle(!stream.response.destroyed)
    })
    exchange.text(202, 'Accepted', 'text/plain')
  }

  /** Ends each stream when no answer is pending on it. */
  endSettled(): void {
    for (const { session, stream } of this.#sessions.values()) void session.settled().then(() => stream.end())
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
  readonly sink: Outlet
}
