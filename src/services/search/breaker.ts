// When an engine may be asked. One that refused is left alone for a while, longer each time it does so again; after that
// one request tries whether it answers, and only then is it asked as before. Between requests its pace is kept. Pure.

import type { EngineState } from '../../store/engine-states.js'
import type { Engine, Pace } from './engine.js'
import type { Outcome } from './outcome.js'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const DEFAULT_PACE: Pace = { everyMs: 500, burst: 10 }
/** Longer than any request. */
const PROBE_MS = 15_000
/** A request that must wait no longer than this waits; otherwise another engine is asked. */
const SHORT_MS = 1000
/** Where there is no other. */
export const LONG_MS = 5000

const REFUSALS = new Set(['challenge', 'captcha', 'forbidden', 'rate_limited'])

const FRESH: EngineState = { until: 0, why: '', strikes: 0, probeUntil: 0, drops: 1e6, drawnAt: 0 }

export type Admission =
  /** After a short wait, for the sake of its pace. */
  | { readonly kind: 'go'; readonly waitMs: number; readonly state: EngineState }
  | { readonly kind: 'cooling' | 'paced'; readonly until: number; readonly why: string }

export function admit(
  { pace = DEFAULT_PACE }: Engine,
  known: EngineState | undefined,
  now: number,
  patienceMs = SHORT_MS,
): Admission {
  const state = known ?? FRESH
  if (isResting(state, now)) return { kind: 'cooling', until: state.until, why: state.why }
  const isTried = state.why !== '' && state.probeUntil > now && state.probeUntil <= now + PROBE_MS
  if (isTried) return { kind: 'cooling', until: state.probeUntil, why: state.why }
  const drops = dropsOf(state, pace, now)
  const waitMs = drops >= 1 ? 0 : (1 - drops) * pace.everyMs
  if (waitMs > patienceMs) return { kind: 'paced', until: now + waitMs, why: 'pace' }
  const probeUntil = state.why === '' ? 0 : now + PROBE_MS
  return { kind: 'go', waitMs, state: { ...state, probeUntil, drops: drops - 1, drawnAt: now } }
}

/** The state as if it had only refused, never failed: who asks whether an engine works must ask it. */
export function forgiven(known: EngineState | undefined): EngineState | undefined {
  return known && !REFUSALS.has(known.why) ? { ...known, until: 0, probeUntil: 0 } : known
}

/** Nobody is left alone for more than a day: what says so was written when the clock stood elsewhere. */
export function isResting({ until }: EngineState, now: number): boolean {
  return until > now && until <= now + DAY
}

function dropsOf({ drops, drawnAt }: EngineState, { everyMs, burst }: Pace, now: number): number {
  // Somebody may have set the clock back.
  const passed = Math.max(now - drawnAt, 0)
  return Math.min(burst, drops + passed / everyMs)
}

/** The state after an outcome; what says nothing about the engine changes nothing. */
export function stateAfter(known: EngineState | undefined, outcome: Outcome, now: number): EngineState {
  const state = { ...(known ?? FRESH), probeUntil: 0 }
  if (outcome.kind === 'ok' || outcome.kind === 'empty') {
    const until = outcome.restMs === undefined ? 0 : now + outcome.restMs
    return { ...state, until, why: until === 0 ? '' : 'rate_limited', strikes: 0 }
  }
  // Whether an engine can be reached is a matter of the network more than of the engine. It was not asked, after all.
  if (outcome.kind === 'refused' || outcome.kind === 'unreachable') return { ...state, drops: state.drops + 1 }
  const why = outcome.kind === 'blocked' ? outcome.why : outcome.kind
  const strikes = state.why === why ? Math.min(state.strikes + 1, 20) : 1
  return { ...state, why, strikes, until: now + Math.min(restMs(outcome, strikes), DAY) }
}

type Rested = Exclude<Outcome, { readonly kind: 'ok' | 'empty' | 'refused' | 'unreachable' }>

function restMs(outcome: Rested, strikes: number): number {
  const doubled = 2 ** (strikes - 1)
  if (outcome.kind === 'blocked') return outcome.why === 'forbidden' ? 10 * MINUTE : 30 * MINUTE * doubled
  if (outcome.kind === 'rate_limited') return outcome.retryMs ?? 3 * MINUTE * doubled
  return outcome.kind === 'layout_changed' ? 60 * MINUTE : MINUTE / 2
}
