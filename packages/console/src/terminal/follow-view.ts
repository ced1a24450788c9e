// Follows the view of a console: complete at first, then updated by changed parts.

import type { UserConsole } from '../user-console.js'
import { type ConsoleChange, type ConsoleView, EMPTY_VIEW } from '../view.js'

export interface FollowedView {
  /** Undefined until the first view arrives. */
  view(): ConsoleView | undefined
  /** Resolves with the first view. */
  readonly firstView: Promise<ConsoleView>
  close(): void
}

/** Calls `onQuestion` for new questions and plans to approve, but not for those in the first view. */
export function followView(userConsole: Pick<UserConsole, 'watch'>, onQuestion: () => void = () => {}): FollowedView {
  let view: ConsoleView | undefined
  let knownQuestions: ReadonlySet<string> | undefined
  let resolveFirst: ((view: ConsoleView) => void) | undefined
  const firstView = new Promise<ConsoleView>((resolve) => (resolveFirst = resolve))

  function notifyNewQuestions({ questions, approvals }: ConsoleView): void {
    const keys = [
      ...questions.map(({ project, id }) => `${id} ${project}`),
      ...approvals.map(({ project, id }) => `approval ${id} ${project}`),
    ]
    if (knownQuestions && keys.some((key) => !knownQuestions?.has(key))) onQuestion()
    knownQuestions = new Set([...(knownQuestions ?? []), ...keys])
  }

  const close = userConsole.watch((change: ConsoleChange) => {
    view = { ...(view ?? EMPTY_VIEW), ...change }
    if (change.questions ?? change.approvals) notifyNewQuestions(view)
    resolveFirst?.(view)
  })
  return { view: () => view, firstView, close }
}
