// Runs AskUserQuestion and formats its result: answers as JSON, or the question as text for the chat. Loaded by the
// first call.

import type { Questions } from '../services/questions/questions.js'
import { askerOf } from './asker.js'
import type { Call } from './call.js'
import { askedSaid, laterSaid, type Said } from './words/question.js'

export async function answerTo(input: unknown, questions: Questions, call: Call): Promise<Said> {
  const request = questions.read(input)
  const askingCall = askerOf(call)
  return request.kind === 'ask'
    ? askedSaid(request.questions, await questions.ask(request.questions, askingCall))
    : laterSaid(await questions.answer(askingCall, request.id, request.answers), request.answers !== undefined)
}
