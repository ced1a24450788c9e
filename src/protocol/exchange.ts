// One request in progress: its client, revision and abort signal, and the operations behind CallContext. After it is
// cancelled or answered nothing more is sent through it.

import { printJson, type JsonObject } from '../lib/json.js'
import type { Who } from '../services/who.js'
import type { Abilities, Answers, AskOptions, Call, DeferOptions, LogLevel, Questions } from '../tools/call.js'
import type { AskHost, AskSession, Asking } from './asking.js'
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

/** What all requests of one session share. */
export interface Conversation extends AskSession {
  readonly server: Server
  readonly peer: Who
  /** The requests sent to the client; created when the first is sent. */
  requests: ClientRequests | undefined
}

export class Exchange implements AskHost {
  /** Whether the result is marked as an error. */
  failed = false
  /** Whether the work has finished; from then on it cannot be deferred. */
  done = false
  #controller: AbortController | undefined
  #lastProgress = -Infinity
  #state: 'open' | 'cancelled' | 'answered' | 'deferred' = 'open'
  #inputRequester: Asking | undefined
  #inputRequesterLoading: Promise<Asking> | undefined
  #deferral: Promise<boolean> | undefined
  #taskHandle: Ticket | undefined
  #resolveEarly: ((reply: Reply) => void) | undefined
  #rejectEarly: ((error: Error) => void) | undefined
  // Created on first use: few calls have a listener.
  #writeListeners: ((written: boolean) => void)[] | undefined

  constructor(
    readonly request: Request,
    readonly params: JsonObject,
    readonly client: Client,
    readonly outlet: Outlet,
    readonly conversation: Conversation,
  ) {}

  /** Creates the view of this request that a tool receives. */
  toCall(): Call {
    return new ExchangeCall(this)
  }

  get cancelled(): boolean {
    return this.#state === 'cancelled'
  }

  get answered(): boolean {
    return this.#state === 'answered'
  }

  /** Whether the work was aborted, by the client or by the server. Errors thrown after that are not bugs. */
  get stopped(): boolean {
    return this.#controller?.signal.aborted ?? false
  }

  // Created on first use: an AbortController costs more than most calls.
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
    // Only tools/call may be answered with a task handle.
    const canDefer = request.method === 'tools/call' && this.conversation.server.defers
    return canDefer ? abilities : { ...abilities, defer: false }
  }

  progress(done: number, { total, message }: { readonly total?: number; readonly message?: string } = {}): void {
    if (this.#taskHandle) return message === undefined ? undefined : this.#taskHandle.say(message)
    const { progressToken } = this.request
    if (progressToken === undefined || this.#state !== 'open') return
    if (!Number.isFinite(done) || done <= this.#lastProgress) return
    this.#lastProgress = done
    const supportedMessage = this.client.revision >= '2025-03-26' ? message : undefined
    const progressParams = { progress: done, total, message: supportedMessage }
    const params = `{"progressToken":${progressToken},${printJson(progressParams).slice(1)}`
    this.outlet.notify(notificationText('notifications/progress', params))
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    if (this.#state !== 'open' || !wantsToHear(level, this.client.logLevel)) return
    if (!this.conversation.server.logging) return
    this.outlet.notify(notificationText('notifications/message', printJson({ level, logger, data: data ?? null })))
  }

  /** Loads the code that asks the client. One shared promise, so that questions asked together go into one round. */
  asking(): Promise<Asking> {
    return (this.#inputRequesterLoading ??= this.#loadInputRequesterOnce())
  }

  async #loadInputRequesterOnce(): Promise<Asking> {
    // Loaded on first use: most servers never ask.
    const module = await import('./asking.js')
    return (this.#inputRequester = new module.Asking(this))
  }

  ask<Q extends Questions>(questions: Q, options?: AskOptions<Answers<Q>>): Promise<Answers<Q>>
  async ask(questions: Questions, options?: AskOptions): Promise<JsonObject> {
    const inputRequester = await this.asking()
    return inputRequester.ask(questions, options)
  }

  /** Whether the call ended because the client must be asked first. */
  get asks(): boolean {
    return this.#inputRequester?.interrupts ?? false
  }

  /** Resolves to the task handle if the work is deferred, otherwise to the result of the work. */
  first<T>(work: Promise<T>): Promise<T | Reply> {
    return new Promise((resolve, reject) => {
      this.#resolveEarly = resolve
      this.#rejectEarly = reject
      work.then(resolve, reject)
    })
  }

  async defer(options?: DeferOptions): Promise<boolean> {
    if (this.#inputRequester?.interrupts) this.#inputRequester.interrupt()
    return (this.#deferral ??= this.#createTaskHandle(options))
  }

  /** Set once the call continues as a task; the outcome is then stored in the task handle. */
  get ticket(): Ticket | undefined {
    return this.#taskHandle
  }

  /**
   * Calls the listener with whether the answer was written to the client. An outcome stored in a task handle counts as
   * written.
   */
  whenWritten(listener: (written: boolean) => void): void {
    if (this.#state === 'open') (this.#writeListeners ??= []).push(listener)
    else listener(this.#state === 'deferred')
  }

  registered(text: string): string | Registered {
    const listeners = this.#writeListeners
    if (!listeners) return text
    this.#writeListeners = undefined
    return new Registered(text, listeners)
  }

  /** Reports to the listeners that no answer was written. */
  unsent(): void {
    const listeners = this.#writeListeners ?? []
    this.#writeListeners = undefined
    for (const listener of listeners) listener(false)
  }

  /** Aborts the work; no answer will be sent. */
  cancel(reason: string): void {
    if (this.#state !== 'open') return
    this.#state = 'cancelled'
    this.#abortWork(reason)
  }

  /** Aborts the work; an answer may still be sent. */
  abort(reason: string): void {
    if (this.#state === 'open') this.#abortWork(reason)
  }

  /** Rejects the pending result of work that does not stop. */
  giveUp(): void {
    this.#rejectEarly?.(new Error('given up'))
  }

  close(): void {
    if (this.#state !== 'open') return
    this.#state = 'answered'
    this.#inputRequester?.end()
  }

  async #createTaskHandle(options: DeferOptions | undefined): Promise<boolean> {
    const isDone = (): boolean => this.#state !== 'open' || this.stopped || this.done
    if (!this.can.defer || isDone()) return false
    const { server, peer } = this.conversation
    const taskHandles = await server.tickets()
    const taskHandle = await taskHandles.create(
      { user: peer.user, abort: (reason) => this.#abortWork(reason) },
      options,
    )
    if (isDone()) {
      // Cancelled while the task handle was created: its id was never sent.
      await taskHandle.finish({ error: { code: INVALID_PARAMS, message: 'Cancelled.' } })
      return false
    }
    this.#taskHandle = taskHandle
    this.#state = 'deferred'
    this.#resolveEarly?.(new Reply('task', taskHandle.members))
    return true
  }

  #abortWork(reason: string): void {
    this.#controller ??= new AbortController()
    this.#controller.abort(new Error(reason))
  }
}
