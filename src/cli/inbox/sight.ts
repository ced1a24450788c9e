// Follows the view of a console: complete at first, then updated by changed parts.

import type { Board } from '../../services/board/board.js'
import type { BoardChange, BoardView, QuestionView } from '../../services/board/view.js'

export interface Sight {
  /** Undefined until the first view arrives. */
  view(): BoardView | undefined
  /** Resolves with the first view. */
  readonly first: Promise<BoardView>
  close(): void
}

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

/** Calls `onQuestion` for new questions, but not for those in the first view. */
export function openSight(board: Pick<Board, 'watch'>, onQuestion: () => void = () => {}): Sight {
  let view: BoardView | undefined
  let knownQuestions: ReadonlySet<string> | undefined
  let resolveFirst: ((view: BoardView) => void) | undefined
  const first = new Promise<BoardView>((resolve) => (resolveFirst = resolve))

  function notifyNewQuestions(questions: readonly QuestionView[]): void {
    const keys = questions.map(({ project, id }) => `${id} ${project}`)
    if (knownQuestions && keys.some((key) => !knownQuestions?.has(key))) onQuestion()
    knownQuestions = new Set([...(knownQuestions ?? []), ...keys])
  }

  const close = board.watch((change: BoardChange) => {
    view = { ...(view ?? NOTHING), ...change }
    if (change.questions) notifyNewQuestions(change.questions)
    resolveFirst?.(view)
  })
  return { view: () => view, first, close }
}
