// Requests in flight, shared by concurrent searches for the same engine and query, and a ten-minute cache of responses in
// memory. A search that has its quorum stops waiting, and the request completes for the cache; a cancelled search aborts
// requests without other waiters. Used by search-service. Sends requests through the given function.

import { setTimeout as sleep } from 'node:timers/promises'

import type { QueryEngine } from './engine-client.js'
import type { EngineOutcome, EngineQuery, SearchEngine } from './engine-kit/search-engine.js'

const CACHE_MS = 10 * 60_000
const MAX_CACHED = 500

export interface SharedRequest {
  readonly outcome: Promise<EngineOutcome>
  /** Stops waiting. `cancel`: abort the request if there are no other waiters. */
  release(cancel: boolean): void
}

export interface EngineRequests {
  /** The outcome of a successful request within the last ten minutes. */
  cachedOutcome(engine: SearchEngine, query: EngineQuery): EngineOutcome | undefined
  isInFlight(engine: SearchEngine, query: EngineQuery): boolean
  /** Joins the request in flight, or sends one after waitMs. */
  join(engine: SearchEngine, query: EngineQuery, waitMs: number): SharedRequest
  /** Aborts all requests. */
  readonly close: () => Promise<void>
}

interface RequestInFlight {
  readonly outcome: Promise<EngineOutcome>
  readonly controller: AbortController
  waiters: number
  keepRunning: boolean
}

/** `onOutcome` is called for each completed request, `onCancelled` for each aborted one. */
export function createEngineRequests(
  queryEngine: QueryEngine,
  onOutcome: (engine: SearchEngine, outcome: EngineOutcome) => void,
  onCancelled: (engine: SearchEngine) => void,
): EngineRequests {
  const inFlight = new Map<string, RequestInFlight>()
  const cache = new Map<string, { readonly outcome: EngineOutcome; readonly at: number }>()
  let isClosed = false

  function store(key: string, outcome: EngineOutcome): void {
    if (outcome.kind !== 'ok' && outcome.kind !== 'empty') return
    cache.delete(key)
    cache.set(key, { outcome, at: performance.now() })
    const [oldest] = cache.keys()
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest)
  }

  async function sendRequest(
    key: string,
    engine: SearchEngine,
    query: EngineQuery,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<EngineOutcome> {
    try {
      await (waitMs > 0 ? sleep(waitMs, undefined, { signal }).catch(() => {}) : undefined)
      const outcome: EngineOutcome = signal.aborted ? { kind: 'timeout' } : await queryEngine(engine, query, signal)
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

  function start(key: string, engine: SearchEngine, query: EngineQuery, waitMs: number): RequestInFlight {
    const controller = new AbortController()
    if (isClosed) controller.abort()
    const outcome = sendRequest(key, engine, query, waitMs, controller.signal)
    // Waiters handle the rejection; without waiters it is ignored.
    outcome.catch(() => {})
    const request: RequestInFlight = { outcome, controller, waiters: 0, keepRunning: false }
    inFlight.set(key, request)
    return request
  }

  return {
    cachedOutcome(engine, query) {
      const key = requestKey(engine, query)
      const entry = cache.get(key)
      if (entry && performance.now() - entry.at <= CACHE_MS) return entry.outcome
      cache.delete(key)
      return undefined
    },
    isInFlight: (engine, query) => inFlight.has(requestKey(engine, query)),
    join(engine, query, waitMs) {
      const key = requestKey(engine, query)
      const request = inFlight.get(key) ?? start(key, engine, query, waitMs)
      request.waiters++
      return {
        outcome: request.outcome,
        release(cancel) {
          request.waiters--
          request.keepRunning ||= !cancel
          if (request.waiters > 0 || request.keepRunning) return
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

function requestKey({ id }: SearchEngine, { text, site, language }: EngineQuery): string {
  return [id, language, site ?? '', text].join('\n')
}
