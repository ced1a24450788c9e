// One running task handle (a call that continues after its response): its status, its questions to the client, and its
// outcome. The first outcome wins and is stored durably before it is visible. Created by task-handles.ts. Writes to the
// store of handles; sets timers.

import type { ChangeEvents } from '../definitions/change-events.js'
import { Failure, INTERNAL_ERROR } from '../errors.js'
import type { JsonObject } from '../json/json.js'
import type { WireRequest } from '../jsonrpc/message.js'
import { stringifyMembers } from '../jsonrpc/result.js'
import type { TaskHandleRecord, TaskHandleStore } from './task-handle-store.js'

export interface TaskHandleOwner {
  readonly user: string
  /** Aborts the work. */
  abort(reason: string): void
}

export type TaskHandleOutcome =
  | { readonly result: string }
  | { readonly error: { readonly code: number; readonly message: string } }

export interface TaskHandle {
  readonly members: string
  /** Sets the status message that clients see when they poll. */
  setStatusMessage(message: string): void
  /** Waits until the client has answered every question. */
  ask(
    questions: Readonly<Record<string, TaskHandleQuestion>>,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<JsonObject>
  finish(outcome: TaskHandleOutcome): Promise<void>
}

export interface TaskHandleQuestion {
  readonly request: WireRequest
  /** Whether an answer can be used. */
  readonly isUsable: (answer: unknown) => boolean
}

export interface TaskHandleDeps {
  readonly owner: TaskHandleOwner
  readonly store: TaskHandleStore
  readonly changeEvents: ChangeEvents
  /** Called at the end, when the outcome is stored. */
  onEnd(): void
}

export class RunningTaskHandle implements TaskHandle {
  readonly #openQuestions = new Map<string, WireRequest>()
  readonly #usedKeys = new Set<string>()
  readonly #waiters = new Set<(responses: JsonObject) => void>()
  #isOver = false

  constructor(
    public record: TaskHandleRecord,
    private readonly deps: TaskHandleDeps,
  ) {}

  get members(): string {
    if (this.#openQuestions.size === 0) return formatTaskRecord(this.record)
    const inputRequests = Object.fromEntries(this.#openQuestions)
    return `${formatTaskRecord(this.record, 'input_required')},${stringifyMembers({ inputRequests })}`
  }

  setStatusMessage(message: string): void {
    this.#update({ message })
  }

  async ask(
    questions: Readonly<Record<string, TaskHandleQuestion>>,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const pending = Object.entries(questions).map(([key, { request, isUsable }]) => {
      return { key, wireKey: this.#uniqueKey(key), question: request, fits: isUsable }
    })
    const answers = new Map<string, unknown>()
    const acceptAnswers = (responses: JsonObject): boolean => {
      for (const { key, wireKey, fits } of pending) {
        const response = responses[wireKey]
        if (!this.#openQuestions.has(wireKey) || !fits(response)) continue
        this.#openQuestions.delete(wireKey)
        answers.set(key, response)
      }
      return answers.size === pending.length
    }
    for (const { wireKey, question } of pending) this.#openQuestions.set(wireKey, question)
    this.#update({})
    try {
      await this.#waitForAnswers(timeoutMs, signal, acceptAnswers)
    } finally {
      for (const { wireKey } of pending) this.#openQuestions.delete(wireKey)
      this.#update({})
    }
    return Object.fromEntries(answers)
  }

  handleAnswers(responses: JsonObject): void {
    for (const waiter of this.#waiters) waiter(responses)
  }

  async finish(outcome: TaskHandleOutcome): Promise<void> {
    const message = 'error' in outcome ? outcome.error.message : this.record.message
    await this.#end({ status: 'error' in outcome ? 'failed' : 'completed', message, ...outcome })
  }

  async cancel(): Promise<void> {
    await this.#endAndAbortWork({ status: 'cancelled', message: 'Cancelled by the client.' }, 'cancelled by the client')
  }

  async fail(reason: string): Promise<void> {
    const error = { code: INTERNAL_ERROR, message: reason }
    await this.#endAndAbortWork({ status: 'failed', message: reason, error }, reason)
  }

  /** The outcome is set before the work is aborted, so that the resulting error is not taken for the outcome. */
  async #endAndAbortWork(outcomeFields: OutcomeFields, reason: string): Promise<void> {
    const ended = this.#end(outcomeFields)
    this.deps.owner.abort(reason)
    await ended
  }

  async #end(outcomeFields: OutcomeFields): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    const record = { ...this.record, ...outcomeFields, updatedAt: Date.now() }
    try {
      await this.deps.store.save(record)
    } finally {
      this.#openQuestions.clear()
      this.record = record
      this.deps.onEnd()
      this.#publish()
    }
  }

  #waitForAnswers(
    timeoutMs: number,
    signal: AbortSignal,
    acceptAnswers: (responses: JsonObject) => boolean,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        this.#waiters.delete(waiter)
      }
      const onAbort = (): void => {
        end()
        reject(signal.reason instanceof Error ? signal.reason : new Error('stopped'))
      }
      const timer = setTimeout(() => {
        end()
        reject(new Failure(`No answer within ${Math.ceil(timeoutMs / 1000)} s.`))
      }, timeoutMs)
      const waiter = (responses: JsonObject): void => {
        const before = this.#openQuestions.size
        if (acceptAnswers(responses)) {
          end()
          resolve()
        } else if (this.#openQuestions.size < before) this.#update({})
      }
      this.#waiters.add(waiter)
      signal.addEventListener('abort', onAbort)
      if (signal.aborted) onAbort()
    })
  }

  // A key that was answered must not be reused for another question.
  #uniqueKey(key: string): string {
    let unique = key
    for (let count = 2; this.#usedKeys.has(unique); count++) unique = `${key}-${count}`
    this.#usedKeys.add(unique)
    return unique
  }

  #update(change: Pick<TaskHandleRecord, 'message'>): void {
    if (this.#isOver) return
    this.record = { ...this.record, ...change, updatedAt: Date.now() }
    this.#publish()
  }

  #publish(): void {
    const { id, user } = this.record
    this.deps.changeEvents.publish({ kind: 'task', id, user, params: this.members })
  }
}

type OutcomeFields = Pick<TaskHandleRecord, 'status' | 'message'> & Partial<TaskHandleRecord>

/** Formats a record as the members of a protocol task. */
export function formatTaskRecord(record: TaskHandleRecord, status: string = record.status): string {
  const { id, message, createdAt, updatedAt, ttlMs, pollMs, result, error } = record
  const members = stringifyMembers({
    taskId: id,
    status,
    statusMessage: message,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs,
    pollIntervalMs: pollMs,
    error,
  })
  return result === undefined ? members : `${members},"result":${result}`
}
