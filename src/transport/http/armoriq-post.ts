// POST /mcp for ArmorIQ: each response is one event with one line of JSON. No session is required, ids may repeat, and
// a notification with an id gets an empty result.

import { answerText, resultText, type Answer, type Message } from '../../protocol/message.js'
import type { Session } from '../../protocol/session.js'
import { ARMORIQ } from './armoriq-format.js'
import type { House } from './house.js'
import { SILENT } from './legacy-post.js'
import { settleWith } from './settle-with.js'
import type { Visit } from './visit.js'

export function postArmoriq(context: House, exchange: Visit, message: Message, existing?: Session): void {
  exchange.era = 'armoriq'
  if (message.kind === 'request' && message.method.startsWith('notifications/')) {
    return exchange.event(resultText(message.id, '{}'))
  }
  const { user } = exchange
  const caller = { user, session: `user:${user}` }
  const session = existing ?? context.converse(caller, { revision: '2024-11-05', dialect: ARMORIQ, stateless: true })
  const pendingAnswer = session.receive(message, SILENT)
  if (!(pendingAnswer instanceof Promise)) return sendAnswer(exchange, pendingAnswer)
  if (!existing) {
    context.passing.add(session)
    exchange.response.on('close', () => {
      context.passing.delete(session)
      session.leave('the client disconnected')
      exchange.lost()
    })
  }
  void pendingAnswer.then((answer) => sendAnswer(exchange, answer))
}

function sendAnswer(exchange: Visit, answer: Answer): void {
  settleWith(answer, exchange.response)
  const text = answerText(answer)
  if (exchange.response.destroyed) return exchange.lost()
  if (text === undefined) exchange.empty(202)
  else exchange.event(text)
}
