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
    throw new Failure(`Question ${number} is marked as answered, but has no choice and no text.`)
  }
  if (chosen.length > 1 && !question.multiple) {
    throw new Failure(`Question ${number} takes one choice; ${chosen.length} were made: ${chosen.join(', ')}.`)
  }
  if (freeTexts.length > 1) {
    throw new Failure(`Question ${number} has ${freeTexts.length} texts that are not options; at most one is allowed.`)
  }
  const length = freeTexts[0]?.length ?? 0
  if (length > MAX_OWN_WORDS) {
    throw new Failure(
      `The free text for question ${number} has ${length} characters; at most ${MAX_OWN_WORDS} are allowed.`,
    )
  }
  return { outcome, selected: [...chosen, ...freeTexts] }
}
