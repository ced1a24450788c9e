// State of an unfinished answer. Nothing is preselected. Used by the question card, which keeps it in the draft store. Pure.

import type { FormQuestion, QuestionReply } from '@scorpiox/server/calls/question-form'

export interface AnswerDraft {
  /** Indexes of the chosen options. */
  readonly chosen: readonly number[]
  readonly hasOther: boolean
  readonly other: string
}

export const EMPTY_DRAFT: AnswerDraft = { chosen: [], hasOther: false, other: '' }

export function chooseOption(draft: AnswerDraft, question: FormQuestion, index: number, isOn: boolean): AnswerDraft {
  if (!question.multiple) return { ...draft, chosen: isOn ? [index] : [], hasOther: false }
  const rest = draft.chosen.filter((entry) => entry !== index)
  return { ...draft, chosen: isOn ? [...rest, index].sort((a, b) => a - b) : rest }
}

export function chooseOther(draft: AnswerDraft, question: FormQuestion, isOn: boolean): AnswerDraft {
  return { ...draft, hasOther: isOn, chosen: isOn && !question.multiple ? [] : draft.chosen }
}

/** Entering text selects the free-text option. */
export function setOtherText(draft: AnswerDraft, question: FormQuestion, other: string): AnswerDraft {
  return { ...chooseOther(draft, question, draft.hasOther || other.trim() !== ''), other }
}

/** Of the questions of a form; empty where nothing valid was stored. */
export function parseAnswerDrafts(stored: unknown, count: number): readonly AnswerDraft[] {
  const entries: readonly unknown[] = Array.isArray(stored) ? stored : []
  return Array.from({ length: count }, (_, index) => parseAnswerDraft(entries[index]))
}

function parseAnswerDraft(value: unknown): AnswerDraft {
  if (typeof value !== 'object' || value === null) return EMPTY_DRAFT
  const { chosen, hasOther, other } = { ...EMPTY_DRAFT, ...value }
  return {
    chosen: Array.isArray(chosen) ? chosen.filter((index) => Number.isInteger(index)) : [],
    hasOther,
    other: typeof other === 'string' ? other : '',
  }
}

/** Undefined: not answered yet. */
export function toReply(draft: AnswerDraft, question: FormQuestion): QuestionReply | undefined {
  const labels = draft.chosen.flatMap((index) => question.choices[index]?.label ?? [])
  const otherText = draft.other.trim()
  if (draft.hasOther && otherText === '') return undefined
  const selected = draft.hasOther ? [...labels, otherText] : labels
  return selected.length === 0 ? undefined : { outcome: 'answered', selected }
}
