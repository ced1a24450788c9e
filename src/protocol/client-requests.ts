// Our own requests to a legacy client: each has an id of ours, a time by which it must be answered, and one outcome.
// A request that is given up is taken back, so that no dialog stays open for nobody.

import { Failure } from '../lib/failure.js'
import { isObject } from '../lib/json.js'
import type { Outlet } from './exchange.js'
import { notificationText, requestText, type Response } from './message.js'

interface Pending {
  settle(response: Response): void
}

export interface ClientRequest {
  readonly method: string
  readonly params: object
  readonly outlet: Outlet
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export class ClientRequests {
  readonly #pending = new Map<string, Pending>()
  #last = 0

  /** The client's result; a Failure if it refuses or stays silent. */
  send({ method, params, outlet, timeoutMs, signal }: ClientRequest): Promise<unknown> {
    const { send } = outlet
    if (!send) return Promise.reject(new Failure('This connection has no way to ask the client.'))
    const id = `"ask-${++this.#last}"`
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
        this.#pending.delete(id)
      }
      const giveUp = (error: Error): void => {
        end()
        const taken = { requestId: JSON.parse(id), reason: error.message }
        outlet.notify(notificationText('notifications/cancelled', JSON.stringify(taken)))
        reject(error)
      }
      const stop = (): void => giveUp(signal.reason instanceof Error ? signal.reason : new Error('stopped'))
      const seconds = Math.ceil(timeoutMs / 1000)
      const timer = setTimeout(() => giveUp(new Failure(`The client did not answer within ${seconds} s.`)), timeoutMs)
      if (signal.aborted) return stop()
      signal.addEventListener('abort', stop)
      this.#pending.set(id, {
        settle({ result, error }) {
          end()
          if (error === undefined) resolve(result)
          else reject(new Failure(`The client refused: ${wordsOf(error)}`))
        },
      })
      send(requestText(id, method, params))
    })
  }

  /** An answer nobody waits for, or waits for no longer, means nothing. */
  take(response: Response): void {
    if (response.id !== undefined) this.#pending.get(response.id)?.settle(response)
  }
}

function wordsOf(error: unknown): string {
  return isObject(error) && typeof error.message === 'string' ? error.message.slice(0, 500) : 'it gave no reason'
}
