// Requests under way, one for each engine and query however many wait for it, and what they brought, for ten minutes. Who
// has enough leaves, and the answer still comes for whoever asks next; who gives up ends what nobody else waits for.

import type { Asked, Engine } from './engine.js'
import type { AskEngine } from './ask-engine.js'
import type { Outcome } from './outcome.js'

const KEEP_MS = 10 * 60_000
const MAX_KEPT = 500

export interface Flight {
  readonly outcome: Promise<Outcome>
  /** `gaveUp`: nobody wants to know any more, also not later. */
  leave(gaveUp: boolean): void
}

export interface Flights {
  /** What it said within the last ten minutes, if it said something. */
  kept(engine: Engine, asked: Asked): Outcome | undefined
  isUnderWay(engine: Engine, asked: Asked): boolean
  /** Joins the request that is under way, or makes one after a wait. */
  join(engine: Engine, asked: Asked, waitMs: number): Flight
  /** Ends what is under way. */
  readonly close: () => Promise<void>
}

interface UnderWay {
  readonly outcome: Promise<Outcome>
  readonly controller: AbortController
  waiting: number
  isWanted: boolean
}

/** `landed` is told each outcome that an engine is to answer for; `ended` of each request that was called off. */
export function createFlights(
  ask: AskEngine,
  landed: (engine: Engine, outcome: Outcome) => void,
  ended: (engine: Engine) => void,
): Flights {
  const underWay = new Map<string, UnderWay>()
  const known = new Map<string, { readonly outcome: Outcome; readonly at: number }>()
  let isClosed = false

  function keep(key: string, outcome: Outcome): void {
    if (outcome.kind !== 'ok' && outcome.kind !== 'empty') return
    known.delete(key)
    known.set(key, { outcome, at: performance.now() })
    const [oldest] = known.keys()
    if (known.size > MAX_KEPT && oldest !== undefined) known.delete(oldest)
  }

  async function fly(key: string, engine: Engine, asked: Asked, waitMs: number, signal: AbortSignal): Promise<Outcome> {
    try {
      await (waitMs > 0 ? pause(waitMs, signal) : undefined)
      const outcome: Outcome = signal.aborted ? { kind: 'timeout' } : await ask(engine, asked, signal)
      if (signal.aborted) {
        ended(engine)
        return outcome
      }
      keep(key, outcome)
      landed(engine, outcome)
      return outcome
    } finally {
      // Another may have begun where this one was called off.
      if (underWay.get(key)?.controller.signal === signal) underWay.delete(key)
    }
  }

  function begin(key: string, engine: Engine, asked: Asked, waitMs: number): UnderWay {
    const controller = new AbortController()
    if (isClosed) controller.abort()
    const outcome = fly(key, engine, asked, waitMs, controller.signal)
    // Whoever waits is told; if nobody does any more, nobody need be.
    outcome.catch(() => {})
    const flight = { outcome, controller, waiting: 0, isWanted: false }
    underWay.set(key, flight)
    return flight
  }

  return {
    kept(engine, asked) {
      const key = keyOf(engine, asked)
      const entry = known.get(key)
      if (entry && performance.now() - entry.at <= KEEP_MS) return entry.outcome
      known.delete(key)
      return undefined
    },
    isUnderWay: (engine, asked) => underWay.has(keyOf(engine, asked)),
    join(engine, asked, waitMs) {
      const key = keyOf(engine, asked)
      const flight = underWay.get(key) ?? begin(key, engine, asked, waitMs)
      flight.waiting++
      return {
        outcome: flight.outcome,
        leave(gaveUp) {
          flight.waiting--
          flight.isWanted ||= !gaveUp
          if (flight.waiting > 0 || flight.isWanted) return
          underWay.delete(key)
          flight.controller.abort()
        },
      }
    },
    async close() {
      isClosed = true
      const flights = [...underWay.values()]
      for (const { controller } of flights) controller.abort()
      await Promise.allSettled(flights.map(({ outcome }) => outcome))
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
