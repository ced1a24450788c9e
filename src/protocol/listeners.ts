// The streams one client keeps open. Each ends once: by the client, and then without an answer, or by us, with one.

import type { Exchange } from './exchange.js'
import type { Answer } from './message.js'
import { listen } from './methods/listen.js'
import { INTERNAL_ERROR, ProtocolError } from './protocol-error.js'
import type { Reply } from './reply.js'
import type { Server } from './server.js'

const MAX_LISTENING = 100

export class Listeners {
  readonly #open = new Map<Exchange, () => void>()
  #ended = false

  constructor(private readonly server: Server) {}

  /** Resolves at the end, to what `answer` makes of it, or to nothing where the client has ended it. */
  add(exchange: Exchange, answer: (reply: Reply) => Answer): Promise<Answer> {
    if (this.#open.size >= MAX_LISTENING) {
      throw new ProtocolError(INTERNAL_ERROR, `There may be ${MAX_LISTENING} listeners at once; end some of them first`)
    }
    const listening = listen(this.server, exchange)
    return new Promise((resolve) => {
      const end = (): void => {
        this.#open.delete(exchange)
        const reply = listening.end()
        resolve(exchange.cancelled ? undefined : answer(reply))
      }
      this.#open.set(exchange, end)
      if (this.#ended) end()
    })
  }

  /** The client wants no more of this one; without an id, of none. */
  cancel(reason: string, id?: string): void {
    for (const [exchange, end] of this.#open) {
      if (id !== undefined && exchange.request.id !== id) continue
      exchange.cancel(reason)
      end()
    }
  }

  /** Ends all of them, and those that still come, each with its answer. */
  end(): void {
    this.#ended = true
    for (const end of this.#open.values()) end()
  }
}
