// Calls that outlive their answer (the wire says tasks): made durable before the handle is given out, asked about,
// answered and cancelled by whoever made them and by nobody else. What they come to is kept until its time is up.

import { randomBytes } from 'node:crypto'

import { Failure } from '../lib/failure.js'
import { isObject, type JsonObject } from '../lib/json.js'
import type { Notices } from '../services/notices.js'
import type { TicketRecord, TicketStore } from '../store/ticket-store.js'
import type { DeferOptions } from '../tools/call.js'
import { INTERNAL_ERROR, INVALID_PARAMS, ProtocolError } from './protocol-error.js'
import type { WireQuestion } from './questions.js'
import { memberText } from './reply.js'

const DAY_MS = 24 * 60 * 60 * 1000
const POLL_MS = 1000

export interface Tickets {
  /** Resolves when the ticket would be found by another process. */
  create(owner: TicketOwner, options?: DeferOptions): Promise<Ticket>
  /** The members that describe it. */
  describe(user: string, id: string): Promise<string>
  answer(user: string, id: string, responses: JsonObject): Promise<void>
  cancel(user: string, id: string): Promise<void>
  /** Ends the work of all that are left; each says so to whoever asks later. */
  close(): Promise<void>
}

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
  /** Parks the work until the client has answered every question. `fits` tells a usable answer. */
  ask(questions: Readonly<Record<string, Asked>>, timeoutMs: number, signal: AbortSignal): Promise<JsonObject>
  finish(outcome: Outcome): Promise<void>
}

export interface Asked {
  readonly question: WireQuestion
  fits(answer: unknown): boolean
}

export function createTickets(store: TicketStore, notices: Notices): Tickets {
  const working = new Map<string, LiveTicket>()

  async function find(user: string, id: unknown): Promise<LiveTicket | TicketRecord> {
    const live = typeof id === 'string' ? working.get(id) : undefined
    if (live?.record.user === user) return live
    const record = typeof id === 'string' ? await store.load(user, id) : undefined
    if (!record)
      throw new ProtocolError(INVALID_PARAMS, 'Task not found: it never existed, has expired or is not yours')
    return record.status === 'working' && !isAlive(record.pid) ? orphaned(record) : record
  }

  return {
    async create(owner, { ttlMs = DAY_MS, pollMs = POLL_MS, message } = {}) {
      const now = Date.now()
      const id = randomBytes(18).toString('base64url')
      const times = { createdAt: now, updatedAt: now, ttlMs, pollMs }
      const { user } = owner
      const record: TicketRecord = { id, user, pid: process.pid, ...times, status: 'working', message }
      await store.save(record)
      const live = new LiveTicket(record, owner, store, notices, () => working.delete(id))
      working.set(id, live)
      return live
    },
    async describe(user, id) {
      const found = await find(user, id)
      return found instanceof LiveTicket ? found.members : describeRecord(found)
    },
    async answer(user, id, responses) {
      const found = await find(user, id)
      if (found instanceof LiveTicket) found.take(responses)
    },
    async cancel(user, id) {
      const found = await find(user, id)
      if (found instanceof LiveTicket) await found.cancel()
    },
    async close() {
      await Promise.allSettled([...working.values()].map((live) => live.stop('The server was stopped.')))
    },
  }
}

class LiveTicket implements Ticket {
  readonly #open = new Map<string, WireQuestion>()
  readonly #used = new Set<string>()
  readonly #waiting = new Set<(responses: JsonObject) => void>()
  #over = false

  constructor(
    public record: TicketRecord,
    private readonly owner: TicketOwner,
    private readonly store: TicketStore,
    private readonly notices: Notices,
    private readonly leave: () => void,
  ) {}

  get members(): string {
    if (this.#open.size === 0) return describeRecord(this.record)
    const inputRequests = Object.fromEntries(this.#open)
    return `${describeRecord(this.record, 'input_required')},${memberText({ inputRequests })}`
  }

  say(message: string): void {
    this.record = { ...this.record, message, updatedAt: Date.now() }
    this.#publish()
  }

  async ask(questions: Readonly<Record<string, Asked>>, timeoutMs: number, signal: AbortSignal): Promise<JsonObject> {
    const keys = new Map(Object.keys(questions).map((key) => [this.#uniqueKey(key), key]))
    for (const [wireKey, key] of keys) {
      const asked = questions[key]
      if (asked) this.#open.set(wireKey, asked.question)
    }
    this.#touch()
    const answers: JsonObject = {}
    try {
      await this.#answered(timeoutMs, signal, (responses) => {
        for (const [wireKey, key] of keys) {
          const response = responses[wireKey]
          if (!this.#open.has(wireKey) || !questions[key]?.fits(response)) continue
          this.#open.delete(wireKey)
          Object.assign(answers, { [key]: response })
        }
        return [...keys.keys()].every((wireKey) => !this.#open.has(wireKey))
      })
    } finally {
      for (const wireKey of keys.keys()) this.#open.delete(wireKey)
      this.#touch()
    }
    return answers
  }

  take(responses: JsonObject): void {
    for (const waiter of this.#waiting) waiter(responses)
  }

  async finish(outcome: Outcome): Promise<void> {
    const message = 'error' in outcome ? outcome.error.message : this.record.message
    await this.#end({ status: 'error' in outcome ? 'failed' : 'completed', message, ...outcome })
  }

  async cancel(): Promise<void> {
    await this.#end({ status: 'cancelled', message: 'Cancelled by the client.' })
    this.owner.abort('cancelled by the client')
  }

  async stop(reason: string): Promise<void> {
    this.owner.abort(reason)
    await this.#end({ status: 'failed', message: reason, error: { code: INTERNAL_ERROR, message: reason } })
  }

  /** The first end counts. It is durable before anybody can see it. */
  async #end(ending: Pick<TicketRecord, 'status' | 'message'> & Partial<TicketRecord>): Promise<void> {
    if (this.#over) return
    this.#over = true
    const record = { ...this.record, ...ending, updatedAt: Date.now() }
    try {
      await this.store.save(record)
    } finally {
      this.#open.clear()
      this.record = record
      this.leave()
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
        if (!take(responses)) return this.#touch()
        end()
        resolve()
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

  #touch(): void {
    if (this.#over) return
    this.record = { ...this.record, updatedAt: Date.now() }
    this.#publish()
  }

  #publish(): void {
    const { id, user } = this.record
    this.notices.publish({ kind: 'ticket', id, user, params: this.members })
  }
}

function describeRecord(record: TicketRecord, status: string = record.status): string {
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

function orphaned(record: TicketRecord): TicketRecord {
  const message = 'The server ended while it worked on this.'
  return { ...record, status: 'failed', message, error: { code: INTERNAL_ERROR, message } }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isObject(error) && error.code === 'EPERM'
  }
}
