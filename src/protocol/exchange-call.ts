// The view of a request context that tools, resources and prompts receive. Getters, so that unused parts cost nothing
// and members can be passed on detached from the object.

import type { Abilities, Call } from '../tools/call.js'
import type { Exchange } from './exchange.js'

export class ExchangeCall implements Call {
  readonly #context: Exchange

  constructor(context: Exchange) {
    this.#context = context
  }

  get user(): string {
    return this.#context.conversation.peer.user
  }

  get session(): string {
    return this.#context.conversation.peer.session
  }

  get client(): string {
    return this.#context.client.name
  }

  get signal(): AbortSignal {
    return this.#context.signal
  }

  get wantsProgress(): boolean {
    return this.#context.request.progressToken !== undefined
  }

  get progress(): Call['progress'] {
    return (done, more) => this.#context.progress(done, more)
  }

  get log(): Call['log'] {
    return (level, data, logger) => this.#context.log(level, data, logger)
  }

  get can(): Abilities {
    return this.#context.can
  }

  get ask(): Call['ask'] {
    return (questions, options) => this.#context.ask(questions, options)
  }

  get changed(): Call['changed'] {
    return (list) => this.#context.conversation.server.notices.changed(list)
  }

  get updated(): Call['updated'] {
    return (uri) => this.#context.conversation.server.notices.updated(uri, this.user)
  }

  get defer(): Call['defer'] {
    return (options) => this.#context.defer(options)
  }

  get whenWritten(): Call['whenWritten'] {
    return (listener) => this.#context.whenWritten(listener)
  }

  get hangUp(): Call['hangUp'] {
    return () => this.#context.outlet.hangUp?.()
  }
}
