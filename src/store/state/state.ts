// What is remembered, as its users see it: typed rows inside transactions, never SQL. Everything belongs to a scope, one
// user in one project, and no scope sees another. What `write` has acknowledged survives whatever happens next.

import type { CallbackRows } from './callback-rows.js'
import type { MessageRows } from './message-rows.js'
import type { PlanRows } from './plan-rows.js'
import type { QuestionRows } from './question-rows.js'
import type { SessionRows } from './session-rows.js'
import type { TaskRows } from './task-rows.js'

export interface State<R = Rows> {
  /** Sees one moment. Throws a Failure that says what is wrong with the place where state is kept. */
  read<T>(scope: Scope, work: (rows: R) => Promise<T>): Promise<T>
  /** All of it or, if the work throws, nothing. Writers of a scope come one after the other, whichever process they are in. */
  write<T>(scope: Scope, work: (rows: R) => Promise<T>): Promise<T>
  /** Tells that the rows of a scope that was used here have changed, by this process or another. Returns the way out. */
  onChange(listener: (scope: Scope) => void): () => void
  /** Looks now for what other processes have changed: somebody said that they have. */
  look(): Promise<void>
  /** The projects in which this user has something open: a task, a plan, a question, a callback, a message that waits. */
  openProjects(user: string): Promise<readonly string[]>
  /** The users who have something in this project that waits for a session of theirs. */
  waitingUsers(project: string): Promise<readonly string[]>
  close(): Promise<void>
}

export interface Scope {
  readonly project: string
  readonly user: string
}

/** Good within the transaction it was handed to. */
export interface Rows {
  readonly tasks: TaskRows
  readonly plans: PlanRows
  readonly questions: QuestionRows
  readonly callbacks: CallbackRows
  readonly messages: MessageRows
  readonly sessions: SessionRows
}
