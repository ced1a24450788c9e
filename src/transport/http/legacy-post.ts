// POST /mcp on legacy revisions. With a session: what takes time is answered on a stream that can be taken up again,
// and a broken connection cancels nothing. Without one: a request stands alone, and ends with its connection.

import type { Outlet } from '../../protocol/exchange.js'
import { answerText, type Batch, type Message, type Request } from '../../protocol/message.js'
import type { LegacyRevision } from '../../protocol/revision.js'
import type { House } from './house.js'
import type { LegacySession } from './legacy-sessions.js'
import { LiveAnswer } from './live-answer.js'
import { settleWith } from './settle-with.js'
import type { Visit } from './visit.js'

/** Where nothing but the answer fits. */
export const SILENT: Outlet = { notify: () => {} }

/** `initialize`: opens a session and says its id. */
export async function postInitialize(house: House, visit: Visit, request: Request): Promise<void> {
  visit.era = 'legacy'
  const opened = house.sessions.open(visit.user)
  const answer = answerText(await opened.session.receive(request, SILENT)) ?? ''
  const { agreed } = opened.session
  if (agreed === undefined) {
    house.sessions.end(opened, 'it was never agreed on')
    return visit.json(200, answer)
  }
  if (agreed === '2024-11-05' && house.extensions.unversioned) visit.era = 'armoriq'
  visit.session = opened.id
  visit.headers['mcp-session-id'] = opened.id
  if (visit.accepts('text/event-stream')) visit.event(answer)
  else visit.json(200, answer)
}

export function postInSession(visit: Visit, opened: LegacySession, message: Message | Batch): void {
  visit.era = 'legacy'
  const track = opened.openTrack()
  const streams = visit.accepts('text/event-stream')
  const due = opened.session.receive(message, streams ? track : SILENT)
  if (streams && (track.spoken || due instanceof Promise)) {
    track.attach(visit.stream())
    void Promise.resolve(due).then((answer) => {
      settleWith(answer, track.stream?.response)
      opened.closeTrack(track, answerText(answer))
    })
    return
  }
  void Promise.resolve(due).then((answer) => {
    opened.closeTrack(track, undefined)
    const text = answerText(answer)
    settleWith(answer, visit.response)
    if (text === undefined) visit.empty(202)
    else visit.json(200, text)
  })
}

export function postAlone(house: House, visit: Visit, message: Message | Batch, revision: LegacyRevision): void {
  visit.era = 'legacy'
  const { user } = visit
  const session = house.converse({ user, session: `user:${user}` }, { revision, stateless: true })
  const answer = new LiveAnswer(house, visit, false)
  answer.give(session.receive(message, answer), session)
}
