// Records the first answer to a stored question, after validating the replies. If a call waits for it, that call returns
// it; otherwise it becomes a pending message of the session in the same transaction. Used by question-store, the console,
// and the takeover of dead sessions (queueLateAnswers). Reads and writes the database, in the transaction of its caller.

import { Failure } from '@scorpiox/mcp/errors'
import type { AnswerChannel, FormQuestion, QuestionReply } from '../../calls/question-form.js'
import { toStorableText } from '../../text/normalize-text.js'
import { formatAnswersJson } from './answers-json.js'
import { MAX_FREE_TEXT } from './parse-questions.js'
import type { QuestionRow, QuestionTables } from './question-table.js'

/**
 * Throws a Failure if the replies are invalid or the question is no longer open. `session`: the session that passes the
 * answer on.
 */
export async function answerQuestion(
  rows: QuestionTables,
  id: number,
  input: readonly QuestionReply[],
  surface: AnswerChannel,
  now: number,
  session?: string,
): Promise<QuestionRow> {
  const { questions } = rows
  const row = await questions.find(id)
  if (!row) throw new Failure(`There is no question ${id}: it was withdrawn, or never asked in this project.`)
  if (row.replies) throw alreadyAnswered(row)
  const isByModel = surface === 'view' || surface === 'call'
  if (isByModel && row.questions.some(({ isApproval }) => isApproval))
    throw new Failure(`Question ${id} is an approval: answer it on the console page or in the terminal inbox.`)
  const replies = validateReplies(row.questions, input)
  if (!(await questions.answer(id, { replies, surface, answeredAt: now }))) throw alreadyAnswered(row)
  const answered = { ...row, replies, surface, answeredAt: now }
  if (row.waiting) return answered
  // A session that passes on the answer to its own question already knows it.
  if (row.session === session) await questions.markDelivered(id, now)
  else await queueAnswerMessage(rows, answered, now)
  return answered
}

function alreadyAnswered({ id, surface, answeredAt }: QuestionRow): Failure {
  const when = answeredAt === null ? '' : ` at ${new Date(answeredAt).toISOString()}`
  const where = surface === null ? '' : ` (${surface})`
  return new Failure(`Question ${id} was already answered${when}${where}. Nothing was changed.`)
}

/**
 * Validates replies before they are stored: one per question, only offered choices, one choice unless several are
 * allowed, and at most one free text, which comes last.
 */
export function validateReplies(
  questions: readonly FormQuestion[],
  replies: readonly QuestionReply[],
): readonly QuestionReply[] {
  if (replies.length !== questions.length) {
    throw new Failure(
      `The form has ${questions.length} question(s), and ${replies.length} were replied to: give one reply for each.`,
    )
  }
  return questions.map((question, index) => validateReply(question, replies[index], index + 1))
}

function validateReply(question: FormQuestion, reply: QuestionReply | undefined, number: number): QuestionReply {
  if (reply === undefined) throw new Failure(`Question ${number} has no reply.`)
  const { outcome } = reply
  if (outcome !== 'answered') return { outcome, selected: [] }
  const input = new Set(reply.selected.map((text) => toStorableText(text).trim()).filter((text) => text !== ''))
  const chosen = question.choices.map(({ label }) => label).filter((label) => input.delete(label))
  const freeTexts = [...input]
  if (chosen.length === 0 && freeTexts.length === 0) {
    throw new Failure(`Question ${number} is marked as answered, but has no choice and no text.`)
  }
  if (chosen.length > 1 && !question.multiple) {
    throw new Failure(`Question ${number} takes one choice; ${chosen.length} were made: ${chosen.join(', ')}.`)
  }
  if (freeTexts.length > 1) {
    throw new Failure(`Question ${number} has ${freeTexts.length} texts that are not options; at most one is allowed.`)
  }
  const length = freeTexts[0]?.length ?? 0
  if (length > MAX_FREE_TEXT) {
    throw new Failure(
      `The free text for question ${number} has ${length} characters; at most ${MAX_FREE_TEXT} are allowed.`,
    )
  }
  return { outcome, selected: [...chosen, ...freeTexts] }
}

const SURFACE_NAMES = {
  client: 'in the client',
  page: 'on the page',
  inbox: 'in the inbox',
  call: 'in the chat',
  view: 'in the form in the chat',
} as const

/**
 * Queues the undelivered answers of these sessions as messages. For sessions whose process has exited: none of their
 * calls waits any more.
 */
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

/**
 * Turns an answer for which no call waits into a pending message of the session that asked. From then on the message is
 * delivered, to that session or to the one that takes it over.
 */
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
