// Subscription streams (`subscriptions/listen`) of one client. Each ends once: when the client cancels it, without an
// answer, or when the server ends it, with an answer.

import type { Exchange } from './exchange.js'
import type { Answer } from './message.js'
import { listen } from './methods/listen.js'
import { INTERNAL_ERROR, ProtocolError } from './protocol-error.js'
import type { Reply } from './reply.js'
import type { Server } from './server.js'

const MAX_STREAMS = 100

export class Listeners {
  readonly #open = new Map<Exchange, () => void>()
  #isEnded = false

  constructor(private readonly server: Server) {}

  /** Resolves when the stream ends: to the answer, or to undefined if the client cancelled it. */
  add(context: Exchange, answer: (reply: Reply) => Answer): Promise<Answer> {
    if (this.#open.size >= MAX_STREAMS) {
      throw new ProtocolError(INTERNAL_ERROR, `There may be ${MAX_STREAMS} listeners at once; end some of them first`)
    }
    const subscription = listen(this.server, context)
    return new Promise((resolve) => {
      const end = (): void => {
        this.#open.delete(context)
        const reply = subscription.end()
        resolve(context.cancelled ? undefined : answer(reply))
      }
      this.#open.set(context, end)
      if (this.#isEnded) end()
    })
  }

  /** Cancels the stream with this id; without an id, all streams. */
  cancel(reason: string, id?: string): void {
    for (const [context, end] of this.#open) {
      if (id !== undefined && context.request.id !== id) continue
      context.cancel(reason)
      end()
    }
  }

  /** Ends all streams, and those that are opened later, each with its answer. */
  end(): void {
    this.#isEnded = true
    for (const end of this.#open.values()) end()
  }
}
