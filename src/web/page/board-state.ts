// The state of the page: the console view as last received, and which questions appeared or disappeared.

import type { BoardChange, BoardView, QuestionView } from '../../services/board/view.js'

export const NOTHING: BoardView = {
  servers: [],
  questions: [],
  messages: [],
  callbacks: [],
  jobs: [],
  projects: [],
  calls: [],
  problems: [],
}

export function changed(view: BoardView, change: BoardChange): BoardView {
  return { ...view, ...change }
}

export function questionKey({ project, id }: Pick<QuestionView, 'project' | 'id'>): string {
  return JSON.stringify([project, id])
}

/** Questions that are only in the first list. */
export function missingFrom(before: readonly QuestionView[], now: readonly QuestionView[]): readonly QuestionView[] {
  const there = new Set(now.map(questionKey))
  return before.filter((question) => !there.has(questionKey(question)))
}

export function firstWords({ questions }: QuestionView): string {
  const text = questions[0]?.text ?? ''
  return text.length > 120 ? `${text.slice(0, 119).trimEnd()}…` : text
}
