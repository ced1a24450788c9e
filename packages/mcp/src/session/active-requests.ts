// The running requests of one session: runs the method handlers, aborts or cancels them, and returns one answer for each
// (without a promise if the handler is synchronous). Used by session.ts. No I/O of its own: logs errors through the server,
// and stores the outcome of a deferred call in its task handle.

import { echo, Failure, INTERNAL_ERROR, ProtocolError } from '../errors.js'
import {
  ErrorAnswer,
  formatRpcError,
  formatRpcResult,
  type JsonRpcAnswer,
  type JsonRpcRequest,
  type PendingAnswer,
} from '../jsonrpc/message.js'
import { getResultMembers, type HandlerResult } from '../jsonrpc/result.js'
import type { MethodHandler } from '../methods/method.js'
import type { TaskHandle, TaskHandleOutcome } from '../protocol-tasks/task-handle.js'
import type { RequestContext } from '../request/request-context.js'
import { formatServerInfo, wrapModernResult } from '../revisions/modern-request.js'
import { MODERN_REVISION } from '../revisions/revision.js'
import type { McpServer } from '../server/mcp-server.js'

// Bounds memory: a client that does not read its answers could otherwise fill it.
const MAX_IN_FLIGHT = 2000
const TOO_MANY = `Too many requests at once: ${MAX_IN_FLIGHT} are being worked on. Wait for some of them to finish.`

export class ActiveRequests {
  // Sets rather than maps by id, because a client may use an id twice at once.
  readonly #contexts = new Set<RequestContext>()
  readonly #pending = new Set<Promise<JsonRpcAnswer>>()
  #stopReason: string | undefined

  constructor(private readonly server: McpServer) {}

  get isBusy(): boolean {
    return this.#pending.size > 0
  }

  async whenIdle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  /** Aborts all work, and work that starts later; answers may still be sent. */
  abort(reason: string): void {
    this.#stopReason = reason
    for (const context of this.#contexts) context.abort(reason)
  }

  /** Answers requests whose work did not stop when aborted. */
  answerUnfinished(): void {
    for (const context of this.#contexts) context.rejectEarly?.(new Error('given up'))
  }

  /** Cancels the request with this id without an answer; without an id, all requests. */
  cancel(reason: string, id?: string): void {
    if (id === undefined) this.#stopReason = reason
    for (const context of this.#contexts) {
      if (id === undefined || context.request.id === id) context.cancel(reason)
    }
  }

  /** Tracks an answer until it is ready. */
  trackPending(pendingAnswer: Promise<JsonRpcAnswer>): Promise<JsonRpcAnswer> {
    this.#pending.add(pendingAnswer)
    void pendingAnswer.then(() => this.#pending.delete(pendingAnswer))
    return pendingAnswer
  }

  start(method: MethodHandler, context: RequestContext): PendingAnswer {
    try {
      if (this.#contexts.size >= MAX_IN_FLIGHT) throw new ProtocolError(INTERNAL_ERROR, TOO_MANY)
      const result = method(this.server, context)
      return result instanceof Promise
        ? this.trackPending(this.#awaitResult(context, result))
        : this.answer(context, result)
    } catch (error) {
      context.closeUnanswered()
      return this.answerError(context.request, error, false)
    }
  }

  answer(context: RequestContext, result: HandlerResult): JsonRpcAnswer {
    const { request, client } = context
    const { identity, serverInfoJson } = this.server
    // Icons may be large: they are sent once, not with every result.
    const members =
      client.revision === MODERN_REVISION
        ? wrapModernResult(result, request.method === 'server/discover' ? formatServerInfo(identity) : serverInfoJson)
        : `{${getResultMembers(result)}}`
    return context.answer(formatRpcResult(request.id, members))
  }

  /** `early`: before any work was started. */
  answerError(request: JsonRpcRequest, error: unknown, early: boolean): ErrorAnswer {
    if (!(error instanceof ProtocolError)) this.server.logError(error)
    const protocolError = toProtocolError(error, request)
    return new ErrorAnswer(protocolError.code, formatRpcError(request.id, protocolError), early)
  }

  async #awaitResult(context: RequestContext, result: Promise<HandlerResult>): Promise<JsonRpcAnswer> {
    this.#contexts.add(context)
    if (this.#stopReason !== undefined) context.abort(this.#stopReason)
    try {
      const text = await new Promise<HandlerResult>((resolve, reject) => {
        context.resolveEarly = resolve
        context.rejectEarly = reject
        this.#awaitOutcome(context, result).then(resolve, reject)
      })
      if (context.inputRequester?.isInterrupted) return await this.#inputRequired(context)
      return context.state === 'cancelled' ? undefined : this.answer(context, text)
    } catch (error) {
      if (context.inputRequester?.isInterrupted) return await this.#inputRequired(context)
      if (context.state === 'cancelled') return undefined
      return this.answerError(context.request, context.isAborted ? this.#unfinishedError() : error, false)
    } finally {
      if (context.state !== 'answered') context.closeUnanswered()
      this.#contexts.delete(context)
    }
  }

  /** Stores the outcome in the task handle if the call was deferred. */
  async #awaitOutcome(context: RequestContext, result: Promise<HandlerResult>): Promise<HandlerResult> {
    try {
      const text = await result
      context.isFinished = true
      return context.taskHandle
        ? await this.#storeOutcome(context.taskHandle, { result: `{${getResultMembers(text)}}` })
        : text
    } catch (error) {
      context.isFinished = true
      if (context.taskHandle) return this.#storeError(context, context.taskHandle, error)
      throw error
    }
  }

  async #inputRequired(context: RequestContext): Promise<JsonRpcAnswer> {
    try {
      const inputRequester = await context.loadInputRequester()
      const reply = await inputRequester.createInputRequiredResult()
      return context.state === 'cancelled' ? undefined : this.answer(context, reply)
    } catch (error) {
      return this.answerError(context.request, error, false)
    }
  }

  async #storeOutcome(taskHandle: TaskHandle, outcome: TaskHandleOutcome): Promise<HandlerResult> {
    try {
      await taskHandle.finish(outcome)
    } catch (error) {
      // The request was answered before; a client that polls the task learns that it was not finished.
      this.server.logError(error)
    }
    return ''
  }

  #storeError({ request, isAborted }: RequestContext, taskHandle: TaskHandle, error: unknown): Promise<HandlerResult> {
    if (!(error instanceof ProtocolError) && !isAborted) this.server.logError(error)
    const { code, message } = toProtocolError(error, request)
    return this.#storeOutcome(taskHandle, { error: { code, message } })
  }

  #unfinishedError(): ProtocolError {
    return new ProtocolError(INTERNAL_ERROR, `Not finished: ${this.#stopReason ?? 'stopped'}`)
  }
}

/** Hides the details of unexpected errors from the client. */
function toProtocolError(error: unknown, { method }: JsonRpcRequest): ProtocolError {
  if (error instanceof ProtocolError) return error
  if (error instanceof Failure) return new ProtocolError(INTERNAL_ERROR, error.message)
  return new ProtocolError(INTERNAL_ERROR, `Internal error in ${echo(method, 100)}; see the server's log`)
}
