// One request being worked on: who asked, at which revision, and the ways up that a tool is handed.
// After it is cancelled or answered nothing more leaves through it.

import { Failure } from '../lib/failure.js'
import { isObject, type JsonObject } from '../lib/json.js'
import type {
  Abilities,
  Answers,
  AskOptions,
  Call,
  DeferOptions,
  LogLevel,
  Question,
  Questions,
} from '../tools/call.js'
import { abilitiesOf, NO_ABILITIES, wantsToHear, type Client } from './client.js'
import type { ClientRequests } from './client-requests.js'
import { notificationText, type Request } from './message.js'
import { INVALID_PARAMS, ProtocolError } from './protocol-error.js'
import { checkAbilities, problemWith, wireQuestion } from './questions.js'
import { memberText, Reply } from './reply.js'
import { MODERN_REVISION } from './revision.js'
import type { Server } from './server.js'
import type { Ticket } from './tickets.js'

const ASK_MS = 10 * 60 * 1000

/** Where what the client did not ask for goes. */
export interface Outlet {
  /** May leave it out, while the client does not read. */
  notify(text: string): void
  /** Must arrive. Absent where nothing but the answer fits. */
  readonly send?: ((text: string) => void) | undefined
  /** Ends the connection of a client that can come back for the rest. */
  hangUp?(): void
}

/** Who is at the other end. */
export interface Peer {
  readonly user: string
  readonly session: string
}

/** What all exchanges of one session share. */
export interface Conversation {
  readonly server: Server
  readonly peer: Peer
  readonly requests: ClientRequests
}

/** Thrown out of a call whose questions go to a modern client: it comes back with the answers. */
class InputRequired extends Error {
  override readonly name = 'InputRequired'
}

export class Exchange {
  /** Whether the tool's outcome is one to repair. */
  failed = false
  #controller: AbortController | undefined
  #lastProgress = -Infinity
  #state: 'open' | 'cancelled' | 'answered' | 'deferred' = 'open'
  #answers: JsonObject = {}
  #open: { readonly questions: Record<string, Question>; lifeMs: number } | undefined
  #ticket: Ticket | undefined
  #settle: ((reply: Reply) => void) | undefined

  constructor(
    readonly request: Request,
    readonly params: JsonObject,
    readonly client: Client,
    readonly outlet: Outlet,
    readonly conversation: Conversation,
  ) {}

  /** What a tool may do with it. */
  toCall(): Call {
    return new ExchangeCall(this)
  }

  get cancelled(): boolean {
    return this.#state === 'cancelled'
  }

  /** Whether the work was told to stop, by the client or by us: what it throws then is no bug. */
  get stopped(): boolean {
    return this.#controller?.signal.aborted ?? false
  }

  // Made on first use: most calls are over before anybody asks for it, and a controller costs more than they do.
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  get can(): Abilities {
    const { client, outlet } = this
    const abilities = abilitiesOf(client)
    const mayDefer = abilities.defer && this.conversation.server.defers
    if (client.revision === MODERN_REVISION) return mayDefer ? abilities : { ...abilities, defer: false }
    return outlet.send ? abilities : NO_ABILITIES
  }

  progress(done: number, { total, message }: { readonly total?: number; readonly message?: string } = {}): void {
    if (this.#ticket) return message === undefined ? undefined : this.#ticket.say(message.toWellFormed())
    const { progressToken } = this.request
    if (progressToken === undefined || this.#state !== 'open') return
    if (!Number.isFinite(done) || done <= this.#lastProgress) return
    this.#lastProgress = done
    const words = this.client.revision >= '2025-03-26' ? message?.toWellFormed() : undefined
    const known = { progress: done, total, message: words }
    const params = `{"progressToken":${progressToken},${JSON.stringify(known).slice(1)}`
    this.outlet.notify(notificationText('notifications/progress', params))
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    if (this.#state !== 'open' || !wantsToHear(level, this.client.logLevel)) return
    if (this.conversation.server.logging) {
      this.outlet.notify(notificationText('notifications/message', JSON.stringify({ level, logger, data })))
    }
  }

  ask<Q extends Questions>(questions: Q, options?: AskOptions): Promise<Answers<Q>>
  async ask(questions: Questions, { timeoutMs = ASK_MS }: AskOptions = {}): Promise<JsonObject> {
    checkAbilities(questions, this.can)
    if (this.#ticket) return this.#askByTicket(this.#ticket, questions, timeoutMs)
    if (this.client.revision === MODERN_REVISION) return this.#askByReturning(questions, timeoutMs)
    const asked = Object.entries(questions).map(async ([key, question]) => [
      key,
      await this.#request(question, timeoutMs),
    ])
    return Object.fromEntries(await Promise.all(asked))
  }

  /** Takes up what a modern client brought back. */
  async resume(): Promise<void> {
    const { requestState, inputResponses = {} } = this.params
    if (!isObject(inputResponses)) {
      throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'inputResponses' must be an object")
    }
    // Who can be asked can also answer unasked; the seal is there for what earlier rounds have settled.
    if (requestState === undefined) return void (this.#answers = inputResponses)
    const { server } = this.conversation
    const { answers, asked } = (await server.states()).open(this.#bond(), requestState)
    const keys = Array.isArray(asked) ? asked.filter((key) => Object.hasOwn(inputResponses, String(key))) : []
    const brought = keys.map((key) => [key, inputResponses[key]])
    this.#answers = { ...(isObject(answers) ? answers : {}), ...Object.fromEntries(brought) }
  }

  /** Whether the work ended because the client must be asked first. */
  get asks(): boolean {
    return this.#open !== undefined
  }

  async inputRequired(): Promise<Reply> {
    const { questions, lifeMs } = this.#open ?? { questions: {}, lifeMs: ASK_MS }
    const { server } = this.conversation
    const wired = Object.entries(questions).map(([key, question]) => [key, this.#wire(question)])
    const content = { answers: this.#answers, asked: Object.keys(questions) }
    const requestState = (await server.states()).seal(this.#bond(), content, lifeMs)
    return new Reply('input_required', memberText({ inputRequests: Object.fromEntries(wired), requestState }))
  }

  /** Resolves to the handle if the work is deferred, else to what it comes to. */
  first<T>(work: Promise<T>): Promise<T | Reply> {
    return new Promise((resolve, reject) => {
      this.#settle = resolve
      work.then(resolve, reject)
    })
  }

  async defer(options?: DeferOptions): Promise<boolean> {
    if (this.#ticket) return true
    if (!this.can.defer || this.#state !== 'open') return false
    const { server, peer } = this.conversation
    const tickets = await server.tickets()
    const ticket = await tickets.create({ user: peer.user, abort: (reason) => this.#stop(reason) }, options)
    if (this.#state !== 'open') {
      // Cancelled while the ticket was made: nobody will ever hear of it.
      await ticket.finish({ error: { code: INVALID_PARAMS, message: 'Cancelled.' } })
      return false
    }
    this.#ticket = ticket
    this.#state = 'deferred'
    this.#settle?.(new Reply('task', ticket.members))
    return true
  }

  /** Set once the call has outlived its answer: what it comes to belongs there. */
  get ticket(): Ticket | undefined {
    return this.#ticket
  }

  /** The client no longer wants an answer. */
  cancel(reason: string): void {
    if (this.#state !== 'open') return
    this.#state = 'cancelled'
    this.#stop(reason)
  }

  /** The work must stop now; an answer may still be given. */
  abort(reason: string): void {
    if (this.#state === 'open') this.#stop(reason)
  }

  close(): void {
    if (this.#state === 'open') this.#state = 'answered'
  }

  #stop(reason: string): void {
    this.#controller ??= new AbortController()
    this.#controller.abort(new Error(reason))
  }

  #wire(question: Question) {
    return wireQuestion(question, this.client.revision, this.conversation.server.model)
  }

  #bond() {
    return { user: this.conversation.peer.user, method: this.request.method, params: this.params }
  }

  async #request(question: Question, timeoutMs: number): Promise<unknown> {
    const { outlet, signal } = this
    const answer = await this.conversation.requests.send({ ...this.#wire(question), outlet, timeoutMs, signal })
    const problem = problemWith(question, answer)
    if (problem !== undefined) throw new Failure(`The client's answer cannot be used: ${problem}.`)
    return answer
  }

  #askByReturning(questions: Questions, timeoutMs: number): JsonObject {
    const unanswered = Object.entries(questions).filter(([key, question]) => problemWith(question, this.#answers[key]))
    if (unanswered.length === 0) {
      return Object.fromEntries(Object.keys(questions).map((key) => [key, this.#answers[key]]))
    }
    this.#open ??= { questions: {}, lifeMs: 0 }
    Object.assign(this.#open.questions, Object.fromEntries(unanswered))
    this.#open.lifeMs = Math.max(this.#open.lifeMs, timeoutMs)
    throw new InputRequired('the client must be asked first')
  }

  #askByTicket(ticket: Ticket, questions: Questions, timeoutMs: number): Promise<JsonObject> {
    const asked = Object.entries(questions).map(([key, question]) => [
      key,
      { question: this.#wire(question), fits: (answer: unknown) => problemWith(question, answer) === undefined },
    ])
    return ticket.ask(Object.fromEntries(asked), timeoutMs, this.signal)
  }
}

// Getters, so that a call which uses nothing of this pays for nothing, and what is taken out of it can be passed on.
class ExchangeCall implements Call {
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  get user(): string {
    return this.#exchange.conversation.peer.user
  }

  get session(): string {
    return this.#exchange.conversation.peer.session
  }

  get signal(): AbortSignal {
    return this.#exchange.signal
  }

  get wantsProgress(): boolean {
    return this.#exchange.request.progressToken !== undefined
  }

  get progress(): Call['progress'] {
    return (done, more) => this.#exchange.progress(done, more)
  }

  get log(): Call['log'] {
    return (level, data, logger) => this.#exchange.log(level, data, logger)
  }

  get can(): Abilities {
    return this.#exchange.can
  }

  get ask(): Call['ask'] {
    return (questions, options) => this.#exchange.ask(questions, options)
  }

  get changed(): Call['changed'] {
    return (list) => this.#exchange.conversation.server.notices.changed(list)
  }

  get updated(): Call['updated'] {
    return (uri) => this.#exchange.conversation.server.notices.updated(uri, this.user)
  }

  get defer(): Call['defer'] {
    return (options) => this.#exchange.defer(options)
  }

  get hangUp(): Call['hangUp'] {
    return () => this.#exchange.outlet.hangUp?.()
  }
}
