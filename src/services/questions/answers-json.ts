// Answers in the documented JSON form: {"answers":[{"question":"…","selected":"A"}]}.

import { printJson } from '../../lib/json.js'
import type { Question, Reply } from '../../store/state/question-rows.js'

export function answersJson(questions: readonly Question[], replies: readonly Reply[]): string {
  return printJson({ answers: questions.map((question, index) => toAnswer(question, replies[index])) })
}

function toAnswer(question: Question, reply: Reply | undefined): object {
  const { text } = question
  // A missing answer must not look like an answer.
  if (reply?.outcome !== 'answered') return { question: text, selected: null, outcome: reply?.outcome ?? 'no_response' }
  const { selected, comment } = selection(question, reply)
  return { question: text, selected: question.multiple ? selected : selected[0], ...(comment && { comment }) }
}

/** Free text is the answer if no option was chosen, and otherwise a comment. */
export function selection({ choices }: Question, reply: Reply): { selected: readonly string[]; comment?: string } {
  const isChoice = (text: string): boolean => choices.some(({ label }) => label === text)
  const selected = reply.selected.filter(isChoice)
  if (selected.length === 0) return { selected: reply.selected }
  const comment = reply.selected.find((text) => !isChoice(text))
  return { selected, ...(comment !== undefined && { comment }) }
}
