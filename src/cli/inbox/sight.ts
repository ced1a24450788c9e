// The board as it is now: whole at first, then each part that changes in place of the one before.

import type { Board } from '../../services/board/board.js'
import type { BoardChange, BoardView, QuestionView } from '../../services/board/view.js'

export interface Sight {
  /** Undefined until something was seen. */
  view(): BoardView | undefined
  /** Resolves when something was seen. */
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

/** Says when there is a question that was not there before; those that were there at first are not new. */
export function openSight(board: Pick<Board, 'watch'>, onQuestion: () => void = () => {}): Sight {
  let view: BoardView | undefined
  let known: ReadonlySet<string> | undefined
  let resolveFirst: ((view: BoardView) => void) | undefined
  const first = new Promise<BoardView>((resolve) => (resolveFirst = resolve))

  function notice(questions: readonly QuestionView[]): void {
    const names = questions.map(({ project, id }) => `${id} ${project}`)
    if (known && names.some((name) => !known?.has(name))) onQuestion()
    known = new Set([...(known ?? []), ...names])
  }

  const close = board.watch((change: BoardChange) => {
    view = { ...(view ?? NOTHING), ...change }
    if (change.questions) notice(change.questions)
    resolveFirst?.(view)
  })
  return { view: () => view, first, close }
}
