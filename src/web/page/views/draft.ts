// What a person has chosen so far. Nothing is chosen beforehand; a draft outlives a look at another view.

import type { Question, Reply } from '../../../store/state/question-rows.js'

export interface Draft {
  /** Positions of the choices made. */
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

/** Writing own words means them. */
export function write(draft: Draft, question: Question, other: string): Draft {
  return { ...chooseOther(draft, question, draft.hasOther || other.trim() !== ''), other }
}

/** Undefined: it is not answered yet. */
export function replyOf(draft: Draft, question: Question): Reply | undefined {
  const labels = draft.chosen.flatMap((index) => question.choices[index]?.label ?? [])
  const words = draft.other.trim()
  if (draft.hasOther && words === '') return undefined
  const selected = draft.hasOther ? [...labels, words] : labels
  return selected.length === 0 ? undefined : { outcome: 'answered', selected }
}
