// A call that is forwarded to a mounted server and may outlast the request of its client: at the newest revision a
// question ends the request, and the client repeats it with the answer, while the mounted server still waits. The call
// is kept until then. Used by remote-mount.ts. Sets timers.

import type { AskOptions, CallContext, ClientQuestions } from '../definitions/call-context.js'
import type { JsonObject } from '../json/json.js'

const MAX_KEPT = 100
const KEEP_MS = 10 * 60_000

export class RunningCall {
  /** The call as the connection sees it, whichever request carries it at the moment. */
  readonly context: CallContext
  readonly #controller = new AbortController()
  #current: CallContext
  #result: Promise<JsonObject> | undefined
  #open: OpenQuestion | undefined
  #interrupt: (error: unknown) => void = () => {}

  constructor(call: CallContext) {
    this.#current = call
    const own = { signal: this.#controller.signal, ask: this.#ask }
    this.context = new Proxy(call, {
      get: (_target, member): unknown =>
        member === 'signal' || member === 'ask' ? own[member] : Reflect.get(this.#current, member, this.#current),
    })
  }

  /** Whether the mounted server waits for an answer that the client will bring. */
  get isWaiting(): boolean {
    return this.#open !== undefined
  }

  /** Continues with a request of the client; `start` is called with the first one. */
  async run(call: CallContext, start: () => Promise<JsonObject>): Promise<JsonObject> {
    this.#current = call
    const onAbort = (): void => this.#controller.abort(call.signal.reason)
    call.signal.addEventListener('abort', onAbort)
    try {
      await this.#answerOpenQuestion()
      const interrupted = new Promise<never>((_resolve, reject) => (this.#interrupt = reject))
      this.#result ??= start()
      return await Promise.race([this.#result, interrupted])
    } finally {
      call.signal.removeEventListener('abort', onAbort)
    }
  }

  cancel(): void {
    this.#controller.abort(new Error('the client did not bring an answer'))
    // Nothing reads it any more.
    this.#result?.catch(() => {})
  }

  async #answerOpenQuestion(): Promise<void> {
    if (!this.#open) return
    const { questions, resolve } = this.#open
    const answers = await this.#current.ask(questions)
    this.#open = undefined
    resolve(answers)
  }

  readonly #ask = async (questions: ClientQuestions, options: AskOptions = {}): Promise<JsonObject> => {
    // A server of the newest revision does not wait: it is called again with the answer.
    if (options.whileRunning !== true) return this.#current.ask(questions, options)
    try {
      return await this.#current.ask(questions)
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'InputRequired') throw error
      return new Promise((resolve) => {
        this.#open = { questions, resolve }
        this.#interrupt(error)
      })
    }
  }
}

interface OpenQuestion {
  readonly questions: ClientQuestions
  readonly resolve: (answers: JsonObject) => void
}

/** Calls whose clients were asked, by user and content of the request. */
export class KeptCalls {
  readonly #kept = new Map<string, { readonly call: RunningCall; readonly timer: NodeJS.Timeout }>()

  /** Removes and returns the call that this request continues. */
  take(key: string): RunningCall | undefined {
    const kept = this.#kept.get(key)
    clearTimeout(kept?.timer)
    this.#kept.delete(key)
    return kept?.call
  }

  keep(key: string, call: RunningCall): void {
    this.take(key)?.cancel()
    const timer = setTimeout(() => this.take(key)?.cancel(), KEEP_MS)
    timer.unref()
    this.#kept.set(key, { call, timer })
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined && this.#kept.size > MAX_KEPT) this.take(oldest)?.cancel()
  }

  cancelAll(): void {
    for (const key of this.#kept.keys()) this.take(key)?.cancel()
  }
}
