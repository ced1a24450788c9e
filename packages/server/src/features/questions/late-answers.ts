// Turns answers for which no call waits into pending messages of the session that asked. From then on the message is
// delivered, to that session or to the one that takes it over.

import { formatAnswersJson } from './answers-json.js'
import type { QuestionRow, QuestionTables } from './question-table.js'

const SURFACE_NAMES = {
  client: 'in the client',
  page: 'on the page',
  inbox: 'in the inbox',
  call: 'in the chat',
} as const

/** For sessions whose process has exited: none of their calls waits any more. */
export async function queueLateAnswers(
  rows: QuestionTables,
  sessions: ReadonlySet<string>,
  now = Date.now(),
): Promise<void> {
  const { questions } = rows
  for (const row of await questions.listUndelivered())
    if (sessions.has(row.session)) await queueAnswerMessage(rows, row, now)
  for (const { id, session, waiting } of await questions.listOpen()) {
    if (waiting && sessions.has(session)) await questions.stopWaiting(id)
  }
}

export async function queueAnswerMessage(
  { questions, messages }: QuestionTables,
  row: QuestionRow,
  now: number,
): Promise<void> {
  await messages.insert({ session: row.session, kind: 'answer', text: formatAnswerMessage(row), createdAt: now })
  await questions.markDelivered(row.id, now)
}

function formatAnswerMessage({ id, questions, replies, surface, askedAt }: QuestionRow): string {
  const where = surface === null ? '' : ` ${SURFACE_NAMES[surface]}`
  const answers = formatAnswersJson(questions, replies ?? [])
  const asked = new Date(askedAt).toISOString()
  const isAnswered = replies?.some(({ outcome }) => outcome === 'answered')
  const what = isAnswered ? 'was answered' : 'was NOT answered, the user declined it'
  return `Question ${id} of AskUserQuestion, asked at ${asked}, ${what}${where}: ${answers}`
}
