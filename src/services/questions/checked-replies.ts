// Validates replies before they are stored: one per question, only offered choices, one choice unless several are
// allowed, and at most one free text, which comes last.

import { Failure } from '../../lib/failure.js'
import { storableText } from '../../lib/storable-text.js'
import type { Question, Reply } from '../../store/state/question-rows.js'
import { MAX_OWN_WORDS } from './limits.js'

export function checkedReplies(questions: readonly Question[], replies: readonly Reply[]): readonly Reply[] {
  if (replies.length !== questions.length) {
    throw new Failure(
      `The form has ${questions.length} question(s), and ${replies.length} were replied to: give one reply for each.`,
    )
  }
  return questions.map((question, index) => validateReply(question, replies[index], index + 1))
}

function validateReply(question: Question, reply: Reply | undefined, number: number): Reply {
  if (reply === undefined) throw new Failure(`Question ${number} has no reply.`)
  const { outcome } = reply
  if (outcome !== 'answered') return { outcome, selected: [] }
  const input = new Set(reply.selected.map((text) => storableText(text).trim()).filter((text) => text !== ''))
  const chosen = question.choices.map(({ label }) => label).filter((label) => input.delete(label))
  const freeTexts = [...input]
  if (chosen.length === 0 && freeTexts.length === 0) {
    throw new Failure(`Question ${number} is said to be answered, but nothing was chosen and nothing was said.`)
  }
  if (chosen.length > 1 && !question.multiple) {
    throw new Failure(`Question ${number} takes one choice; ${chosen.length} were made: ${chosen.join(', ')}.`)
  }
  if (freeTexts.length > 1) {
    throw new Failure(`Question ${number} has ${freeTexts.length} texts that are no option of it; one is the most.`)
  }
  const length = freeTexts[0]?.length ?? 0
  if (length > MAX_OWN_WORDS) {
    throw new Failure(`The own words to question ${number} have ${length} characters; ${MAX_OWN_WORDS} are the most.`)
  }
  return { outcome, selected: [...chosen, ...freeTexts] }
}
