// Runs AskUserQuestion and formats its result: answers as JSON, or the question as text for the chat. Loaded by the
// first call.

import type { Questions } from '../services/questions/questions.js'
import { askerOf } from './asker.js'
import type { Call } from './call.js'
import { askedSaid, laterSaid, type Said } from './words/question.js'

export async function answerTo(given: unknown, questions: Questions, call: Call): Promise<Said> {
  const wish = questions.read(given)
  const asker = askerOf(call)
  return wish.kind === 'ask'
    ? askedSaid(wish.questions, await questions.ask(wish.questions, asker))
    : laterSaid(await questions.answer(asker, wish.id, wish.answers), wish.answers !== undefined)
}
