// POST /mcp in the form ArmorIQ's callers read: each answer is exactly one event with one line of JSON, every content
// item a JSON text. No session is needed, ids may repeat, and a notification that carries an id gets an empty result.

import { answerText, resultText, type Answer, type Message } from '../../protocol/message.js'
import type { Session } from '../../protocol/session.js'
import { ARMORIQ } from './armoriq-format.js'
import type { House } from './house.js'
import { SILENT } from './legacy-post.js'
import { settleWith } from './settle-with.js'
import type { Visit } from './visit.js'

export function postArmoriq(house: House, visit: Visit, message: Message, opened?: Session): void {
  visit.era = 'armoriq'
  if (message.kind === 'request' && message.method.startsWith('notifications/')) {
    return visit.event(resultText(message.id, '{}'))
  }
  const { user } = visit
  const peer = { user, session: `user:${user}` }
  const session = opened ?? house.converse(peer, { revision: '2024-11-05', dialect: ARMORIQ, stateless: true })
  const due = session.receive(message, SILENT)
  if (!(due instanceof Promise)) return finish(visit, due)
  if (!opened) {
    house.passing.add(session)
    visit.response.on('close', () => {
      house.passing.delete(session)
      session.leave('the client is gone')
      visit.lost()
    })
  }
  void due.then((answer) => finish(visit, answer))
}

function finish(visit: Visit, answer: Answer): void {
  settleWith(answer, visit.response)
  const text = answerText(answer)
  if (visit.response.destroyed) return visit.lost()
  if (text === undefined) visit.empty(202)
  else visit.event(text)
}
