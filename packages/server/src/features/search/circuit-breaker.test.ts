// Cooldowns after failures, and the probe after a cooldown.

import { expect, test } from 'vitest'

import { admitRequest, nextState } from './circuit-breaker.js'
import type { EngineOutcome, SearchEngine } from './engine-kit/search-engine.js'
import type { EngineState } from './engine-state-file.js'
import { duckduckgo } from './engines/duckduckgo.js'
import { stackexchange } from './engines/stackexchange.js'

const MINUTE = 60_000
const NOW = 1_800_000_000_000
const unlimited: SearchEngine = { ...duckduckgo, rateLimit: { intervalMs: 1, burst: 1000 } }

function cooldownAfter(...outcomes: readonly EngineOutcome[]): number {
  let state: EngineState | undefined
  for (const outcome of outcomes) state = nextState(state, outcome, NOW)
  return Math.max((state?.until ?? 0) - NOW, 0) / MINUTE
}

const challenge = { kind: 'blocked', why: 'challenge' } as const
const limit = { kind: 'rate_limited' } as const

test('each kind of failure has its cooldown, which grows when repeated, up to a day', () => {
  expect(cooldownAfter(challenge)).toBe(30)
  expect(cooldownAfter(challenge, challenge)).toBe(60)
  expect(cooldownAfter(...Array.from({ length: 30 }, () => challenge))).toBe(24 * 60)
  expect(cooldownAfter(limit)).toBe(3)
  expect(cooldownAfter(limit, limit)).toBe(6)
  expect(cooldownAfter({ ...limit, retryAfterMs: 90_000 })).toBe(1.5)
  expect(cooldownAfter({ ...limit, retryAfterMs: 9e12 })).toBe(24 * 60)
  expect(cooldownAfter({ kind: 'blocked', why: 'forbidden' })).toBe(10)
  expect(cooldownAfter({ kind: 'timeout' })).toBe(0.5)
  expect(cooldownAfter({ kind: 'failed', why: '' })).toBe(0.5)
  expect(cooldownAfter({ kind: 'unreachable', why: '' })).toBe(0)
  expect(cooldownAfter({ kind: 'layout_changed' })).toBe(60)
  expect(cooldownAfter({ kind: 'refused', why: '' })).toBe(0)
})

test('a success ends the cooldown and resets the backoff', () => {
  expect(cooldownAfter(challenge, challenge, { kind: 'empty' })).toBe(0)
  expect(cooldownAfter(challenge, challenge, { kind: 'empty' }, challenge)).toBe(30)
  expect(cooldownAfter(challenge, challenge, limit)).toBe(3)
})

test('a backoff in a successful response starts a cooldown', () => {
  expect(cooldownAfter({ kind: 'ok', hits: [], backoffMs: 2 * MINUTE })).toBe(2)
})

test('after the cooldown one request probes the engine while others are held back', () => {
  const blocked = nextState(undefined, challenge, NOW)
  expect(admitRequest(unlimited, blocked, NOW + 29 * MINUTE)).toMatchObject({ kind: 'cooling', why: 'challenge' })
  const later = NOW + 31 * MINUTE
  const probe = admitRequest(unlimited, blocked, later)
  if (probe.kind !== 'go') throw new Error('the first must be let through')
  expect(admitRequest(unlimited, probe.state, later + 1)).toMatchObject({ kind: 'cooling' })
  // The probing process was killed: the next one may probe.
  expect(admitRequest(unlimited, probe.state, later + MINUTE)).toMatchObject({ kind: 'go' })
  expect(admitRequest(unlimited, nextState(probe.state, { kind: 'empty' }, later), later)).toMatchObject({ kind: 'go' })
  expect(nextState(probe.state, challenge, later).until - later).toBe(60 * MINUTE)
})

test('the rate limit delays a request for a short time and rejects a long wait', () => {
  let state: EngineState | undefined
  const waits = [0, 0, 1500].map((at) => {
    const admission = admitRequest(duckduckgo, state, NOW + at)
    if (admission.kind !== 'go') return admission.kind
    state = admission.state
    return admission.waitMs
  })
  expect(waits).toEqual([0, 0, 500])
  expect(admitRequest(duckduckgo, state, NOW + 1500)).toMatchObject({ kind: 'paced' })
  expect(admitRequest(duckduckgo, state, NOW + 10_000)).toMatchObject({ kind: 'go', waitMs: 0 })
})

test('at most 300 requests a day are sent to Stack Exchange', () => {
  let state: EngineState | undefined
  let asked = 0
  for (let at = 0; at < 24 * 60 * MINUTE; at += MINUTE / 2) {
    const admission = admitRequest(stackexchange, state, NOW + at)
    if (admission.kind === 'go') {
      asked++
      state = admission.state
    }
  }
  expect(asked).toBeLessThanOrEqual(300)
  expect(asked).toBeGreaterThanOrEqual(250)
})

test('a clock that was set back does not disable an engine for years', () => {
  const blocked = nextState(undefined, challenge, NOW + 1e12)
  expect(admitRequest(unlimited, blocked, NOW).kind).toBe('go')
  expect(admitRequest(unlimited, { ...blocked, until: 0, probeUntil: NOW + 1e12, drawnAt: NOW + 1e12 }, NOW).kind).toBe(
    'go',
  )
})
