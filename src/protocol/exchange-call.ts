// What a tool is handed of its exchange. Getters, so that a call which uses nothing of this pays for nothing, and what
// is taken out of it can be passed on.

import type { Abilities, Call } from '../tools/call.js'
import type { Exchange } from './exchange.js'

export class ExchangeCall implements Call {
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  get user(): string {
    return this.#exchange.conversation.peer.user
  }

  get session(): string {
    return this.#exchange.conversation.peer.session
  }

  get client(): string {
    return this.#exchange.client.name
  }

  get signal(): AbortSignal {
    return this.#exchange.signal
  }

  get wantsProgress(): boolean {
    return this.#exchange.request.progressToken !== undefined
  }

  get progress(): Call['progress'] {
    return (done, more) => this.#exchange.progress(done, more)
  }

  get log(): Call['log'] {
    return (level, data, logger) => this.#exchange.log(level, data, logger)
  }

  get can(): Abilities {
    return this.#exchange.can
  }

  get ask(): Call['ask'] {
    return (questions, options) => this.#exchange.ask(questions, options)
  }

  get changed(): Call['changed'] {
    return (list) => this.#exchange.conversation.server.notices.changed(list)
  }

  get updated(): Call['updated'] {
    return (uri) => this.#exchange.conversation.server.notices.updated(uri, this.user)
  }

  get defer(): Call['defer'] {
    return (options) => this.#exchange.defer(options)
  }

  get whenWritten(): Call['whenWritten'] {
    return (listener) => this.#exchange.whenWritten(listener)
  }

  get hangUp(): Call['hangUp'] {
    return () => this.#exchange.outlet.hangUp?.()
  }
}
