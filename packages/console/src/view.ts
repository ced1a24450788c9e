// What the console shows, as plain JSON values, built by user-console, server-feed and database-view, for the page and
// the terminal. Each part is sent whole when it changes. Imports only types, because it runs in browsers too.

import type { FormQuestion } from '@scorpiox/server/calls/question-form'
import type { CallView, RecordedCall } from '@scorpiox/server/calls/recorded-call'
import type { JobEnd } from './i18n/job-ending.js'

export type { CallBlock, CallQuery, CallView } from '@scorpiox/server/calls/recorded-call'

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
export interface ServerView extends ServerReport {
  /** It has exited; it is shown for five more minutes with what it did. */
  readonly isGone: boolean
  /** Null if it is connected. */
  readonly goneAt: number | null
  /** Those of the user whose calls are known; the one with the latest call first. */
  readonly clients?: readonly ServerClientView[]
}

export interface ServerClientView {
  readonly session: string
  /** Name and version. */
  readonly client: string
  /** When its latest call started; rounded, so that it does not change with each call. */
  readonly lastCallAt: number
}

/** Which client an item comes from. */
export interface ClientOrigin {
  /** Undefined if its server runs an older version. */
  readonly session?: string | undefined
  /** Name and version; undefined while it is not known. */
  readonly client?: string | undefined
}

/** What a server reports about itself. */
export interface ServerReport {
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
export interface SecretView extends ClientOrigin {
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

export interface QuestionView extends ClientOrigin {
  readonly project: string
  readonly id: number
  readonly askedAt: number
  /** Whether a call currently waits for the answer. */
  readonly waiting: boolean
  readonly questions: readonly FormQuestion[]
}

/** A request to end plan mode, which the user decides on. The text is read on request. */
export interface ApprovalView extends ClientOrigin {
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

/** The open plan of a project. */
export interface PlanDetails {
  /** Null if nothing was written yet. */
  readonly text: string | null
  /** Since the version that the user rejected last, else since the last draft; null marks omitted lines. */
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
export interface MessageView extends ClientOrigin {
  readonly project: string
  readonly id: number
  readonly kind: 'callback' | 'answer'
  readonly text: string
  readonly createdAt: number
}

export interface CallbackView extends ClientOrigin {
  readonly project: string
  readonly session: string
  readonly slot: number
  readonly message: string
  readonly setAt?: number
  /** Wall clock time of this machine; null if it waits for an event. */
  readonly fireAt: number | null
  readonly everyMs: number
  /** -1: unlimited. */
  readonly repeatsLeft: number
  readonly job: number | null
  readonly pattern: string | null
}

export interface JobView extends JobEnd, ClientOrigin {
  readonly server: string
  readonly project: string
  readonly id: number
  /** In one line, and shortened if it is long. */
  readonly command: string
  /** There is more of the command than `command` shows. */
  readonly isCommandShortened?: boolean
  readonly startedAt: number
  readonly endedAt: number | null
  readonly isRunning: boolean
  /** The last lines of output, as a terminal would show them. */
  readonly tail: string
  /** Null if it has no terminal. */
  readonly terminal?: TerminalView | null
  /**
   * Null: not measured yet, or it has ended. `unknown`: it cannot be measured on the system of its server. Undefined: its
   * server runs an older version, which can neither measure nor restart it.
   */
  readonly usage?: JobUsageView | 'unknown' | null
}

/** What is read when a job is opened. */
export interface JobDetails {
  /** The whole command, with its line breaks. */
  readonly command: string
}

/** What the processes of a running job use. */
export interface JobUsageView {
  /** Those it listens on. */
  readonly ports: readonly number[]
  /** They can be reached from inside the job only. */
  readonly hasOwnNetwork: boolean
  readonly processes: number
  readonly memoryBytes: number
  /** Since it was started. */
  readonly processorMs: number
  /** When it was measured. */
  readonly at: number
  /** At regular intervals since `historySince`, the newest last; empty after the first measurement. */
  readonly history: readonly JobUsageSample[]
  readonly historySince: number
}

export interface JobUsageSample {
  /** Of one processor; more than 100 if several are used. */
  readonly processorPercent: number
  readonly memoryBytes: number
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
  readonly plan: OpenPlanView | null
  /** Open tasks: the current one, then the first of the list; all are listed on request. */
  readonly tasks: readonly TaskView[]
  readonly openTasks: number
  readonly doneTasks: number
  /** Grows with every change of the tasks of the project. */
  readonly taskRevision: number
}

export interface OpenPlanView {
  readonly goal: string
  readonly startedAt: number
  /** Number of the version saved last; 0: none. The text is read on request. */
  readonly version: number
}

export interface TaskView {
  readonly id: number
  readonly name: string
  readonly isCurrent: boolean
  readonly createdAt: number
  /** Null: it is open. */
  readonly completedAt: number | null
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

/** Selects tasks of a project. */
export interface TaskQuery {
  /** Words that must all occur in the name or the steps, and everything else that TaskManager accepts as its query. */
  readonly text: string
  readonly state: 'open' | 'done' | 'all'
  /** The `next` of an earlier page; null: the first page. */
  readonly after: number | null
}

export interface TaskPage {
  /** In the order that the model sees: newest first, unless a person has moved them. */
  readonly tasks: readonly TaskView[]
  /** Tasks on this page and those after it. */
  readonly found: number
  /** More match than `found` says. */
  readonly hasUncounted: boolean
  /** Null: there are no more. */
  readonly next: number | null
  /** That of the project view when the page was read. */
  readonly taskRevision: number
}

/** What a person changes. `id` is the number of a task, `step` that of a step of it. */
export type TaskChange =
  | { readonly kind: 'create'; readonly name: string; readonly steps: readonly string[] }
  /** `before` is the name as the person saw it: another one was given meanwhile if it is different now. */
  | { readonly kind: 'rename'; readonly id: number; readonly name: string; readonly before: string }
  | { readonly kind: 'complete' | 'reopen' | 'set-current'; readonly id: number }
  /** Is refused if the task is not as it was seen. */
  | {
      readonly kind: 'delete'
      readonly id: number
      readonly seen: Pick<TaskView, 'name' | 'stepsDone' | 'stepsTotal'> & { readonly isDone: boolean }
    }
  /** Gives an open task the place of another open one; those in between move by one place. */
  | { readonly kind: 'move'; readonly id: number; readonly to: number }
  | { readonly kind: 'add-steps'; readonly id: number; readonly steps: readonly string[] }
  | {
      readonly kind: 'rename-step'
      readonly id: number
      readonly step: number
      readonly text: string
      readonly before: string
    }
  | { readonly kind: 'complete-step' | 'reopen-step'; readonly id: number; readonly step: number }
  | {
      readonly kind: 'delete-step'
      readonly id: number
      readonly step: number
      readonly seen: Pick<StepView, 'text' | 'isDone'>
    }

export interface CallPage {
  /** Newest first. */
  readonly calls: readonly CallView[]
  /** Null: there are no more. */
  readonly next: string | null
  /** False: the settings turn the history off, so only the calls that servers keep in memory are listed. */
  readonly isHistoryKept: boolean
  /** Servers that did not answer the search in time: calls that only they have in memory may be missing. */
  readonly missing?: readonly string[]
}

export interface CallDetails extends RecordedCall {
  readonly rerunProblem: RerunProblem | null
}

/**
 * Why a person cannot run the call again: its server has exited, its arguments are not kept completely, or the tool is
 * for models only.
 */
export type RerunProblem = 'gone' | 'incomplete' | 'tool'

/** What happened in a session, and what waited for what. */
export interface SessionTimeline {
  readonly project: string
  readonly client: string
  /** Oldest first. */
  readonly entries: readonly TimelineEntry[]
  /** There were more calls before the first entry. */
  readonly hasEarlier: boolean
}

/**
 * A call runs while the model waits for it; a job runs on its own. A question and an approval wait for a person, a
 * callback for a time or a job, a message for the next call of the model.
 */
export interface TimelineEntry {
  readonly kind: 'call' | 'job' | 'question' | 'approval' | 'callback' | 'message'
  /** Of the call, job or question; unique among the entries of a kind. */
  readonly id: string
  readonly label: string
  readonly from: number
  /** Null: not yet. */
  readonly to: number | null
  /** Of a call or job; null for others. */
  readonly outcome: CallView['outcome'] | null
  /** Of a job: it is numbered per server. */
  readonly server?: string
}

/** Of a text that is searched in the output of a job. */
export const MAX_QUERY_CHARACTERS = 1000

/** A part of a job's output: the one from an offset, or the one before it. Offsets count bytes as printed. */
export type OutputOffset = { readonly from: number } | { readonly before: number }

/** Where a text was found in the output of a job. */
export interface FoundPart {
  /** The part that shows it; null if it was not found so far. */
  readonly found: OutputOffset | null
  /** Where the search goes on; null at the end, or if it was found. */
  readonly next: OutputOffset | null
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
  /** To be appended to the text of the part; with SGR sequences if styles were asked for. */
  readonly text: string
  /** Rows after it that may still change, such as a progress bar; replaces `open` of the previous event. */
  readonly open: string
  /** The part is complete: no event follows. */
  readonly isLast: boolean
}

/**
 * What the timeline of a session is made of, as a text that changes when the timeline does; without what changes all the
 * time, such as the output of a job.
 */
export function describeTimelineParts(view: ConsoleView, session: string): string {
  const { calls, jobs, questions, approvals, callbacks, messages } = view
  return JSON.stringify([
    calls.filter((call) => call.session === session).map(({ id, outcome }) => [id, outcome]),
    jobs.filter((job) => job.session === session).map(({ server, id, isRunning }) => [server, id, isRunning]),
    questions.map(({ id, project }) => [id, project]),
    approvals.map(({ id, project }) => [id, project]),
    callbacks.filter((each) => each.session === session).map(({ slot, fireAt, message }) => [slot, fireAt, message]),
    messages.map(({ id, project }) => [id, project]),
  ])
}
