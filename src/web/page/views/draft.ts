// State of an unfinished answer. Nothing is preselected; a draft survives a change of the view.

import type { Question, Reply } from '../../../store/state/question-rows.js'

export interface Draft {
  /** Indexes of the chosen options. */
  readonly chosen: readonly number[]
  readonly hasOther: boolean
  readonly other: string
}

export const BLANK: Draft = { chosen: [], hasOther: false, other: '' }

export function choose(draft: Draft, question: Question, index: number, isOn: boolean): Draft {
  if (!question.multiple) return { ...draft, chosen: isOn ? [index] : [], hasOther: false }
  const rest = draft.chosen.filter((entry) => entry !== index)
  return { ...draft, chosen: isOn ? [...rest, index].sort((a, b) => a - b) : rest }
}

export function chooseOther(draft: Draft, question: Question, isOn: boolean): Draft {
  return { ...draft, hasOther: isOn, chosen: isOn && !question.multiple ? [] : draft.chosen }
}

/** Entering text selects the free-text option. */
export function write(draft: Draft, question: Question, other: string): Draft {
  return { ...chooseOther(draft, question, draft.hasOther || other.trim() !== ''), other }
}

/** Undefined: not answered yet. */
export function replyOf(draft: Draft, question: Question): Reply | undefined {
  const labels = draft.chosen.flatMap((index) => question.choices[index]?.label ?? [])
  const words = draft.other.trim()
  if (draft.hasOther && words === '') return undefined
  const selected = draft.hasOther ? [...labels, words] : labels
  return selected.length === 0 ? undefined : { outcome: 'answered', selected }
}
