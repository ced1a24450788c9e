// One request being worked on: who asked, at which revision, and the ways up that a tool is handed.
// After it is cancelled or answered nothing more leaves through it.

import type { JsonObject } from '../lib/json.js'
import type { Call } from '../tools/tool.js'
import { notificationText, type Request } from './message.js'
import type { Revision } from './revision.js'

/** Where what the client did not ask for goes while a request is worked on. */
export interface Outlet {
  /** May leave it out, while the client does not read. */
  notify(text: string): void
}

/** What one request may know of its client. */
export interface Client {
  readonly revision: Revision
  readonly capabilities: JsonObject
}

export class Exchange {
  #controller: AbortController | undefined
  #lastProgress = -Infinity
  #state: 'open' | 'cancelled' | 'answered' = 'open'

  constructor(
    readonly request: Request,
    readonly params: JsonObject,
    readonly client: Client,
    readonly outlet: Outlet,
  ) {}

  /** What a tool may do with it. */
  toCall(): Call {
    return new ExchangeCall(this)
  }

  get cancelled(): boolean {
    return this.#state === 'cancelled'
  }

  /** Whether the work was told to stop, by the client or by us: what it throws then is no bug. */
  get stopped(): boolean {
    return this.#controller?.signal.aborted ?? false
  }

  // Made on first use: most calls are over before anybody asks for it, and a controller costs more than they do.
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  progress(done: number, { total, message }: { readonly total?: number; readonly message?: string } = {}): void {
    const { progressToken } = this.request
    if (progressToken === undefined || this.#state !== 'open') return
    if (!Number.isFinite(done) || done <= this.#lastProgress) return
    this.#lastProgress = done
    const words = this.client.revision >= '2025-03-26' ? message?.toWellFormed() : undefined
    const known = { progress: done, total, message: words }
    const params = `{"progressToken":${progressToken},${JSON.stringify(known).slice(1)}`
    this.outlet.notify(notificationText('notifications/progress', params))
  }

  /** The client no longer wants an answer. */
  cancel(reason: string): void {
    if (this.#state !== 'open') return
    this.#state = 'cancelled'
    this.abort(reason)
  }

  /** The work must stop now; an answer may still be given. */
  abort(reason: string): void {
    this.#controller ??= new AbortController()
    this.#controller.abort(new Error(reason))
  }

  close(): void {
    if (this.#state === 'open') this.#state = 'answered'
  }
}

// Getters, so that a call which uses nothing of this pays for nothing, and what is taken out of it can be passed on.
class ExchangeCall implements Call {
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.#exchange = exchange
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
}
