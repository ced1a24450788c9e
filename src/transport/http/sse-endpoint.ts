// HTTP+SSE of 2024-11-05: GET /sse is the stream and says where to post; POST /messages takes messages, and their
// answers come on the stream. The session lasts as long as the stream.

import { randomBytes } from 'node:crypto'

import type { Outlet } from '../../protocol/exchange.js'
import { answerText, readText, Registered } from '../../protocol/message.js'
import type { Session } from '../../protocol/session.js'
import type { EventStream } from './event-stream.js'
import type { House } from './house.js'
import { refuseBegun } from './mcp-endpoint.js'
import type { Visit } from './visit.js'

export class SseSessions {
  readonly #sessions = new Map<string, SseSession>()

  constructor(private readonly house: House) {}

  open(visit: Visit): void {
    const { house } = this
    visit.era = 'sse'
    const id = randomBytes(24).toString('base64url')
    visit.session = id
    const { user } = visit
    const stream = visit.stream()
    const outlet: Outlet = {
      send: (text) => stream.send(text),
      notify: (text) => (stream.congested ? undefined : stream.send(text)),
    }
    const session = house.converse({ user, session: id }, { revision: '2024-11-05', outlet })
    this.#sessions.set(id, { user, session, stream, outlet })
    house.passing.add(session)
    house.streams.add(stream)
    stream.response.on('close', () => {
      this.#sessions.delete(id)
      house.passing.delete(session)
      house.streams.delete(stream)
      session.leave('the client is gone')
    })
    stream.sendEvent('endpoint', `${house.basePath ?? ''}/messages?sessionId=${id}`)
  }

  post(visit: Visit, id: string, body: string): void {
    visit.era = 'sse'
    visit.session = id
    const found = this.#sessions.get(id)
    if (found?.user !== visit.user) {
      return visit.refuse({ status: 404, reason: 'There is no such session; open GET /sse first' }, 'session')
    }
    const { session, stream, outlet } = found
    const message = readText(body)
    if (message.kind === 'malformed') return visit.json(400, message.answer.text)
    if (refuseBegun(this.house, visit, message)) return
    if (message.kind === 'request' || message.kind === 'notification') visit.rpcMethod = message.method
    void Promise.resolve(session.receive(message, outlet)).then((answer) => {
      const text = answerText(answer)
      if (text !== undefined) stream.send(text)
      if (answer instanceof Registered) answer.settle(!stream.response.destroyed)
    })
    visit.text(202, 'Accepted', 'text/plain')
  }

  /** Ends each stream as soon as nothing is due on it. */
  endSettled(): void {
    for (const { session, stream } of this.#sessions.values()) void session.settled().then(() => stream.end())
  }

  /** Ends the streams; their clients open new ones elsewhere. */
  close(): void {
    for (const { stream } of this.#sessions.values()) stream.end()
  }
}

interface SseSession {
  readonly user: string
  readonly session: Session
  readonly stream: EventStream
  readonly outlet: Outlet
}
