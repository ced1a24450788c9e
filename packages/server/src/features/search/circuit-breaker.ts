// Decides whether a request may be sent to an engine: a circuit breaker with exponential backoff and a half-open probe, and
// a token bucket for the request rate. Used by search-service and search-health. Pure functions over EngineState.

import type { EngineOutcome, RateLimit, SearchEngine } from './engine-kit/search-engine.js'
import type { EngineState } from './engine-state-file.js'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const DEFAULT_RATE_LIMIT: RateLimit = { intervalMs: 500, burst: 10 }
/** Longer than any request takes. */
const PROBE_TIMEOUT_MS = 15_000
/** A request waits at most this long for the rate limit; otherwise another engine is used. */
const DEFAULT_RATE_WAIT_MS = 1000
/** The same if no other engine is available. */
export const MAX_RATE_WAIT_MS = 5000

const REFUSALS = new Set(['challenge', 'captcha', 'forbidden', 'rate_limited'])

const INITIAL_STATE: EngineState = { until: 0, why: '', strikes: 0, probeUntil: 0, drops: 1e6, drawnAt: 0 }

export type Admission =
  /** Send after waitMs, which the rate limit requires. */
  | { readonly kind: 'go'; readonly waitMs: number; readonly state: EngineState }
  | { readonly kind: 'cooling' | 'paced'; readonly until: number; readonly why: string }

export function admitRequest(
  { rateLimit = DEFAULT_RATE_LIMIT }: SearchEngine,
  stored: EngineState | undefined,
  now: number,
  maxWaitMs = DEFAULT_RATE_WAIT_MS,
): Admission {
  const state = stored ?? INITIAL_STATE
  if (isCoolingDown(state, now)) return { kind: 'cooling', until: state.until, why: state.why }
  const isBeingProbed = state.why !== '' && state.probeUntil > now && state.probeUntil <= now + PROBE_TIMEOUT_MS
  if (isBeingProbed) return { kind: 'cooling', until: state.probeUntil, why: state.why }
  const tokens = availableTokens(state, rateLimit, now)
  const waitMs = tokens >= 1 ? 0 : (1 - tokens) * rateLimit.intervalMs
  if (waitMs > maxWaitMs) return { kind: 'paced', until: now + waitMs, why: 'pace' }
  const probeUntil = state.why === '' ? 0 : now + PROBE_TIMEOUT_MS
  return { kind: 'go', waitMs, state: { ...state, probeUntil, drops: tokens - 1, drawnAt: now } }
}

/** Clears cooldowns caused by timeouts and errors, not those caused by refusals. Used by `search --doctor`. */
export function withoutFailureCooldown(stored: EngineState | undefined): EngineState | undefined {
  return stored && !REFUSALS.has(stored.why) ? { ...stored, until: 0, probeUntil: 0 } : stored
}

/** A cooldown of more than a day was written while the clock was wrong, and is ignored. */
export function isCoolingDown({ until }: EngineState, now: number): boolean {
  return until > now && until <= now + DAY
}

function availableTokens(
  { drops: tokens, drawnAt }: EngineState,
  { intervalMs, burst }: RateLimit,
  now: number,
): number {
  // The clock may have been set back.
  const elapsedMs = Math.max(now - drawnAt, 0)
  return Math.min(burst, tokens + elapsedMs / intervalMs)
}

/** The state after an outcome. Outcomes that say nothing about the engine do not change its cooldown. */
export function nextState(stored: EngineState | undefined, outcome: EngineOutcome, now: number): EngineState {
  const state = { ...(stored ?? INITIAL_STATE), probeUntil: 0 }
  if (outcome.kind === 'ok' || outcome.kind === 'empty') {
    const until = outcome.backoffMs === undefined ? 0 : now + outcome.backoffMs
    return { ...state, until, why: until === 0 ? '' : 'rate_limited', strikes: 0 }
  }
  // Probably a network problem. The engine received no request, so the token is returned.
  if (outcome.kind === 'refused' || outcome.kind === 'unreachable') return { ...state, drops: state.drops + 1 }
  const why = outcome.kind === 'blocked' ? outcome.why : outcome.kind
  const failures = state.why === why ? Math.min(state.strikes + 1, 20) : 1
  return { ...state, why, strikes: failures, until: now + Math.min(cooldownMs(outcome, failures), DAY) }
}

type CooldownOutcome = Exclude<EngineOutcome, { readonly kind: 'ok' | 'empty' | 'refused' | 'unreachable' }>

function cooldownMs(outcome: CooldownOutcome, failures: number): number {
  const backoff = 2 ** (failures - 1)
  if (outcome.kind === 'blocked') return outcome.why === 'forbidden' ? 10 * MINUTE : 30 * MINUTE * backoff
  if (outcome.kind === 'rate_limited') return outcome.retryAfterMs ?? 3 * MINUTE * backoff
  return outcome.kind === 'layout_changed' ? 60 * MINUTE : MINUTE / 2
}
