// The connection to one mounted server, for one user or for all: opened on first need, and again by the next use after
// it has ended. A server that ends again and again is started at growing intervals. Used by remote-mount.ts. Sets no
// timers.

import type { ClientConnection } from '../client/client-connection.js'
import { errorMessage, Failure } from '../errors.js'
import { RequestError } from '../memory/memory-client.js'

/** A connection that lasted this long counts as working. */
const STABLE_MS = 30_000
/** Failures after which the next start is not delayed. */
const FREE_RESTARTS = 3
const MAX_DELAY_MS = 60_000

/** A whole sentence for the model. */
export class MountFailure extends Failure {}

export function createMountFailure(name: string, error: unknown): MountFailure {
  const text = describeFailure(error)
  const end = error instanceof RequestError || /[.!?]$/.test(text) ? '' : '.'
  return new MountFailure(`The mounted server "${name}" ${text}${end}`, { cause: error })
}

function describeFailure(error: unknown): string {
  return error instanceof RequestError ? `answered with error ${error.code}: ${error.message}` : errorMessage(error)
}

export class MountConnector {
  /** Calls in progress, which would fail if the connection was closed. */
  uses = 0
  #lastProblem = 'ended'
  #opening: Promise<ClientConnection> | undefined
  #openedAt = 0
  #failures = 0
  #retryAt = 0
  readonly #closing = new AbortController()

  /** `open` is given a function to call when the connection has ended, and a signal that ends the start. */
  constructor(
    private readonly name: string,
    private readonly open: (onEnd: (reason: string) => void, signal: AbortSignal) => Promise<ClientConnection>,
  ) {}

  get canOpen(): boolean {
    return !this.#isClosed && performance.now() >= this.#retryAt
  }

  async get(): Promise<ClientConnection> {
    if (this.#isClosed) throw new MountFailure('The server is stopping.')
    if (!this.#opening && !this.canOpen) throw new MountFailure(this.#describeDelay())
    return (this.#opening ??= this.#start())
  }

  /** The connection, if it is open. */
  async current(): Promise<ClientConnection | undefined> {
    return this.#opening?.catch(() => undefined)
  }

  /** Forgets the connection, so that the next use opens another. */
  drop(): void {
    this.#opening = undefined
  }

  /** A start is ended, too: it may take as long as its time limit. */
  async close(): Promise<void> {
    this.#closing.abort(new Failure('was closed'))
    const connection = await this.current()
    await connection?.close()
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  #start(): Promise<ClientConnection> {
    this.#openedAt = performance.now()
    // A connection that was dropped, or that never opened, reports its end too.
    const noteEnd = (reason: string): void => {
      if (this.#opening !== started || this.#isClosed) return
      this.#opening = undefined
      this.#noteFailure(reason)
    }
    let isOpen = false
    const started = this.open((reason) => isOpen && noteEnd(reason), this.#closing.signal).then(
      async (connection) => {
        isOpen = true
        if (this.#isClosed) await connection.close()
        return connection
      },
      (error: unknown) => {
        noteEnd(describeFailure(error))
        throw createMountFailure(this.name, error)
      },
    )
    return started
  }

  #noteFailure(reason: string): void {
    this.#lastProblem = reason
    const now = performance.now()
    this.#failures = now - this.#openedAt > STABLE_MS ? 1 : this.#failures + 1
    const exponent = this.#failures - FREE_RESTARTS
    this.#retryAt = exponent > 0 ? now + Math.min(1000 * 2 ** (exponent - 1), MAX_DELAY_MS) : now
  }

  #describeDelay(): string {
    const seconds = Math.ceil((this.#retryAt - performance.now()) / 1000)
    const problem = `The mounted server "${this.name}" ${this.#lastProblem}, ${this.#failures} times in a row.`
    return `${problem} It is started again by a call in ${seconds} s or later.`
  }
}
