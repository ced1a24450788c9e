// What was said to a form, in the JSON that was published: {"answers":[{"question":"…","selected":"A"}]}.

import { printJson } from '../../lib/json.js'
import type { Question, Reply } from '../../store/state/question-rows.js'
import { parted } from './checked-replies.js'

export function answersJson(questions: readonly Question[], replies: readonly Reply[], more: object = {}): string {
  return printJson({ answers: questions.map((question, index) => answerTo(question, replies[index])), ...more })
}

function answerTo(question: Question, reply: Reply | undefined): object {
  const { text } = question
  // An answer that is none must not look like one.
  if (reply?.outcome !== 'answered') return { question: text, selected: null, outcome: reply?.outcome ?? 'no_response' }
  const { selected, comment } = selection(question, reply)
  return { question: text, selected: question.multiple ? selected : selected[0], ...(comment && { comment }) }
}

/** The person's own words are the answer where no choice was made, and else a remark on it. */
export function selection(question: Question, reply: Reply): { selected: readonly string[]; comment?: string } {
  const { chosen, words } = parted(question, reply)
  if (chosen.length === 0) return { selected: words === undefined ? [] : [words] }
  return { selected: chosen, ...(words !== undefined && { comment: words }) }
}
