// One request in progress: its client, revision and abort signal, and `RequestCallContext`, the part that tools,
// resources and prompts receive. After it is cancelled or answered nothing more is sent through it. Created by
// session.ts, passed to the method handlers. Sends messages through the session; no other I/O.

import type { AskHost, AskSession, InputRequester } from '../client-requests/ask-client.js'
import type { OutgoingRequests } from '../client-requests/outgoing-requests.js'
import type { AuthContext } from '../definitions/auth-context.js'
import type {
  AskOptions,
  CallContext,
  ClientAbilities,
  ClientAnswers,
  ClientQuestions,
  LogLevel,
  TaskHandleOptions,
} from '../definitions/call-context.js'
import type { Caller } from '../definitions/caller.js'
import { INVALID_PARAMS } from '../errors.js'
import { type JsonObject, stringifyWellFormed } from '../json/json.js'
import { formatRpcNotification, type JsonRpcRequest, type MessageSink, TrackedAnswer } from '../jsonrpc/message.js'
import { TypedResult } from '../jsonrpc/result.js'
import type { TaskHandle } from '../protocol-tasks/task-handle.js'
import {
  type ClientProfile,
  isLogLevelEnabled,
  NO_ABILITIES,
  readClientAbilities,
} from '../revisions/client-profile.js'
import { MODERN_REVISION } from '../revisions/revision.js'
import type { McpServer } from '../server/mcp-server.js'

/** What all requests of one session share. */
export interface SessionContext extends AskSession {
  readonly server: McpServer
  readonly caller: Caller
  /** The requests sent to the client; created when the first is sent. */
  outgoingRequests: OutgoingRequests | undefined
}

export class RequestContext implements AskHost {
  /** Whether the result is marked as an error. */
  hasFailed = false
  /** False for a tool that only views of MCP Apps call. */
  isForModel = true
  /** Whether the work has finished; from then on it cannot be deferred. */
  isFinished = false
  /** Settles the pending result before the work ends; set while there is one. */
  resolveEarly: ((reply: TypedResult) => void) | undefined
  rejectEarly: ((error: Error) => void) | undefined
  /** Set once the call continues as a task; the outcome is then stored in the task handle. */
  taskHandle: TaskHandle | undefined
  /** The code that asks the client; undefined until it is loaded. */
  inputRequester: InputRequester | undefined
  state: 'open' | 'cancelled' | 'answered' | 'deferred' = 'open'
  #controller: AbortController | undefined
  #lastProgress = -Infinity
  #inputRequesterLoading: Promise<InputRequester> | undefined
  #deferral: Promise<boolean> | undefined
  // Created on first use: few calls have a listener.
  #writeListeners: ((written: boolean) => void)[] | undefined

  constructor(
    readonly request: JsonRpcRequest,
    readonly params: JsonObject,
    readonly client: ClientProfile,
    readonly sink: MessageSink,
    readonly session: SessionContext,
    /** The authentication of the request, if the transport has one. */
    readonly auth?: AuthContext<unknown> | undefined,
  ) {}

  get isAnswered(): boolean {
    return this.state === 'answered'
  }

  /** Whether the work was aborted, by the client or by the server. Errors thrown after that are not bugs. */
  get isAborted(): boolean {
    return this.#controller?.signal.aborted ?? false
  }

  // Created on first use: an AbortController costs more than most calls.
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  get clientAbilities(): ClientAbilities {
    const { client, sink, request } = this
    const abilities = readClientAbilities(client)
    if (client.revision !== MODERN_REVISION) {
      if (!sink.send) return { ...NO_ABILITIES, apps: abilities.apps }
      return sink.onWritten ? abilities : { ...abilities, push: false }
    }
    // Only tools/call may be answered with a task handle.
    const canDefer = request.method === 'tools/call' && this.session.server.supportsTasks
    return canDefer ? abilities : { ...abilities, tasks: false }
  }

  progress(done: number, { total, message }: { readonly total?: number; readonly message?: string } = {}): void {
    if (this.taskHandle) return message === undefined ? undefined : this.taskHandle.setStatusMessage(message)
    const { progressToken } = this.request
    if (progressToken === undefined || this.state !== 'open') return
    if (!Number.isFinite(done) || done <= this.#lastProgress) return
    this.#lastProgress = done
    const supportedMessage = this.client.revision >= '2025-03-26' ? message : undefined
    const progressParams = { progress: done, total, message: supportedMessage }
    const params = `{"progressToken":${progressToken},${stringifyWellFormed(progressParams).slice(1)}`
    this.sink.notify(formatRpcNotification('notifications/progress', params))
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    if (this.state !== 'open' || !isLogLevelEnabled(level, this.client.logLevel)) return
    if (!this.session.server.logging) return
    this.sink.notify(
      formatRpcNotification('notifications/message', stringifyWellFormed({ level, logger, data: data ?? null })),
    )
  }

  /** Loads the code that asks the client. One shared promise, so that questions asked together go into one round. */
  loadInputRequester(): Promise<InputRequester> {
    return (this.#inputRequesterLoading ??= this.#loadInputRequesterOnce())
  }

  async #loadInputRequesterOnce(): Promise<InputRequester> {
    // Loaded on first use: most servers never ask.
    const module = await import('../client-requests/ask-client.js')
    return (this.inputRequester = new module.InputRequester(this))
  }

  ask<Q extends ClientQuestions>(questions: Q, options?: AskOptions<ClientAnswers<Q>>): Promise<ClientAnswers<Q>>
  async ask(questions: ClientQuestions, options?: AskOptions): Promise<JsonObject> {
    const inputRequester = await this.loadInputRequester()
    return inputRequester.ask(questions, options)
  }

  async continueAsTask(options?: TaskHandleOptions): Promise<boolean> {
    if (this.inputRequester?.isInterrupted) this.inputRequester.throwInputRequired()
    return (this.#deferral ??= this.#createTaskHandle(options))
  }

  /**
   * Calls the listener with whether the answer was written to the client. An outcome stored in a task handle counts as
   * written.
   */
  onAnswerWritten(listener: (written: boolean) => void): void {
    if (this.state === 'open') (this.#writeListeners ??= []).push(listener)
    else listener(this.state === 'deferred')
  }

  /** Closes the request with an answer, whose delivery is reported to the listeners. */
  answer(text: string): string | TrackedAnswer {
    if (this.state === 'open') {
      this.state = 'answered'
      this.inputRequester?.cancelUnanswered()
    }
    const listeners = this.#writeListeners
    if (!listeners) return text
    this.#writeListeners = undefined
    return new TrackedAnswer(text, listeners)
  }

  /** Closes the request if it was not answered: no result is written. */
  closeUnanswered(): void {
    const answer = this.answer('')
    if (answer instanceof TrackedAnswer) answer.reportWritten(false)
  }

  /** Aborts the work; no answer will be sent. */
  cancel(reason: string): void {
    if (this.state !== 'open') return
    this.state = 'cancelled'
    this.#abortWork(reason)
  }

  /** Aborts the work; an answer may still be sent. */
  abort(reason: string): void {
    if (this.state === 'open') this.#abortWork(reason)
  }

  async #createTaskHandle(options: TaskHandleOptions | undefined): Promise<boolean> {
    const isDone = (): boolean => this.state !== 'open' || this.isAborted || this.isFinished
    if (!this.clientAbilities.tasks || isDone()) return false
    const { server, caller } = this.session
    const taskHandles = await server.taskHandles()
    const taskHandle = await taskHandles.create(
      { user: caller.user, abort: (reason) => this.#abortWork(reason) },
      options,
    )
    if (isDone()) {
      // Cancelled while the task handle was created: its id was never sent.
      await taskHandle.finish({ error: { code: INVALID_PARAMS, message: 'Cancelled.' } })
      return false
    }
    this.taskHandle = taskHandle
    this.state = 'deferred'
    this.resolveEarly?.(new TypedResult('task', taskHandle.members))
    return true
  }

  #abortWork(reason: string): void {
    this.#controller ??= new AbortController()
    this.#controller.abort(new Error(reason))
  }
}

/**
 * The view of a request context that tools, resources and prompts receive: values, and getters for what costs something
 * to create. Functions can be passed on detached from the object.
 */
export class RequestCallContext implements CallContext {
  readonly user: string
  readonly session: string
  readonly client: string
  readonly auth: AuthContext<unknown> | undefined
  readonly wantsProgress: boolean
  readonly #context: RequestContext

  constructor(context: RequestContext) {
    const { user, session } = context.session.caller
    this.user = user
    this.session = session
    this.client = context.client.name
    this.auth = context.auth
    this.wantsProgress = context.request.progressToken !== undefined
    this.#context = context
  }

  get signal(): AbortSignal {
    return this.#context.signal
  }

  get progress(): CallContext['progress'] {
    return (done, more) => this.#context.progress(done, more)
  }

  get log(): CallContext['log'] {
    return (level, data, logger) => this.#context.log(level, data, logger)
  }

  get clientAbilities(): ClientAbilities {
    return this.#context.clientAbilities
  }

  get ask(): CallContext['ask'] {
    return (questions, options) => this.#context.ask(questions, options)
  }

  get notifyListChanged(): CallContext['notifyListChanged'] {
    return (list) => this.#context.session.server.changeEvents.notifyListChanged(list)
  }

  get notifyResourceUpdated(): CallContext['notifyResourceUpdated'] {
    return (uri) => this.#context.session.server.changeEvents.notifyResourceUpdated(uri, this.user)
  }

  get continueAsTask(): CallContext['continueAsTask'] {
    return (options) => this.#context.continueAsTask(options)
  }

  get onAnswerWritten(): CallContext['onAnswerWritten'] {
    return (listener) => this.#context.onAnswerWritten(listener)
  }

  get closeConnection(): CallContext['closeConnection'] {
    return () => this.#context.sink.closeConnection?.()
  }
}
