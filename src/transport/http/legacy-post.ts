// POST /mcp on legacy revisions. In a session, long calls are answered on a resumable stream, and a broken connection
// cancels nothing. Without a session, a call ends with its connection.

import type { Outlet } from '../../protocol/outlet.js'
import { answerText, type Batch, type Message, type Request } from '../../protocol/message.js'
import type { LegacyRevision } from '../../protocol/revision.js'
import type { House } from './house.js'
import type { LegacySession } from './legacy-sessions.js'
import { LiveAnswer } from './live-answer.js'
import { settleWith } from './settle-with.js'
import type { Visit } from './visit.js'

/** Discards everything but the response. */
export const SILENT: Outlet = { notify: () => {} }

/** `initialize`: opens a session and returns its id. */
export async function postInitialize(context: House, exchange: Visit, request: Request): Promise<void> {
  exchange.era = 'legacy'
  const httpSession = context.sessions.open(exchange.user)
  const answer = answerText(await httpSession.session.receive(request, SILENT)) ?? ''
  const { agreed: negotiated } = httpSession.session
  if (negotiated === undefined) {
    context.sessions.end(httpSession, 'initialize failed')
    return exchange.json(200, answer)
  }
  if (negotiated === '2024-11-05' && context.extensions.unversioned) exchange.era = 'armoriq'
  exchange.session = httpSession.id
  exchange.headers['mcp-session-id'] = httpSession.id
  if (exchange.accepts('text/event-stream')) exchange.event(answer)
  else exchange.json(200, answer)
}

export function postInSession(exchange: Visit, httpSession: LegacySession, message: Message | Batch): void {
  exchange.era = 'legacy'
  const stream = httpSession.openTrack()
  const acceptsStream = exchange.accepts('text/event-stream')
  const pendingAnswer = httpSession.session.receive(message, acceptsStream ? stream : SILENT)
  if (acceptsStream && (stream.spoken || pendingAnswer instanceof Promise)) {
    stream.attach(exchange.stream())
    void Promise.resolve(pendingAnswer).then((answer) => {
      settleWith(answer, stream.stream?.response)
      httpSession.closeTrack(stream, answerText(answer))
    })
    return
  }
  void Promise.resolve(pendingAnswer).then((answer) => {
    httpSession.closeTrack(stream, undefined)
    const text = answerText(answer)
    settleWith(answer, exchange.response)
    if (text === undefined) exchange.empty(202)
    else exchange.json(200, text)
  })
}

export function postAlone(context: House, exchange: Visit, message: Message | Batch, revision: LegacyRevision): void {
  exchange.era = 'legacy'
  const { user } = exchange
  const session = context.converse({ user, session: `user:${user}` }, { revision, stateless: true })
  const answer = new LiveAnswer(context, exchange, false)
  answer.give(session.receive(message, answer), session)
}
