// Answers that nobody waits for any more. Each becomes a message for the session that asked, or for the one that took it
// over; from then on the message is what has to be delivered.

import type { QuestionRow } from '../../store/state/question-rows.js'
import type { Rows } from '../../store/state/state.js'
import { answersJson } from './answers-json.js'

type Kept = Pick<Rows, 'questions' | 'messages'>

const PLACES = { client: 'in the client', page: 'on the page', inbox: 'in the inbox', call: 'in the chat' } as const

/** For whoever takes a session over whose process is gone: what it asked is asked by the heir from now on. */
export async function lateAnswers(rows: Kept, from: string, heir: string, now: number): Promise<void> {
  const { questions } = rows
  const answered = (await questions.undelivered()).filter(({ session }) => session === from)
  for (const row of answered) await tellLater(rows, { ...row, session: heir }, now)
  await questions.readdress(from, heir)
}

export async function tellLater({ questions, messages }: Kept, row: QuestionRow, now: number): Promise<void> {
  await messages.insert({ session: row.session, kind: 'answer', text: messageOf(row), createdAt: now })
  await questions.deliver(row.id, now)
}

function messageOf({ id, questions, replies, surface, askedAt }: QuestionRow): string {
  const where = surface === null ? '' : ` ${PLACES[surface]}`
  const said = answersJson(questions, replies ?? [])
  const asked = new Date(askedAt).toISOString()
  const isAnswered = replies?.some(({ outcome }) => outcome === 'answered')
  const what = isAnswered ? 'was answered' : 'was NOT answered, the user declined it'
  return `Question ${id} of AskUserQuestion, asked at ${asked}, ${what}${where}: ${said}`
}
