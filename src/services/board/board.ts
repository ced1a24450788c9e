// Where a person looks and answers: everything of one user, from every server of this machine, behind one interface.
// Whatever is done through it is refused with a Failure that says why.

import type { Reply, Surface } from '../../store/state/question-rows.js'
import type { OutputPassage } from './output-passage.js'
import type { BoardChange, StepView, TaskView } from './view.js'

export interface Board {
  /** Shows everything there is, then whatever changes. As long as it goes on, somebody is looking. */
  watch(show: (change: BoardChange) => void): () => void
  /** One reply for each question of the form. */
  answer(question: Named, replies: readonly Reply[], surface: Surface): Promise<void>
  kill(job: OfServer): Promise<void>
  /** Bytes that a job printed, from an offset on. */
  readOutput(job: OfServer, from: number, maxBytes: number): Promise<OutputPassage>
  cancelCallback(callback: { readonly project: string; readonly session: string; readonly slot: number }): Promise<void>
  /** The person has seen it; the model need not be told any more. */
  dismiss(message: Named): Promise<void>
  /** The whole text of the open plan of a project; undefined where none is open or nothing has been written yet. */
  readPlan(project: string): Promise<string | undefined>
  /** Open tasks with a smaller number than the given one, newest first, besides the current one. */
  olderTasks(project: string, before: number): Promise<readonly TaskView[]>
  /** Steps of a task from a number on. */
  taskSteps(project: string, task: number, from: number): Promise<readonly StepView[]>
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
