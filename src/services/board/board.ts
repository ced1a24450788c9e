// The console of one user: everything the user can see and do, across all servers of this machine. Rejected actions
// throw a Failure. Data sources are connected only while someone watches or acts; parts of the view are sent whole when
// they change, at most ten times a second.

import type { Reply, Surface } from '../../store/state/question-rows.js'
import type { OutputPassage } from './output-passage.js'
import type { BoardChange, StepView, TaskView } from './view.js'

export interface Board {
  /** Sends the whole view, then changes. The user counts as present until the returned function is called. */
  watch(show: (change: BoardChange) => void): () => void
  /** One reply for each question of the form. */
  answer(question: Named, replies: readonly Reply[], surface: Surface): Promise<void>
  kill(job: OfServer): Promise<void>
  /** Output bytes of a job, from an offset. */
  readOutput(job: OfServer, from: number, maxBytes: number): Promise<OutputPassage>
  cancelCallback(callback: { readonly project: string; readonly session: string; readonly slot: number }): Promise<void>
  /** Marks a message as read by the user, so that it is not delivered to the model. */
  dismiss(message: Named): Promise<void>
  /** Full text of the open plan of a project; undefined if there is none or nothing was written yet. */
  readPlan(project: string): Promise<string | undefined>
  /** Open tasks with smaller ids, newest first, without the current task. */
  olderTasks(project: string, before: number): Promise<readonly TaskView[]>
  /** Steps of a task from an id on. */
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
