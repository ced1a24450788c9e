// Stores questions that the client did not answer and waits for their answers. Each is answered once; the answer goes to
// the waiting call, or, if no call waits or its response could not be written, to the session as a pending message. Used by
// question-service; the waits also by plan-approver. Reads and writes the database, partly in the background.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import { withTimeout } from '@scorpiox/mcp/promises'
import type { FormQuestion, QuestionReply } from '../../calls/question-form.js'
import { createBackgroundWrites } from '../../storage/background-writes.js'
import type { LazyDatabase, Scope, ScopedDatabase } from '../../storage/scoped-database.js'
import { answerQuestion, queueAnswerMessage } from './answer-question.js'
import { parseAnswers } from './answers-json.js'
import type { QuestionRow, QuestionTables } from './question-table.js'

const KEEP_QUESTIONS_MS = 7 * 24 * 60 * 60 * 1000

export interface QuestionStore {
  /** Stores a form; `waiting`: the call will wait for the answer. If it cannot be stored, the result says why. */
  store(caller: CancellableCaller, form: readonly FormQuestion[], waiting: boolean): Promise<StoreQuestionResult>
  /** Waits for the answer. Undefined after the timeout; the call then no longer waits. */
  waitForAnswer(
    caller: CancellableCaller,
    id: number,
    ms: number,
    presence: AnswererPresence,
  ): Promise<AnsweredQuestion | undefined>
  /** Records whether the response with the answer was written to the client. */
  recordDelivery(caller: Caller, id: number, written: boolean): void
  /** Records a reply that the client sent after the timeout. */
  recordLateAnswer(caller: Caller, storing: Promise<StoreQuestionResult>, replies: readonly QuestionReply[]): void
  /**
   * Answers a stored form with what the model passes on; without answers returns its state. An earlier answer is kept.
   */
  answer(caller: Caller, id: number, answers: unknown): Promise<FollowUpResult>
  /** The question with this id, or the open questions of the session. */
  listForView(caller: Caller, id: number | undefined): Promise<readonly QuestionRow[]>
  answerFromView(caller: Caller, id: number, replies: readonly QuestionReply[]): Promise<QuestionRow>
  close(): Promise<void>
}

/** Whether there is a user who can answer a stored question now. */
export interface AnswererPresence {
  isPresent(): boolean
  onChange(listener: () => void): () => void
}

export interface CancellableCaller extends Caller {
  readonly signal: AbortSignal
}

export type StoreQuestionResult = { readonly id: number } | { readonly id: undefined; readonly problem: string }

export type AnsweredQuestion = QuestionRow & { readonly replies: readonly QuestionReply[] }

export interface FollowUpResult {
  readonly row: QuestionRow
  /** It had been answered before this call. */
  readonly wasAnsweredBefore: boolean
}

export interface QuestionStoreDeps {
  readonly state: LazyDatabase<QuestionTables>
  readonly project: string
  /** Claims the lease of the session before something is stored that may be delivered to it later. */
  readonly claimLease: (caller: Caller) => Promise<void>
  /** Interval between attempts to write to the database. */
  readonly retryMs?: number
}

export function createQuestionStore(settings: QuestionStoreDeps): QuestionStore {
  const { state, project, claimLease, retryMs } = settings
  const background = createBackgroundWrites(retryMs)
  const scopeOf = ({ user }: Caller): Scope => ({ project, user })

  async function write<T>(caller: Caller, work: (rows: QuestionTables) => Promise<T>): Promise<T> {
    return (await state.open()).write(scopeOf(caller), work)
  }

  return {
    async store(caller, questions, waiting) {
      const { session, signal } = caller
      const askedAt = Date.now()
      try {
        // The question can be asked without a lease; a database failure is reported below.
        await claimLease(caller).catch(ignoreFailure)
        const { id } = await write(caller, async (rows) => {
          await rows.questions.deleteAskedBefore(askedAt - KEEP_QUESTIONS_MS)
          return rows.questions.insert({ session, askedAt, waiting, questions })
        })
        if (signal.aborted) background.run(() => write(caller, (rows) => withdrawQuestion(rows, id)))
        return { id }
      } catch (error) {
        if (error instanceof Failure) return { id: undefined, problem: error.message }
        throw error
      }
    },
    async waitForAnswer(caller, id, timeoutMs, presence) {
      const { signal } = caller
      const opened = await state.open()
      const onChange = (listener: () => void): (() => void) => onAnyChange(opened, presence, listener)
      const isAnswered = (): Promise<boolean> => opened.read(scopeOf(caller), (rows) => isAnsweredOrGone(rows, id))
      try {
        await waitUntilAnswered({ isAnswered, isUserPresent: () => presence.isPresent(), onChange, timeoutMs, signal })
        return await write(caller, (rows) => takeAnswerOrStopWaiting(rows, id))
      } catch (error) {
        if (signal.aborted) background.run(() => write(caller, (rows) => withdrawQuestion(rows, id)))
        if (!(error instanceof Failure)) throw error
        if (!signal.aborted) background.run(() => write(caller, (rows) => stopWaitingOrQueue(rows, id)))
        return undefined
      }
    },
    recordDelivery: (caller, id, written) =>
      background.run(() => write(caller, (rows) => recordResponse(rows, id, written))),
    recordLateAnswer(caller, storing, replies) {
      background.run(async () => {
        const { id } = await storing
        // Only the first answer counts.
        if (id !== undefined) await write(caller, (rows) => recordLateReply(rows, id, replies).catch(ignoreFailure))
      })
    },
    async listForView(caller, id) {
      return (await state.open()).read(scopeOf(caller), (rows) => listForView(rows, id, caller.session))
    },
    answerFromView: (caller, id, replies) =>
      write(caller, (rows) => answerQuestion(rows, id, replies, 'view', Date.now())),
    answer: (caller, id, answers) => write(caller, (rows) => answerOrRead(rows, id, answers, caller.session)),
    async close() {
      await background.close()
      await state.close()
    },
  }
}

function ignoreFailure(error: unknown): void {
  if (!(error instanceof Failure)) throw error
}

function onAnyChange(
  state: ScopedDatabase<QuestionTables>,
  watchers: AnswererPresence,
  listener: () => void,
): () => void {
  const unsubscribers = [state.onChange(listener), watchers.onChange(listener)]
  return () => unsubscribers.forEach((unsubscribe) => unsubscribe())
}

async function isAnsweredOrGone({ questions }: QuestionTables, id: number): Promise<boolean> {
  const row = await questions.find(id)
  return row === undefined || row.replies !== null
}

/** One transaction, so that an answer is either returned by the call or queued, never lost. */
async function takeAnswerOrStopWaiting(
  { questions }: QuestionTables,
  id: number,
): Promise<AnsweredQuestion | undefined> {
  const row = await questions.find(id)
  if (row?.replies) return { ...row, replies: row.replies }
  if (row) await questions.stopWaiting(id)
  return undefined
}

/** The call returned without an answer. */
async function stopWaitingOrQueue(rows: QuestionTables, id: number): Promise<void> {
  if (await takeAnswerOrStopWaiting(rows, id)) await recordResponse(rows, id, false)
}

async function recordLateReply(rows: QuestionTables, id: number, replies: readonly QuestionReply[]): Promise<void> {
  await answerQuestion(rows, id, replies, 'client', Date.now())
}

/** Removes the question of a cancelled call; an answer given meanwhile is queued. */
async function withdrawQuestion(rows: QuestionTables, id: number): Promise<void> {
  const row = await rows.questions.find(id)
  if (row?.replies) await recordResponse(rows, id, false)
  else await rows.questions.remove(id)
}

async function recordResponse(rows: QuestionTables, id: number, written: boolean): Promise<void> {
  const row = await rows.questions.find(id)
  if (!row?.replies || row.deliveredAt !== null) return
  if (written) await rows.questions.markDelivered(id, Date.now())
  else await queueAnswerMessage(rows, row, Date.now())
}

async function answerOrRead(
  rows: QuestionTables,
  id: number,
  answers: unknown,
  session: string,
): Promise<FollowUpResult> {
  const row = await rows.questions.find(id)
  if (!row) throw await noQuestion(rows, id)
  if (row.replies || answers === undefined) return { row, wasAnsweredBefore: row.replies !== null }
  const replies = parseAnswers(row.questions, answers)
  return { row: await answerQuestion(rows, id, replies, 'call', Date.now(), session), wasAnsweredBefore: false }
}

async function listForView(
  { questions }: QuestionTables,
  id: number | undefined,
  session: string,
): Promise<readonly QuestionRow[]> {
  if (id === undefined) return (await questions.listOpen()).filter((row) => row.session === session)
  const row = await questions.find(id)
  return row ? [row] : []
}

async function noQuestion({ questions }: QuestionTables, id: number): Promise<Failure> {
  const open = (await questions.listOpen()).map((row) => row.id)
  const which = open.length === 0 ? 'No question is open.' : `Open are: ${open.slice(-20).join(', ')}.`
  return new Failure(`There is no question ${id} in this project: it was withdrawn, or never asked. ${which}`)
}

const GRACE_MS = 5000

export interface WaitUntilAnsweredOptions {
  /** Called after each change. */
  readonly isAnswered: () => Promise<boolean>
  readonly isUserPresent: () => boolean
  readonly onChange: (listener: () => void) => () => void
  readonly timeoutMs: number
  readonly graceMs?: number
  readonly signal: AbortSignal
}

/**
 * Waits until a question is answered, the timeout expires, the call is cancelled, or the user has been away for some
 * seconds. Reloading the page interrupts presence only briefly.
 */
export async function waitUntilAnswered(options: WaitUntilAnsweredOptions): Promise<void> {
  const { isAnswered, isUserPresent, onChange, timeoutMs, graceMs = GRACE_MS, signal } = options
  const endsAt = performance.now() + timeoutMs
  let absentSince: number | undefined
  let notifyChange: (() => void) | undefined
  const wake = (): void => notifyChange?.()
  const unsubscribe = onChange(wake)
  signal.addEventListener('abort', wake)
  try {
    for (;;) {
      // Created before the check, so that a change during the check is not missed.
      const next = new Promise<void>((resolve) => (notifyChange = resolve))
      signal.throwIfAborted()
      if (await isAnswered()) return
      signal.throwIfAborted()
      const now = performance.now()
      absentSince = isUserPresent() ? undefined : (absentSince ?? now)
      const until = Math.min(endsAt, absentSince === undefined ? Infinity : absentSince + graceMs)
      if (now >= until) return
      await withTimeout(Math.ceil(until - now), next)
    }
  } finally {
    unsubscribe()
    signal.removeEventListener('abort', wake)
  }
}

/** Whether a user is looking at a console, as far as this process knows. */
export interface UserPresence {
  isPresent(user: string): boolean
  /** Calls the listener when presence may have changed. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
  /** Until then, by the clock of `performance`, a console that is open may not have connected yet. */
  readonly connectsUntil: number
}

/** Soon after the start of the server, a console that is open may not have connected yet. */
export async function waitForPresence(presence: Pick<UserPresence, 'onChange' | 'connectsUntil'>): Promise<void> {
  const remainingMs = presence.connectsUntil - performance.now()
  if (remainingMs <= 0) return
  let unsubscribe: (() => void) | undefined
  const connected = new Promise<void>((resolve) => (unsubscribe = presence.onChange(resolve)))
  await withTimeout(remainingMs, connected)
  unsubscribe?.()
}
