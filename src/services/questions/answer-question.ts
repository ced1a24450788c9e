// Answers a question that was kept, once, whoever is first. The call that waits for it takes the replies; where none
// does, they become a message in the same transaction, so that the next result of that session brings them.

import { Failure } from '../../lib/failure.js'
import type { QuestionRow, Reply, Surface } from '../../store/state/question-rows.js'
import type { Rows } from '../../store/state/state.js'
import { checkedReplies } from './checked-replies.js'
import { tellLater } from './late-answers.js'

/** A Failure says what is wrong with the replies, or that there is nothing to answer any more. `session`: who brings it. */
export async function answerQuestion(
  rows: Pick<Rows, 'questions' | 'messages'>,
  id: number,
  given: readonly Reply[],
  surface: Surface,
  now: number,
  session?: string,
): Promise<QuestionRow> {
  const { questions } = rows
  const row = await questions.find(id)
  if (!row) throw new Failure(`There is no question ${id}: it was withdrawn, or never asked in this project.`)
  if (row.replies) throw alreadyAnswered(row)
  const replies = checkedReplies(row.questions, given)
  if (!(await questions.answer(id, { replies, surface, answeredAt: now }))) throw alreadyAnswered(row)
  const answered = { ...row, replies, surface, answeredAt: now }
  if (row.waiting) return answered
  // Who brings the answer to its own question knows it already.
  if (row.session === session) await questions.deliver(id, now)
  else await tellLater(rows, answered, now)
  return answered
}

function alreadyAnswered({ id, surface, answeredAt }: QuestionRow): Failure {
  const when = answeredAt === null ? '' : ` at ${new Date(answeredAt).toISOString()}`
  const where = surface === null ? '' : ` (${surface})`
  return new Failure(`Question ${id} was answered before${when}${where}. Nothing was changed.`)
}
