// Where a person looks and answers: everything of one user, from every server of this machine, behind one interface.
// Whatever is done through it is refused with a Failure that says why.

import type { Reply, Surface } from '../../store/state/question-rows.js'
import type { BoardChange } from './view.js'

export interface Board {
  /** Shows everything there is, then whatever changes. As long as it goes on, somebody is looking. */
  watch(show: (change: BoardChange) => void): () => void
  /** One reply for each question of the form. */
  answer(question: Named, replies: readonly Reply[], surface: Surface): Promise<void>
  kill(job: OfServer): Promise<void>
  /** What it printed from the beginning, as much as fits. */
  output(job: OfServer): Promise<string>
  cancelCallback(callback: { readonly project: string; readonly session: string; readonly slot: number }): Promise<void>
  /** The person has seen it; the model need not be told any more. */
  dismiss(message: Named): Promise<void>
  close(): Promise<void>
}

export interface Named {
  readonly project: string
  readonly id: number
}

export interface OfServer {
  readonly server: string
  readonly id: number
}
