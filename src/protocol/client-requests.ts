// Our own requests to a legacy client: each has an id of ours, a time by which it must be answered, and one outcome.
// A request that is given up is taken back, so that no dialog stays open for nobody.

import { Failure } from '../lib/failure.js'
import { isObject, printJson } from '../lib/json.js'
import type { Outlet } from './exchange.js'
import { notificationText, requestText, type Response } from './message.js'

export interface ClientRequest {
  readonly method: string
  readonly params: object
  readonly outlet: Outlet
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface Sent {
  /** The client's result; a Failure if it refuses or stays silent. */
  readonly result: Promise<unknown>
  /** Tells the client that nobody waits any more; nothing, once it has answered. */
  takeBack(reason: string): void
}

export class ClientRequests {
  readonly #pending = new Map<string, (response: Response) => void>()
  #last = 0

  send({ method, params, outlet, timeoutMs, signal }: ClientRequest): Sent {
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
      const timer = setTimeout(() => giveUp(new Failure(`The client did not answer within ${seconds} s.`)), timeoutMs)
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

  /** An answer nobody waits for, or waits for no longer, means nothing. */
  take(response: Response): void {
    if (response.id !== undefined) this.#pending.get(response.id)?.(response)
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
