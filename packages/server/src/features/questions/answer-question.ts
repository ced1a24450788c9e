// Records the first answer to a stored question. If a call waits for it, that call returns it; otherwise it becomes a
// pending message of the session in the same transaction.

import { Failure } from '@scorpiox/mcp/errors'
import { toStorableText } from '../../text/normalize-text.js'
import { queueAnswerMessage } from './late-answers.js'
import type { AnswerChannel, FormQuestion, QuestionReply } from '../../question-form.js'
import { MAX_FREE_TEXT } from './question-limits.js'
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
  return new Failure(`Question ${id} was answered before${when}${where}. Nothing was changed.`)
}

// Validates replies before they are stored: one per question, only offered choices, one choice unless several are
// allowed, and at most one free text, which comes last.

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
