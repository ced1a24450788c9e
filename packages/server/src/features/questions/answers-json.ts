// Answers in the documented JSON form: {"answers":[{"question":"…","selected":"A"}]}.

import { stringifyWellFormed } from '@scorpiox/mcp/json/json'
import type { FormQuestion, QuestionReply } from '../../question-form.js'

export function formatAnswersJson(questions: readonly FormQuestion[], replies: readonly QuestionReply[]): string {
  return stringifyWellFormed({ answers: questions.map((question, index) => toAnswer(question, replies[index])) })
}

function toAnswer(question: FormQuestion, reply: QuestionReply | undefined): object {
  const { text } = question
  // A missing answer must not look like an answer.
  if (reply?.outcome !== 'answered') return { question: text, selected: null, outcome: reply?.outcome ?? 'no_response' }
  const { selected, comment } = splitSelection(question, reply)
  return { question: text, selected: question.multiple ? selected : selected[0], ...(comment && { comment }) }
}

/** Free text is the answer if no option was chosen, and otherwise a comment. */
export function splitSelection(
  { choices }: FormQuestion,
  reply: QuestionReply,
): { selected: readonly string[]; comment?: string } {
  const isChoice = (text: string): boolean => choices.some(({ label }) => label === text)
  const selected = reply.selected.filter(isChoice)
  if (selected.length === 0) return { selected: reply.selected }
  const comment = reply.selected.find((text) => !isChoice(text))
  return { selected, ...(comment !== undefined && { comment }) }
}
