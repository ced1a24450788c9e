// Requests in flight, shared by concurrent searches for the same engine and query, and a ten-minute cache of responses.
// A search that has its quorum stops waiting, and the request completes for the cache; a cancelled search aborts
// requests without other waiters.

import type { Asked, Engine } from './engine.js'
import type { AskEngine } from './ask-engine.js'
import type { Outcome } from './outcome.js'

const KEEP_MS = 10 * 60_000
const MAX_KEPT = 500

export interface Flight {
  readonly outcome: Promise<Outcome>
  /** Stops waiting. `cancel`: abort the request if there are no other waiters. */
  leave(cancel: boolean): void
}

export interface Flights {
  /** The outcome of a successful request within the last ten minutes. */
  kept(engine: Engine, query: Asked): Outcome | undefined
  isUnderWay(engine: Engine, query: Asked): boolean
  /** Joins the request in flight, or sends one after waitMs. */
  join(engine: Engine, query: Asked, waitMs: number): Flight
  /** Aborts all requests. */
  readonly close: () => Promise<void>
}

interface UnderWay {
  readonly outcome: Promise<Outcome>
  readonly controller: AbortController
  waiting: number
  isWanted: boolean
}

/** `onOutcome` is called for each completed request, `onCancelled` for each aborted one. */
export function createFlights(
  queryEngine: AskEngine,
  onOutcome: (engine: Engine, outcome: Outcome) => void,
  onCancelled: (engine: Engine) => void,
): Flights {
  const inFlight = new Map<string, UnderWay>()
  const cache = new Map<string, { readonly outcome: Outcome; readonly at: number }>()
  let isClosed = false

  function store(key: string, outcome: Outcome): void {
    if (outcome.kind !== 'ok' && outcome.kind !== 'empty') return
    cache.delete(key)
    cache.set(key, { outcome, at: performance.now() })
    const [oldest] = cache.keys()
    if (cache.size > MAX_KEPT && oldest !== undefined) cache.delete(oldest)
  }

  async function sendRequest(
    key: string,
    engine: Engine,
    query: Asked,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<Outcome> {
    try {
      await (waitMs > 0 ? pause(waitMs, signal) : undefined)
      const outcome: Outcome = signal.aborted ? { kind: 'timeout' } : await queryEngine(engine, query, signal)
      if (signal.aborted) {
        onCancelled(engine)
        return outcome
      }
      store(key, outcome)
      onOutcome(engine, outcome)
      return outcome
    } finally {
      // A new request may have replaced this one after it was aborted.
      if (inFlight.get(key)?.controller.signal === signal) inFlight.delete(key)
    }
  }

  function start(key: string, engine: Engine, query: Asked, waitMs: number): UnderWay {
    const controller = new AbortController()
    if (isClosed) controller.abort()
    const outcome = sendRequest(key, engine, query, waitMs, controller.signal)
    // Waiters handle the rejection; without waiters it is ignored.
    outcome.catch(() => {})
    const request: UnderWay = { outcome, controller, waiting: 0, isWanted: false }
    inFlight.set(key, request)
    return request
  }

  return {
    kept(engine, query) {
      const key = keyOf(engine, query)
      const entry = cache.get(key)
      if (entry && performance.now() - entry.at <= KEEP_MS) return entry.outcome
      cache.delete(key)
      return undefined
    },
    isUnderWay: (engine, query) => inFlight.has(keyOf(engine, query)),
    join(engine, query, waitMs) {
      const key = keyOf(engine, query)
      const request = inFlight.get(key) ?? start(key, engine, query, waitMs)
      request.waiting++
      return {
        outcome: request.outcome,
        leave(cancel) {
          request.waiting--
          request.isWanted ||= !cancel
          if (request.waiting > 0 || request.isWanted) return
          inFlight.delete(key)
          request.controller.abort()
        },
      }
    },
    async close() {
      isClosed = true
      const requests = [...inFlight.values()]
      for (const { controller } of requests) controller.abort()
      await Promise.allSettled(requests.map(({ outcome }) => outcome))
    },
  }
}

function keyOf({ id }: Engine, { text, site, language }: Asked): string {
  return [id, language, site ?? '', text].join('\n')
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
