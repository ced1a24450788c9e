// One request that waits for its answer: its outcome, its time limit, which progress restarts, and its cancellation.
// Used by client-connection.ts. Sets timers.

import type { CallContext } from '../definitions/call-context.js'
import { Failure } from '../errors.js'
import type { JsonObject } from '../json/json.js'

/** A longer timer ends at once; more than three weeks are no limit. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** No answer within the time limit. */
export class TimeoutFailure extends Failure {}

export interface PendingRequestOptions {
  readonly call: CallContext | undefined
  /** Infinity: none. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

export class PendingRequest {
  readonly result: Promise<JsonObject>
  readonly call: CallContext | undefined
  /** Whether this side has ended the request, so that the server must be notified. */
  isCancelled = false
  readonly #transport = new AbortController()
  readonly #timeoutMs: number
  readonly #signal: AbortSignal | undefined
  #resolve: (result: JsonObject) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  #timer: NodeJS.Timeout | undefined
  #openQuestions = 0

  constructor({ call, timeoutMs, signal }: PendingRequestOptions) {
    this.call = call
    this.#timeoutMs = timeoutMs
    this.#signal = signal
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    signal?.addEventListener('abort', this.#onAbort)
    this.#restartTimer()
  }

  /** Ends what the transport still does for this request. */
  get transportSignal(): AbortSignal {
    return this.#transport.signal
  }

  succeed(result: JsonObject): void {
    this.#resolve(result)
  }

  fail(error: unknown): void {
    this.#reject(error)
  }

  /** Progress of the server: its call reports it, and the time limit begins again. */
  report({ progress, total, message }: JsonObject): void {
    if (this.#openQuestions === 0) this.#restartTimer()
    if (typeof progress !== 'number') return
    this.call?.progress(progress, {
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    })
  }

  /** Stops the time limit while a person is asked. */
  pause(): void {
    this.#openQuestions++
    clearTimeout(this.#timer)
  }

  resume(): void {
    if (--this.#openQuestions === 0) this.#restartTimer()
  }

  /** Called once the outcome is known. */
  end(): void {
    clearTimeout(this.#timer)
    this.#openQuestions = Infinity
    this.#signal?.removeEventListener('abort', this.#onAbort)
    this.#transport.abort()
  }

  readonly #onAbort = (): void => this.#cancelWith(this.#signal?.reason ?? new Error('cancelled'))

  #restartTimer(): void {
    clearTimeout(this.#timer)
    if (this.#timeoutMs > MAX_TIMER_MS) return
    const seconds = Math.ceil(this.#timeoutMs / 1000)
    const onTimeout = (): void => this.#cancelWith(new TimeoutFailure(`did not answer within ${seconds} s`))
    this.#timer = setTimeout(onTimeout, this.#timeoutMs)
  }

  #cancelWith(error: unknown): void {
    this.isCancelled = true
    this.#reject(error)
  }
}
