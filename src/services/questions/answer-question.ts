// Records the first answer to a stored question. If a call waits for it, that call returns it; otherwise it becomes a
// pending message of the session in the same transaction.

import { Failure } from '../../lib/failure.js'
import type { QuestionRow, Reply, Surface } from '../../store/state/question-rows.js'
import type { Rows } from '../../store/state/state.js'
import { checkedReplies } from './checked-replies.js'
import { tellLater } from './late-answers.js'

/**
 * Throws a Failure if the replies are invalid or the question is no longer open. `session`: the session that passes the
 * answer on.
 */
export async function answerQuestion(
  rows: Pick<Rows, 'questions' | 'messages'>,
  id: number,
  input: readonly Reply[],
  surface: Surface,
  now: number,
  session?: string,
): Promise<QuestionRow> {
  const { questions } = rows
  const row = await questions.find(id)
  if (!row) throw new Failure(`There is no question ${id}: it was withdrawn, or never asked in this project.`)
  if (row.replies) throw alreadyAnswered(row)
  const replies = checkedReplies(row.questions, input)
  if (!(await questions.answer(id, { replies, surface, answeredAt: now }))) throw alreadyAnswered(row)
  const answered = { ...row, replies, surface, answeredAt: now }
  if (row.waiting) return answered
  // A session that passes on the answer to its own question already knows it.
  if (row.session === session) await questions.deliver(id, now)
  else await tellLater(rows, answered, now)
  return answered
}

function alreadyAnswered({ id, surface, answeredAt }: QuestionRow): Failure {
  const when = answeredAt === null ? '' : ` at ${new Date(answeredAt).toISOString()}`
  const where = surface === null ? '' : ` (${surface})`
  return new Failure(`Question ${id} was answered before${when}${where}. Nothing was changed.`)
}
