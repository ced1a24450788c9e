// One request being worked on: who asked, at which revision, and the ways up that a tool is handed.
// After it is cancelled or answered nothing more leaves through it.

import { printJson, type JsonObject } from '../lib/json.js'
import type { Who } from '../services/who.js'
import type { Abilities, Answers, AskOptions, Call, DeferOptions, LogLevel, Questions } from '../tools/call.js'
import type { Asking } from './asking.js'
import { abilitiesOf, NO_ABILITIES, wantsToHear, type Client } from './client.js'
import type { ClientRequests } from './client-requests.js'
import { ExchangeCall } from './exchange-call.js'
import { notificationText, Registered, type Request } from './message.js'
import type { Outlet } from './outlet.js'
import { INVALID_PARAMS } from './protocol-error.js'
import { Reply } from './reply.js'
import { MODERN_REVISION } from './revision.js'
import type { Server } from './server.js'
import type { Ticket } from './live-ticket.js'

// For the transports, until they import both types from where they are declared.
export type { Outlet } from './outlet.js'
export type Peer = Who

/** What all exchanges of one session share. */
export interface Conversation {
  readonly server: Server
  readonly peer: Peer
  /** Ours to the client; there once something was asked. */
  requests: ClientRequests | undefined
}

export class Exchange {
  /** Whether the tool's outcome is one to repair. */
  failed = false
  /** Whether the work has come to its outcome: from then on there is nothing left to defer. */
  done = false
  #controller: AbortController | undefined
  #lastProgress = -Infinity
  #state: 'open' | 'cancelled' | 'answered' | 'deferred' = 'open'
  #asking: Asking | undefined
  #opening: Promise<Asking> | undefined
  #deferring: Promise<boolean> | undefined
  #ticket: Ticket | undefined
  #settle: ((reply: Reply) => void) | undefined
  #reject: ((error: Error) => void) | undefined
  // Made on first use: hardly a call has somebody who wants to know.
  #awaitingWriting: ((written: boolean) => void)[] | undefined

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

  get answered(): boolean {
    return this.#state === 'answered'
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
    const { client, outlet, request } = this
    const abilities = abilitiesOf(client)
    if (client.revision !== MODERN_REVISION) {
      if (!outlet.send) return NO_ABILITIES
      return outlet.written ? abilities : { ...abilities, push: false }
    }
    // Of all methods only this one may be answered with a handle.
    const mayDefer = request.method === 'tools/call' && this.conversation.server.defers
    return mayDefer ? abilities : { ...abilities, defer: false }
  }

  progress(done: number, { total, message }: { readonly total?: number; readonly message?: string } = {}): void {
    if (this.#ticket) return message === undefined ? undefined : this.#ticket.say(message)
    const { progressToken } = this.request
    if (progressToken === undefined || this.#state !== 'open') return
    if (!Number.isFinite(done) || done <= this.#lastProgress) return
    this.#lastProgress = done
    const words = this.client.revision >= '2025-03-26' ? message : undefined
    const known = { progress: done, total, message: words }
    const params = `{"progressToken":${progressToken},${printJson(known).slice(1)}`
    this.outlet.notify(notificationText('notifications/progress', params))
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    if (this.#state !== 'open' || !wantsToHear(level, this.client.logLevel)) return
    if (!this.conversation.server.logging) return
    this.outlet.notify(notificationText('notifications/message', printJson({ level, logger, data: data ?? null })))
  }

  /** The questions of this call. One promise for all: what is asked together goes on together, and is asked in one round. */
  asking(): Promise<Asking> {
    return (this.#opening ??= this.#openAsking())
  }

  async #openAsking(): Promise<Asking> {
    // Loaded when somebody is asked: most servers never do.
    const module = await import('./asking.js')
    return (this.#asking = new module.Asking(this))
  }

  ask<Q extends Questions>(questions: Q, options?: AskOptions<Answers<Q>>): Promise<Answers<Q>>
  async ask(questions: Questions, options?: AskOptions): Promise<JsonObject> {
    const asking = await this.asking()
    return asking.ask(questions, options)
  }

  /** Whether the work ended because the client must be asked first. */
  get asks(): boolean {
    return this.#asking?.interrupts ?? false
  }

  /** Resolves to the handle if the work is deferred, else to what it comes to. */
  first<T>(work: Promise<T>): Promise<T | Reply> {
    return new Promise((resolve, reject) => {
      this.#settle = resolve
      this.#reject = reject
      work.then(resolve, reject)
    })
  }

  async defer(options?: DeferOptions): Promise<boolean> {
    if (this.#asking?.interrupts) this.#asking.interrupt()
    return (this.#deferring ??= this.#defer(options))
  }

  /** Set once the call has outlived its answer: what it comes to belongs there. */
  get ticket(): Ticket | undefined {
    return this.#ticket
  }

  /** Tells whether the answer was written to the client; an outcome that a ticket keeps counts as written. */
  whenWritten(listener: (written: boolean) => void): void {
    if (this.#state === 'open') (this.#awaitingWriting ??= []).push(listener)
    else listener(this.#state === 'deferred')
  }

  registered(text: string): string | Registered {
    const told = this.#awaitingWriting
    if (!told) return text
    this.#awaitingWriting = undefined
    return new Registered(text, told)
  }

  /** There was nothing to write. */
  unsent(): void {
    const told = this.#awaitingWriting ?? []
    this.#awaitingWriting = undefined
    for (const tell of told) tell(false)
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

  /** Nobody waits any longer for work that does not stop. */
  giveUp(): void {
    this.#reject?.(new Error('given up'))
  }

  close(): void {
    if (this.#state !== 'open') return
    this.#state = 'answered'
    this.#asking?.end()
  }

  async #defer(options: DeferOptions | undefined): Promise<boolean> {
    const isOver = (): boolean => this.#state !== 'open' || this.stopped || this.done
    if (!this.can.defer || isOver()) return false
    const { server, peer } = this.conversation
    const tickets = await server.tickets()
    const ticket = await tickets.create({ user: peer.user, abort: (reason) => this.#stop(reason) }, options)
    if (isOver()) {
      // Cancelled while the ticket was made: nobody will ever hear of it.
      await ticket.finish({ error: { code: INVALID_PARAMS, message: 'Cancelled.' } })
      return false
    }
    this.#ticket = ticket
    this.#state = 'deferred'
    this.#settle?.(new Reply('task', ticket.members))
    return true
  }

  #stop(reason: string): void {
    this.#controller ??= new AbortController()
    this.#controller.abort(new Error(reason))
  }
}
