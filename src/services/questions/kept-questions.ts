// Questions that a client did not answer itself, kept until a person does. Each is answered once; the answer goes to the
// call that waits for it, and when none does, or its client could not be written to, to the session as a message.

import { setTimeout as sleep } from 'node:timers/promises'

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

const KEPT_MS = 7 * 24 * 60 * 60 * 1000
const RETRY_MS = 5000

export interface KeptQuestions {
  /** Keeps a form; `waiting` says that the call will wait for it. Where it cannot be kept it says why. */
  keep(asker: Stoppable, form: readonly Question[], waiting: boolean): Promise<Kept>
  /** The answered question; undefined when nobody answered in time, and then no call waits for it any more. */
  wait(asker: Stoppable, id: number, ms: number): Promise<Answered | undefined>
  /** To be told whether the answer that was waited for has been written to the client. */
  written(who: Who, id: number, written: boolean): void
  /** What a client said to the form when its time was up. */
  answerLate(who: Who, keeping: Promise<Kept>, replies: readonly Reply[]): void
  /** Answers a kept form with what the model passes on, or just looks; what was said before stays. */
  answer(who: Who, id: number, answers: unknown): Promise<Later>
  close(): Promise<void>
}

export interface Stoppable extends Who {
  readonly signal: AbortSignal
}

export type Kept = { readonly id: number } | { readonly id: undefined; readonly problem: string }

export type Answered = QuestionRow & { readonly replies: readonly Reply[] }

export interface Later {
  readonly row: QuestionRow
  /** It was answered by somebody else before. */
  readonly before: boolean
}

export interface KeptSettings {
  readonly state: LazyState
  readonly project: string
  readonly watchers: Watchers
  /** Called before something is kept that this session may have to be told of later. */
  readonly attend: (who: Who) => Promise<void>
  /** How soon it is tried again to write down what could not be. */
  readonly retryMs?: number
}

export function createKeptQuestions(settings: KeptSettings): KeptQuestions {
  const { state, project, watchers, attend, retryMs = RETRY_MS } = settings
  const pending = new Set<Promise<unknown>>()
  const ending = new AbortController()
  const scopeOf = ({ user }: Who): Scope => ({ project, user })

  async function write<T>(who: Who, work: (rows: Rows) => Promise<T>): Promise<T> {
    return (await state.open()).write(scopeOf(who), work)
  }

  /** Nobody can be told if it fails: it is tried again, and at the end left to whoever takes the session over. */
  function inTime(work: () => Promise<unknown>): void {
    const done = insist(work).finally(() => pending.delete(done))
    pending.add(done)
  }

  async function insist(work: () => Promise<unknown>): Promise<void> {
    for (;;) {
      const isLast = ending.signal.aborted
      try {
        return void (await work())
      } catch (error) {
        if (isLast || !(error instanceof Failure)) return
      }
      await sleep(retryMs, undefined, { ref: false, signal: ending.signal }).catch(() => undefined)
    }
  }

  return {
    async keep(asker, questions, waiting) {
      const { session, signal } = asker
      const askedAt = Date.now()
      try {
        // Who cannot be told can still ask; and what is wrong with the store is said below.
        await attend(asker).catch(ignoreFailure)
        const { id } = await write(asker, async (rows) => {
          await rows.questions.forget(askedAt - KEPT_MS)
          return rows.questions.insert({ session, askedAt, waiting, questions })
        })
        if (signal.aborted) inTime(() => write(asker, (rows) => withdraw(rows, id)))
        return { id }
      } catch (error) {
        if (error instanceof Failure) return { id: undefined, problem: error.message }
        throw error
      }
    },
    async wait(asker, id, ms) {
      const { user, signal } = asker
      const opened = await state.open()
      const isWatched = (): boolean => watchers.isWatched(user)
      const onStir = (listener: () => void): (() => void) => both(opened, watchers, listener)
      const look = (): Promise<boolean> => opened.read(scopeOf(asker), (rows) => isOver(rows, id))
      try {
        await untilAnswered({ look, isWatched, onStir, ms, signal })
        return await write(asker, (rows) => takeOrStop(rows, id))
      } catch (error) {
        if (signal.aborted) inTime(() => write(asker, (rows) => withdraw(rows, id)))
        if (!(error instanceof Failure)) throw error
        if (!signal.aborted) inTime(() => write(asker, (rows) => giveUp(rows, id)))
        return undefined
      }
    },
    written: (who, id, written) => inTime(() => write(who, (rows) => settle(rows, id, written))),
    answerLate(who, keeping, replies) {
      inTime(async () => {
        const { id } = await keeping
        // Who comes second is not heard.
        if (id !== undefined) await write(who, (rows) => answerLate(rows, id, replies).catch(ignoreFailure))
      })
    },
    answer: (who, id, answers) => write(who, (rows) => answerOrLook(rows, id, answers, who.session)),
    async close() {
      ending.abort()
      await Promise.all(pending)
      await state.close()
    },
  }
}

function ignoreFailure(error: unknown): void {
  if (!(error instanceof Failure)) throw error
}

function both(state: State, watchers: Watchers, listener: () => void): () => void {
  const ways = [state.onChange(listener), watchers.onChange(listener)]
  return () => ways.forEach((leave) => leave())
}

async function isOver({ questions }: Rows, id: number): Promise<boolean> {
  const row = await questions.find(id)
  return row === undefined || row.replies !== null
}

/** One look, so that an answer is either taken by the call or told later, never neither. */
async function takeOrStop({ questions }: Rows, id: number): Promise<Answered | undefined> {
  const row = await questions.find(id)
  if (row?.replies) return { ...row, replies: row.replies }
  if (row) await questions.stopWaiting(id)
  return undefined
}

/** The call has gone on without an answer. */
async function giveUp(rows: Rows, id: number): Promise<void> {
  if (await takeOrStop(rows, id)) await settle(rows, id, false)
}

async function answerLate(rows: Rows, id: number, replies: readonly Reply[]): Promise<void> {
  await answerQuestion(rows, id, replies, 'client', Date.now())
}

/** Nobody wants to know any more; what was said all the same is not lost. */
async function withdraw(rows: Rows, id: number): Promise<void> {
  const row = await rows.questions.find(id)
  if (row?.replies) await settle(rows, id, false)
  else await rows.questions.remove(id)
}

async function settle(rows: Rows, id: number, written: boolean): Promise<void> {
  const row = await rows.questions.find(id)
  if (!row?.replies || row.deliveredAt !== null) return
  if (written) await rows.questions.deliver(id, Date.now())
  else await tellLater(rows, row, Date.now())
}

async function answerOrLook(rows: Rows, id: number, answers: unknown, session: string): Promise<Later> {
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
