// What a person sees of everything that goes on, as plain values: the same for the page and for the terminal. Each part
// is told whole whenever it changes.

import type { Question } from '../../store/state/question-rows.js'

export interface BoardView {
  readonly servers: readonly ServerView[]
  readonly questions: readonly QuestionView[]
  readonly messages: readonly MessageView[]
  readonly callbacks: readonly CallbackView[]
  readonly jobs: readonly JobView[]
  readonly projects: readonly ProjectView[]
  readonly calls: readonly CallView[]
  /** What is wrong with the places this comes from, in sentences. */
  readonly problems: readonly string[]
}

export type Part = keyof BoardView

/** Some parts, each whole. */
export type BoardChange = Partial<BoardView>

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
  /** Why it does not, or only in part. */
  readonly note: string | null
}

export interface QuestionView {
  readonly project: string
  readonly id: number
  readonly askedAt: number
  /** Whether a call waits for it just now. */
  readonly waiting: boolean
  readonly questions: readonly Question[]
}

/** Something a model has not been told yet. */
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
  /** By the calendar of this machine; null where it waits for an event. */
  readonly fireAt: number | null
  readonly everyMs: number
  /** -1: for ever. */
  readonly repeatsLeft: number
  readonly job: number | null
  readonly pattern: string | null
}

export interface JobView {
  readonly server: string
  readonly project: string
  readonly id: number
  readonly command: string
  readonly startedAt: number
  readonly endedAt: number | null
  readonly isRunning: boolean
  readonly exitCode: number | null
  /** How it ended, in a word or two; '' while it runs. */
  readonly ending: string
  /** The last lines it printed, as a terminal would show them. */
  readonly tail: string
}

export interface ProjectView {
  readonly project: string
  readonly plan: { readonly goal: string; readonly startedAt: number } | null
  /** Unfinished ones, the current first, then the newest; the rest is read on request. */
  readonly tasks: readonly TaskView[]
  readonly openTasks: number
}

export interface TaskView {
  readonly id: number
  readonly name: string
  readonly isCurrent: boolean
  /** The first ones; the rest is read on request. */
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
  /** The first words of its input. */
  readonly about: string
  readonly outcome: 'ok' | 'error' | 'cancelled' | 'running'
  readonly startedAt: number
  readonly ms: number
}

/** An event of the stream of a job's output. The stream covers one part of it; offsets count bytes as printed. */
export interface OutputEvent {
  /** Where the part begins. */
  readonly from: number
  /** Up to where it has been read. */
  readonly next: number
  /** Bytes that the job has printed so far. */
  readonly size: number
  readonly isRunning: boolean
  /** Bytes that were dropped before `text`. */
  readonly missing: number
  /** To be appended to the text of the part. */
  readonly text: string
  /** Rows behind it that may still change, such as a progress bar; replaces the `open` of the event before. */
  readonly open: string
  /** The part is complete: no event follows. */
  readonly isLast: boolean
}
