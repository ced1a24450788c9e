// A deferred call while its process works on it: what it says of itself, the questions it waits on, and its end, of
// which the first counts. A record that has an end is durable before anybody can see it.

import { Failure } from '../lib/failure.js'
import type { JsonObject } from '../lib/json.js'
import type { Notices } from '../services/notices.js'
import type { TicketRecord, TicketStore } from '../store/ticket-store.js'
import type { WireQuestion } from './message.js'
import { INTERNAL_ERROR } from './protocol-error.js'
import { memberText } from './reply.js'

export interface TicketOwner {
  readonly user: string
  /** Ends the work. */
  abort(reason: string): void
}

export type Outcome =
  | { readonly result: string }
  | { readonly error: { readonly code: number; readonly message: string } }

export interface Ticket {
  readonly members: string
  /** Shown to whoever asks how it goes. */
  say(message: string): void
  /** Parks the work until the client has answered every question. */
  ask(questions: Readonly<Record<string, Asked>>, timeoutMs: number, signal: AbortSignal): Promise<JsonObject>
  finish(outcome: Outcome): Promise<void>
}

export interface Asked {
  readonly question: WireQuestion
  /** Tells a usable answer. */
  readonly fits: (answer: unknown) => boolean
}

export interface Surroundings {
  readonly owner: TicketOwner
  readonly store: TicketStore
  readonly notices: Notices
  /** Called at the end, when the store knows it all. */
  leave(): void
}

export class LiveTicket implements Ticket {
  readonly #open = new Map<string, WireQuestion>()
  readonly #used = new Set<string>()
  readonly #waiting = new Set<(responses: JsonObject) => void>()
  #over = false

  constructor(
    public record: TicketRecord,
    private readonly around: Surroundings,
  ) {}

  get members(): string {
    if (this.#open.size === 0) return describeRecord(this.record)
    const inputRequests = Object.fromEntries(this.#open)
    return `${describeRecord(this.record, 'input_required')},${memberText({ inputRequests })}`
  }

  say(message: string): void {
    this.#change({ message })
  }

  async ask(questions: Readonly<Record<string, Asked>>, timeoutMs: number, signal: AbortSignal): Promise<JsonObject> {
    const asked = Object.entries(questions).map(([key, { question, fits }]) => {
      return { key, wireKey: this.#uniqueKey(key), question, fits }
    })
    const answers = new Map<string, unknown>()
    const take = (responses: JsonObject): boolean => {
      for (const { key, wireKey, fits } of asked) {
        const response = responses[wireKey]
        if (!this.#open.has(wireKey) || !fits(response)) continue
        this.#open.delete(wireKey)
        answers.set(key, response)
      }
      return answers.size === asked.length
    }
    for (const { wireKey, question } of asked) this.#open.set(wireKey, question)
    this.#change({})
    try {
      await this.#answered(timeoutMs, signal, take)
    } finally {
      for (const { wireKey } of asked) this.#open.delete(wireKey)
      this.#change({})
    }
    return Object.fromEntries(answers)
  }

  take(responses: JsonObject): void {
    for (const waiter of this.#waiting) waiter(responses)
  }

  async finish(outcome: Outcome): Promise<void> {
    const message = 'error' in outcome ? outcome.error.message : this.record.message
    await this.#end({ status: 'error' in outcome ? 'failed' : 'completed', message, ...outcome })
  }

  async cancel(): Promise<void> {
    await this.#endAndAbort({ status: 'cancelled', message: 'Cancelled by the client.' }, 'cancelled by the client')
  }

  async stop(reason: string): Promise<void> {
    const error = { code: INTERNAL_ERROR, message: reason }
    await this.#endAndAbort({ status: 'failed', message: reason, error }, reason)
  }

  /** Decided before the work hears of it, so that what it throws then is not taken for its outcome. */
  async #endAndAbort(ending: Ending, reason: string): Promise<void> {
    const ended = this.#end(ending)
    this.around.owner.abort(reason)
    await ended
  }

  async #end(ending: Ending): Promise<void> {
    if (this.#over) return
    this.#over = true
    const record = { ...this.record, ...ending, updatedAt: Date.now() }
    try {
      await this.around.store.save(record)
    } finally {
      this.#open.clear()
      this.record = record
      this.around.leave()
      this.#publish()
    }
  }

  #answered(timeoutMs: number, signal: AbortSignal, take: (responses: JsonObject) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
        this.#waiting.delete(waiter)
      }
      const stop = (): void => {
        end()
        reject(signal.reason instanceof Error ? signal.reason : new Error('stopped'))
      }
      const timer = setTimeout(() => {
        end()
        reject(new Failure(`Nobody answered within ${Math.ceil(timeoutMs / 1000)} s.`))
      }, timeoutMs)
      const waiter = (responses: JsonObject): void => {
        const before = this.#open.size
        if (take(responses)) {
          end()
          resolve()
        } else if (this.#open.size < before) this.#change({})
      }
      this.#waiting.add(waiter)
      signal.addEventListener('abort', stop)
      if (signal.aborted) stop()
    })
  }

  // A key that was answered must never mean another question.
  #uniqueKey(key: string): string {
    let unique = key
    for (let count = 2; this.#used.has(unique); count++) unique = `${key}-${count}`
    this.#used.add(unique)
    return unique
  }

  #change(change: Pick<TicketRecord, 'message'>): void {
    if (this.#over) return
    this.record = { ...this.record, ...change, updatedAt: Date.now() }
    this.#publish()
  }

  #publish(): void {
    const { id, user } = this.record
    this.around.notices.publish({ kind: 'task', id, user, params: this.members })
  }
}

type Ending = Pick<TicketRecord, 'status' | 'message'> & Partial<TicketRecord>

/** The members that the protocol has for a task. */
export function describeRecord(record: TicketRecord, status: string = record.status): string {
  const { id, message, createdAt, updatedAt, ttlMs, pollMs, result, error } = record
  const members = memberText({
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
