// What the views of MCP Apps read, as JSON: the questions of a session, a job with its output, the plan and the tasks.
// Types only, used by the resources of the features and by the views, which run in a browser.

import type { FormQuestion, QuestionReply } from './question-form.js'

/** Asked in this session and not answered yet, oldest first; or the one question that was requested. */
export interface AppQuestions {
  readonly questions: readonly AppQuestion[]
}

export interface AppQuestion {
  readonly id: number
  readonly questions: readonly FormQuestion[]
  /** Null while it is open. */
  readonly replies: readonly QuestionReply[] | null
  /** The call that asked waits for the answer. */
  readonly waiting: boolean
}

export interface AppJob {
  readonly id: number
  readonly command: string
  readonly startedAt: number
  /** Null while it runs. */
  readonly endedAt: number | null
  readonly ending: 'exit' | 'killed' | 'server-stopped' | 'server-lost' | 'unknown' | null
  readonly exitCode: number | null
  readonly signal: string | null
  /**
   * The text is the screen of a terminal: it replaces the one before. Otherwise it is appended. Both have colours as SGR
   * sequences.
   */
  readonly isScreen: boolean
  readonly text: string
  /** The last line, which may still grow; replaced by the next read. */
  readonly open: string
  /** Offset of the next read. */
  readonly next: number
  /** Bytes before the text that are not shown. */
  readonly missing: number
}

export interface AppPlan {
  /** `waiting`: the user is asked to approve. */
  readonly state: 'none' | 'writing' | 'waiting' | 'accepted' | 'discarded'
  readonly goal: string
  /** Text of the open plan, else of the plan that was accepted last; null if there is none. */
  readonly text: string | null
  /** Lines that changed since the draft before; null marks omitted lines. */
  readonly changes: readonly (AppPlanLine | null)[]
}

export interface AppPlanLine {
  readonly mark: '+' | '-' | ' '
  readonly text: string
}

export interface AppTasks {
  /** The current task first, then the newest. */
  readonly open: readonly AppTask[]
  /** The newest of those that are done. */
  readonly done: readonly AppTask[]
  readonly openTasks: number
}

export interface AppTask {
  readonly id: number
  readonly name: string
  readonly isCurrent: boolean
  /** Of an open task. */
  readonly steps: readonly AppStep[]
  readonly stepsDone: number
  readonly stepsTotal: number
}

export interface AppStep {
  readonly id: number
  readonly text: string
  readonly isDone: boolean
}
