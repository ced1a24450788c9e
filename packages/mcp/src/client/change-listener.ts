// Receives changes from a server of 2026-07-28, over a request that stays open and names the resources of interest. When
// they change, another request takes over as soon as the server has acknowledged it. One that ends is opened again, as
// proxies limit how long a response takes. Used by client-connection.ts. Sets timers.

import { METHOD_NOT_FOUND } from '../errors.js'
import type { JsonObject } from '../json/json.js'
import { RequestError } from '../memory/memory-client.js'

const MIN_RETRY_MS = 1000
const MAX_RETRY_MS = 60_000
/** Requests that the server has not acknowledged yet. */
const MAX_OPEN = 10

/** A request that was sent. `ended` settles when it is over. */
export interface ListenRequest {
  readonly id: number
  readonly ended: Promise<unknown>
}

export class ChangeListener {
  readonly #open = new Map<number, AbortController>()
  #uris: readonly string[] = []
  #retryMs = MIN_RETRY_MS
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(private readonly send: (params: JsonObject, signal: AbortSignal) => ListenRequest) {}

  /** Listens for changes of the lists, and of these resources. Calls one after the other lead to one request. */
  listen(uris: readonly string[]): void {
    this.#uris = uris
    this.#openIn(0)
  }

  /** The request with this id receives the changes, so the ones before it are not needed. */
  acknowledge(id: number): void {
    if (!this.#open.has(id)) return
    this.#retryMs = MIN_RETRY_MS
    for (const [older, controller] of this.#open) if (older < id) this.#end(older, controller)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const [id, controller] of this.#open) this.#end(id, controller)
  }

  #openIn(ms: number): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#openRequest(), ms).unref()
  }

  #openRequest(): void {
    const controller = new AbortController()
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(this.#uris.length > 0 && { resourceSubscriptions: this.#uris }),
    }
    const { id, ended } = this.send({ notifications }, controller.signal)
    this.#open.set(id, controller)
    const [oldest] = this.#open
    if (oldest && this.#open.size > MAX_OPEN) this.#end(...oldest)
    ended.then(
      () => this.#onEnd(id),
      // A server without such requests is not asked again; its lists are read now and then.
      (error: unknown) => (isUnknownMethod(error) ? this.close() : this.#onEnd(id)),
    )
  }

  #onEnd(id: number): void {
    const isLast = this.#open.delete(id) && this.#open.size === 0
    if (!isLast) return
    this.#openIn(this.#retryMs)
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS)
  }

  #end(id: number, controller: AbortController): void {
    this.#open.delete(id)
    controller.abort(new Error('another request has taken over'))
  }
}

function isUnknownMethod(error: unknown): boolean {
  return error instanceof RequestError && error.code === METHOD_NOT_FOUND
}
