// Requests from the server to a client of a legacy revision: each has its own id, a timeout and one outcome. A request
// that times out is cancelled at the client so that its dialog closes. A late answer is passed to its callback while
// the connection lasts. One instance per session; ask-client.ts sends, session.ts passes the answers. Sends messages;
// sets timers.

import { echo, Failure } from '../errors.js'
import { isJsonObject, stringifyWellFormed } from '../json/json.js'
import { formatRpcNotification, formatRpcRequest, type JsonRpcResponse, type MessageSink } from '../jsonrpc/message.js'

/** Maximum number of timed-out requests whose answer is still accepted. */
const MAX_OVERDUE = 100

export interface OutgoingRequest {
  readonly method: string
  readonly params: object
  readonly sink: MessageSink
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Receives a result that arrives after the timeout. */
  readonly onLateAnswer?: ((result: unknown) => void) | undefined
}

export interface SentRequest {
  /** The client's result; a Failure if it rejects the request or does not answer in time. */
  readonly result: Promise<unknown>
  /** Cancels the request at the client; does nothing once it has answered. */
  cancel(reason: string): void
}

export class OutgoingRequests {
  readonly #pending = new Map<string, (response: JsonRpcResponse) => void>()
  readonly #overdue = new Map<string, (result: unknown) => void>()
  #lastId = 0

  send({ method, params, sink, timeoutMs, signal, onLateAnswer }: OutgoingRequest): SentRequest {
    const { send } = sink
    if (!send) return createUnsent(new Failure('This connection has no way to ask the client.'))
    if (signal.aborted) return createUnsent(abortReason(signal))
    const name = `ask-${++this.#lastId}`
    const id = JSON.stringify(name)
    let cancelRequest: (error: Error) => void
    const result = new Promise<unknown>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        this.#pending.delete(id)
      }
      cancelRequest = (error) => {
        if (!this.#pending.has(id)) return
        end()
        const cancellation = { requestId: name, reason: error.message }
        send(formatRpcNotification('notifications/cancelled', stringifyWellFormed(cancellation)))
        reject(error)
      }
      const onAbort = (): void => cancelRequest(abortReason(signal))
      const seconds = Math.ceil(timeoutMs / 1000)
      const timer = setTimeout(() => {
        if (onLateAnswer) this.#keepForLateAnswer(id, onLateAnswer)
        cancelRequest(new Failure(`The client did not answer within ${seconds} s.`))
      }, timeoutMs)
      signal.addEventListener('abort', onAbort)
      this.#pending.set(id, (response) => {
        end()
        if (response.error === undefined) resolve(response.result)
        else reject(new Failure(`The client refused: ${readErrorMessage(response.error)}`))
      })
    })
    send(formatRpcRequest(id, method, params))
    return { result, cancel: (reason) => cancelRequest(new Error(reason)) }
  }

  /** Handles a response. One that matches no request is ignored. */
  handleResponse(response: JsonRpcResponse): void {
    const { id, error, result } = response
    if (id === undefined) return
    const overdue = this.#overdue.get(id)
    this.#overdue.delete(id)
    if (!overdue) this.#pending.get(id)?.(response)
    else if (error === undefined) overdue(result)
  }

  #keepForLateAnswer(id: string, late: (result: unknown) => void): void {
    const [oldest] = this.#overdue.keys()
    if (oldest !== undefined && this.#overdue.size >= MAX_OVERDUE) this.#overdue.delete(oldest)
    this.#overdue.set(id, late)
  }
}

function createUnsent(reason: Error): SentRequest {
  return { result: Promise.reject(reason), cancel: () => {} }
}

function abortReason({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('stopped')
}

function readErrorMessage(error: unknown): string {
  return isJsonObject(error) && typeof error.message === 'string' ? echo(error.message) : 'it gave no reason'
}
