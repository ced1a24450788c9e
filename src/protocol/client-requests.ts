// Our own requests to a legacy client: each has an id of ours, a time by which it must be answered, and one outcome.
// A request that is given up is taken back, so that no dialog stays open for nobody; who wants to hear what is answered
// after its time all the same hears it, as long as the connection lasts.

import { Failure } from '../lib/failure.js'
import { isObject, printJson } from '../lib/json.js'
import { notificationText, requestText, type Response } from './message.js'
import type { Outlet } from './outlet.js'

/** Requests whose time is up and whose answer somebody would still take. */
const MAX_OVERDUE = 100

export interface ClientRequest {
  readonly method: string
  readonly params: object
  readonly outlet: Outlet
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Told of a result that comes when the time is up. */
  readonly late?: ((result: unknown) => void) | undefined
}

export interface Sent {
  /** The client's result; a Failure if it refuses or stays silent. */
  readonly result: Promise<unknown>
  /** Tells the client that nobody waits any more; nothing, once it has answered. */
  takeBack(reason: string): void
}

export class ClientRequests {
  readonly #pending = new Map<string, (response: Response) => void>()
  readonly #overdue = new Map<string, (result: unknown) => void>()
  #last = 0

  send({ method, params, outlet, timeoutMs, signal, late }: ClientRequest): Sent {
    const { send } = outlet
    if (!send) return unsent(new Failure('This connection has no way to ask the client.'))
    if (signal.aborted) return unsent(reasonOf(signal))
    const name = `ask-${++this.#last}`
    const id = JSON.stringify(name)
    let giveUp: (error: Error) => void
    const result = new Promise<unknown>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
        this.#pending.delete(id)
      }
      giveUp = (error) => {
        if (!this.#pending.has(id)) return
        end()
        const taken = { requestId: name, reason: error.message }
        send(notificationText('notifications/cancelled', printJson(taken)))
        reject(error)
      }
      const stop = (): void => giveUp(reasonOf(signal))
      const seconds = Math.ceil(timeoutMs / 1000)
      const timer = setTimeout(() => {
        if (late) this.#expect(id, late)
        giveUp(new Failure(`The client did not answer within ${seconds} s.`))
      }, timeoutMs)
      signal.addEventListener('abort', stop)
      this.#pending.set(id, (response) => {
        end()
        if (response.error === undefined) resolve(response.result)
        else reject(new Failure(`The client refused: ${wordsOf(response.error)}`))
      })
    })
    send(requestText(id, method, params))
    return { result, takeBack: (reason) => giveUp(new Error(reason)) }
  }

  /** An answer nobody waits for, or wants any longer, means nothing. */
  take(response: Response): void {
    const { id, error, result } = response
    if (id === undefined) return
    const overdue = this.#overdue.get(id)
    this.#overdue.delete(id)
    if (!overdue) this.#pending.get(id)?.(response)
    else if (error === undefined) overdue(result)
  }

  #expect(id: string, late: (result: unknown) => void): void {
    const [oldest] = this.#overdue.keys()
    if (oldest !== undefined && this.#overdue.size >= MAX_OVERDUE) this.#overdue.delete(oldest)
    this.#overdue.set(id, late)
  }
}

function unsent(reason: Error): Sent {
  return { result: Promise.reject(reason), takeBack: () => {} }
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('stopped')
}

function wordsOf(error: unknown): string {
  return isObject(error) && typeof error.message === 'string' ? error.message.slice(0, 500) : 'it gave no reason'
}
