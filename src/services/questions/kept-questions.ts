// Stores questions that the client did not answer. Each is answered once; the answer goes to the waiting call, or, if
// no call waits or its response could not be written, to the session as a pending message.

import * as timers from 'node:timers/promises'

import { Failure } from '../../lib/failure.js'
import type { Question, QuestionRow, Reply } from '../../store/state/question-rows.js'
import type { Rows, Scope, State } from '../../store/state/state.js'
import type { Watchers } from '../board/watchers.js'
import type { Who } from '../who.js'
import type { LazyState } from '../state.js'
import { answerQuestion } from './answer-question.js'
import { tellLater } from './late-answers.js'
import { readReplies } from './read-replies.js'
import { untilAnswered } from './until-answered.js'

const KEEP_QUESTIONS_MS = 7 * 24 * 60 * 60 * 1000
const RETRY_MS = 5000

export interface KeptQuestions {
  /** Stores a form; `waiting`: the call will wait for the answer. If it cannot be stored, the result says why. */
  keep(caller: Stoppable, form: readonly Question[], waiting: boolean): Promise<Kept>
  /** Waits for the answer. Undefined after the timeout; the call then no longer waits. */
  wait(caller: Stoppable, id: number, ms: number): Promise<Answered | undefined>
  /** Records whether the response with the answer was written to the client. */
  written(caller: Who, id: number, written: boolean): void
  /** Records a reply that the client sent after the timeout. */
  answerLate(caller: Who, storing: Promise<Kept>, replies: readonly Reply[]): void
  /**
   * Answers a stored form with what the model passes on; without answers returns its state. An earlier answer is kept.
   */
  answer(caller: Who, id: number, answers: unknown): Promise<Later>
  close(): Promise<void>
}

export interface Stoppable extends Who {
  readonly signal: AbortSignal
}

export type Kept = { readonly id: number } | { readonly id: undefined; readonly problem: string }

export type Answered = QuestionRow & { readonly replies: readonly Reply[] }

export interface Later {
  readonly row: QuestionRow
  /** It had been answered before this call. */
  readonly before: boolean
}

export interface KeptSettings {
  readonly state: LazyState
  readonly project: string
  readonly watchers: Watchers
  /** Claims the lease of the session before something is stored that may be delivered to it later. */
  readonly attend: (caller: Who) => Promise<void>
  /** Interval between attempts to write to the database. */
  readonly retryMs?: number
}

export function createKeptQuestions(settings: KeptSettings): KeptQuestions {
  const { state, project, watchers, attend, retryMs = RETRY_MS } = settings
  const pending = new Set<Promise<unknown>>()
  const closing = new AbortController()
  const scopeOf = ({ user }: Who): Scope => ({ project, user })

  async function write<T>(caller: Who, work: (rows: Rows) => Promise<T>): Promise<T> {
    return (await state.open()).write(scopeOf(caller), work)
  }

  /**
   * Runs in the background and is retried until the store closes; after that, the session that takes over handles it.
   */
  function runInBackground(work: () => Promise<unknown>): void {
    const done = retryUntilClosed(work).finally(() => pending.delete(done))
    pending.add(done)
  }

  async function retryUntilClosed(work: () => Promise<unknown>): Promise<void> {
    for (;;) {
      const isLast = closing.signal.aborted
      try {
        return void (await work())
      } catch (error) {
        if (isLast || !(error instanceof Failure)) return
      }
      await timers.setTimeout(retryMs, undefined, { ref: false, signal: closing.signal }).catch(() => undefined)
    }
  }

  return {
    async keep(caller, questions, waiting) {
      const { session, signal } = caller
      const askedAt = Date.now()
      try {
        // The question can be asked without a lease; a database failure is reported below.
        await attend(caller).catch(ignoreFailure)
        const { id } = await write(caller, async (rows) => {
          await rows.questions.forget(askedAt - KEEP_QUESTIONS_MS)
          return rows.questions.insert({ session, askedAt, waiting, questions })
        })
        if (signal.aborted) runInBackground(() => write(caller, (rows) => withdrawQuestion(rows, id)))
        return { id }
      } catch (error) {
        if (error instanceof Failure) return { id: undefined, problem: error.message }
        throw error
      }
    },
    async wait(caller, id, ms) {
      const { user, signal } = caller
      const opened = await state.open()
      const isWatched = (): boolean => watchers.isWatched(user)
      const onStir = (listener: () => void): (() => void) => onAnyChange(opened, watchers, listener)
      const look = (): Promise<boolean> => opened.read(scopeOf(caller), (rows) => isAnsweredOrGone(rows, id))
      try {
        await untilAnswered({ look, isWatched, onStir, ms, signal })
        return await write(caller, (rows) => takeAnswerOrStopWaiting(rows, id))
      } catch (error) {
        if (signal.aborted) runInBackground(() => write(caller, (rows) => withdrawQuestion(rows, id)))
        if (!(error instanceof Failure)) throw error
        if (!signal.aborted) runInBackground(() => write(caller, (rows) => stopWaitingOrQueue(rows, id)))
        return undefined
      }
    },
    written: (caller, id, written) => runInBackground(() => write(caller, (rows) => recordResponse(rows, id, written))),
    answerLate(caller, storing, replies) {
      runInBackground(async () => {
        const { id } = await storing
        // Only the first answer counts.
        if (id !== undefined) await write(caller, (rows) => recordLateReply(rows, id, replies).catch(ignoreFailure))
      })
    },
    answer: (caller, id, answers) => write(caller, (rows) => answerOrRead(rows, id, answers, caller.session)),
    async close() {
      closing.abort()
      await Promise.all(pending)
      await state.close()
    },
  }
}

function ignoreFailure(error: unknown): void {
  if (!(error instanceof Failure)) throw error
}

function onAnyChange(state: State, watchers: Watchers, listener: () => void): () => void {
  const unsubscribers = [state.onChange(listener), watchers.onChange(listener)]
  return () => unsubscribers.forEach((unsubscribe) => unsubscribe())
}

async function isAnsweredOrGone({ questions }: Rows, id: number): Promise<boolean> {
  const row = await questions.find(id)
  return row === undefined || row.replies !== null
}

/** One transaction, so that an answer is either returned by the call or queued, never lost. */
async function takeAnswerOrStopWaiting({ questions }: Rows, id: number): Promise<Answered | undefined> {
  const row = await questions.find(id)
  if (row?.replies) return { ...row, replies: row.replies }
  if (row) await questions.stopWaiting(id)
  return undefined
}

/** The call returned without an answer. */
async function stopWaitingOrQueue(rows: Rows, id: number): Promise<void> {
  if (await takeAnswerOrStopWaiting(rows, id)) await recordResponse(rows, id, false)
}

async function recordLateReply(rows: Rows, id: number, replies: readonly Reply[]): Promise<void> {
  await answerQuestion(rows, id, replies, 'client', Date.now())
}

/** Removes the question of a cancelled call; an answer given meanwhile is queued. */
async function withdrawQuestion(rows: Rows, id: number): Promise<void> {
  const row = await rows.questions.find(id)
  if (row?.replies) await recordResponse(rows, id, false)
  else await rows.questions.remove(id)
}

async function recordResponse(rows: Rows, id: number, written: boolean): Promise<void> {
  const row = await rows.questions.find(id)
  if (!row?.replies || row.deliveredAt !== null) return
  if (written) await rows.questions.deliver(id, Date.now())
  else await tellLater(rows, row, Date.now())
}

async function answerOrRead(rows: Rows, id: number, answers: unknown, session: string): Promise<Later> {
  const row = await rows.questions.find(id)
  if (!row) throw await noQuestion(rows, id)
  if (row.replies || answers === undefined) return { row, before: row.replies !== null }
  const replies = readReplies(row.questions, answers)
  return { row: await answerQuestion(rows, id, replies, 'call', Date.now(), session), before: false }
}

async function noQuestion({ questions }: Rows, id: number): Promise<Failure> {
  const open = (await questions.open()).map((row) => row.id)
  const which = open.length === 0 ? 'No question is open.' : `Open are: ${open.slice(-20).join(', ')}.`
  return new Failure(`There is no question ${id} in this project: it was withdrawn, or never asked. ${which}`)
}
