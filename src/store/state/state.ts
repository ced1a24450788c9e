// The database of this program: scoped transactions over the tables of all features.

import type { CallbackRows } from './callback-rows.js'
import type { MessageRows } from './message-rows.js'
import type { PlanRows } from './plan-rows.js'
import type { QuestionRows } from './question-rows.js'
import type { SessionRows } from './session-rows.js'
import type { TaskRows } from './task-rows.js'
import type { ScopedDatabase } from './scoped-database.js'

export type { Scope } from './scoped-database.js'

export type State = ScopedDatabase<Rows>

/** Valid during the transaction. */
export interface Rows {
  readonly tasks: TaskRows
  readonly plans: PlanRows
  readonly questions: QuestionRows
  readonly callbacks: CallbackRows
  readonly messages: MessageRows
  readonly sessions: SessionRows
}
