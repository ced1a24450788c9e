// What the console shows, as plain JSON values, built by user-console, server-feed and database-view, for the page and
// the terminal. Each part is sent whole when it changes. Imports only types, because it runs in browsers too.

import type { FormQuestion } from '@scorpiox/server/calls/question-form'
import type { JobEnd } from './i18n/job-ending.js'

export interface ConsoleView {
  readonly servers: readonly ServerView[]
  readonly secrets: readonly SecretView[]
  readonly approvals: readonly ApprovalView[]
  readonly questions: readonly QuestionView[]
  readonly messages: readonly MessageView[]
  readonly callbacks: readonly CallbackView[]
  readonly jobs: readonly JobView[]
  readonly projects: readonly ProjectView[]
  readonly calls: readonly CallView[]
  /** Problems of the data sources, in sentences. */
  readonly problems: readonly string[]
}

export const EMPTY_VIEW: ConsoleView = {
  servers: [],
  secrets: [],
  approvals: [],
  questions: [],
  messages: [],
  callbacks: [],
  jobs: [],
  projects: [],
  calls: [],
  problems: [],
}

export type ConsolePart = keyof ConsoleView

/** Changed parts, each complete. */
export type ConsoleChange = Partial<ConsoleView>

/** A process that serves clients. */
export interface ServerView {
  readonly id: string
  readonly pid: number
  readonly transport: 'stdio' | 'http'
  readonly project: string
  readonly startedAt: number
  readonly version: string
  readonly tools: readonly ToolView[]
}

export interface ToolView {
  readonly name: string
  readonly works: boolean
  /** Why it does not work, or works only partly. */
  readonly note: string | null
}

/** A question of a running command for a password or the like. The answer is for that command only. */
export interface SecretView {
  readonly server: string
  readonly project: string
  readonly id: string
  readonly command: string
  /** Text of the program that asks. */
  readonly prompt: string
  readonly askedAt: number
  /** What is entered is hidden. */
  readonly isSecret: boolean
}

export interface QuestionView {
  readonly project: string
  readonly id: number
  readonly askedAt: number
  /** Whether a call currently waits for the answer. */
  readonly waiting: boolean
  readonly questions: readonly FormQuestion[]
}

/** A request to end plan mode, which the user decides on. The text is read on request. */
export interface ApprovalView {
  readonly project: string
  readonly id: number
  /** `exit` accepts the plan, `reset` discards it. */
  readonly action: 'exit' | 'reset'
  readonly goal: string
  readonly requestedAt: number
  /** Whether a call currently waits for the decision. */
  readonly waiting: boolean
}

/** What the user decides on. */
export interface ApprovalDetails {
  /** Sent back with the decision, which is valid for this text only. */
  readonly hash: string
  /** Null if the plan is to be discarded. */
  readonly text: string | null
  /** The plan that would be discarded; null if none was written. */
  readonly discarded: string | null
  /** Changed lines and those around them; null marks omitted lines. */
  readonly changes: readonly (ChangedLine | null)[]
}

export interface ChangedLine {
  readonly mark: '+' | '-' | ' '
  readonly text: string
}

export interface ApprovalDecision {
  readonly hash: string
  readonly outcome: 'approved' | 'rejected'
  readonly comment?: string | undefined
  /** The plan as the user has edited it. */
  readonly text?: string | undefined
}

/** A message not yet delivered to a model. */
export interface MessageView {
  readonly project: string
  readonly id: number
  readonly kind: 'callback' | 'answer'
  readonly text: string
  readonly createdAt: number
}

export interface CallbackView {
  readonly project: string
  readonly session: string
  readonly slot: number
  readonly message: string
  /** Wall clock time of this machine; null if it waits for an event. */
  readonly fireAt: number | null
  readonly everyMs: number
  /** -1: unlimited. */
  readonly repeatsLeft: number
  readonly job: number | null
  readonly pattern: string | null
}

export interface JobView extends JobEnd {
  readonly server: string
  readonly project: string
  readonly id: number
  readonly command: string
  readonly startedAt: number
  readonly endedAt: number | null
  readonly isRunning: boolean
  /** The last lines of output, as a terminal would show them. */
  readonly tail: string
  /** Null if it has no terminal. */
  readonly terminal?: TerminalView | null
}

export interface TerminalView {
  readonly cols: number
  readonly rows: number
  /** The model's input is refused until the person gives it back. */
  readonly isUserTyping: boolean
}

/** An event of the stream of a terminal. */
export interface TerminalEvent {
  readonly cols: number
  readonly rows: number
  /** The display is cleared first. */
  readonly isReset: boolean
  readonly text: string
  /** The program has ended: no event follows. */
  readonly isLast: boolean
}

export interface ProjectView {
  readonly project: string
  readonly plan: { readonly goal: string; readonly startedAt: number } | null
  /** Open tasks: the current one, then the newest; more are read on request. */
  readonly tasks: readonly TaskView[]
  readonly openTasks: number
}

export interface TaskView {
  readonly id: number
  readonly name: string
  readonly isCurrent: boolean
  /** The first steps; more are read on request. */
  readonly steps: readonly StepView[]
  readonly stepsDone: number
  readonly stepsTotal: number
}

export interface StepView {
  readonly id: number
  readonly text: string
  readonly isDone: boolean
}

export interface CallView {
  readonly server: string
  readonly project: string
  readonly tool: string
  /** Summary of the input. */
  readonly about: string
  readonly outcome: 'ok' | 'error' | 'cancelled' | 'running'
  readonly startedAt: number
  readonly ms: number
}

/** An event of the stream of one part of a job's output. Offsets count bytes as printed. */
export interface OutputEvent {
  /** Start of the part. */
  readonly from: number
  /** Offset up to which it was read. */
  readonly next: number
  /** Bytes printed so far. */
  readonly size: number
  readonly isRunning: boolean
  /** Bytes that were dropped before `text`. */
  readonly missing: number
  /** To be appended to the text of the part. */
  readonly text: string
  /** Rows after it that may still change, such as a progress bar; replaces `open` of the previous event. */
  readonly open: string
  /** The part is complete: no event follows. */
  readonly isLast: boolean
}
