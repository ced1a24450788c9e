// How long an engine is left alone, and who may try it again.

import { expect, test } from 'vitest'

import type { EngineState } from '../../store/engine-states.js'
import { admit, stateAfter } from './breaker.js'
import type { Engine } from './engine.js'
import { duckduckgo } from './engines/duckduckgo.js'
import { stackexchange } from './engines/stackexchange.js'
import type { Outcome } from './outcome.js'

const MINUTE = 60_000
const NOW = 1_800_000_000_000
const quick: Engine = { ...duckduckgo, pace: { everyMs: 1, burst: 1000 } }

function restAfter(...outcomes: readonly Outcome[]): number {
  let state: EngineState | undefined
  for (const outcome of outcomes) state = stateAfter(state, outcome, NOW)
  return Math.max((state?.until ?? 0) - NOW, 0) / MINUTE
}

const challenge = { kind: 'blocked', why: 'challenge' } as const
const limit = { kind: 'rate_limited' } as const

test('each bad outcome has its time, longer when it comes again, a day at most', () => {
  expect(restAfter(challenge)).toBe(30)
  expect(restAfter(challenge, challenge)).toBe(60)
  expect(restAfter(...Array.from({ length: 30 }, () => challenge))).toBe(24 * 60)
  expect(restAfter(limit)).toBe(3)
  expect(restAfter(limit, limit)).toBe(6)
  expect(restAfter({ ...limit, retryMs: 90_000 })).toBe(1.5)
  expect(restAfter({ ...limit, retryMs: 9e12 })).toBe(24 * 60)
  expect(restAfter({ kind: 'blocked', why: 'forbidden' })).toBe(10)
  expect(restAfter({ kind: 'timeout' })).toBe(0.5)
  expect(restAfter({ kind: 'failed', why: '' })).toBe(0.5)
  expect(restAfter({ kind: 'unreachable', why: '' })).toBe(0)
  expect(restAfter({ kind: 'layout_changed' })).toBe(60)
  expect(restAfter({ kind: 'refused', why: '' })).toBe(0)
})

test('an answer ends it, and the next time counts from the beginning', () => {
  expect(restAfter(challenge, challenge, { kind: 'empty' })).toBe(0)
  expect(restAfter(challenge, challenge, { kind: 'empty' }, challenge)).toBe(30)
  expect(restAfter(challenge, challenge, limit)).toBe(3)
})

test('who is told to back off while he gets an answer backs off', () => {
  expect(restAfter({ kind: 'ok', hits: [], restMs: 2 * MINUTE })).toBe(2)
})

test('after the cooldown one tries, and the others wait for how it goes', () => {
  const blocked = stateAfter(undefined, challenge, NOW)
  expect(admit(quick, blocked, NOW + 29 * MINUTE)).toMatchObject({ kind: 'cooling', why: 'challenge' })
  const later = NOW + 31 * MINUTE
  const probe = admit(quick, blocked, later)
  if (probe.kind !== 'go') throw new Error('the first must be let through')
  expect(admit(quick, probe.state, later + 1)).toMatchObject({ kind: 'cooling' })
  // Whoever tried was killed: the next may.
  expect(admit(quick, probe.state, later + MINUTE)).toMatchObject({ kind: 'go' })
  expect(admit(quick, stateAfter(probe.state, { kind: 'empty' }, later), later)).toMatchObject({ kind: 'go' })
  expect(stateAfter(probe.state, challenge, later).until - later).toBe(60 * MINUTE)
})

test('a pace is kept: a short wait is waited, a long one is not', () => {
  let state: EngineState | undefined
  const waits = [0, 0, 1500].map((at) => {
    const admission = admit(duckduckgo, state, NOW + at)
    if (admission.kind !== 'go') return admission.kind
    state = admission.state
    return admission.waitMs
  })
  expect(waits).toEqual([0, 0, 500])
  expect(admit(duckduckgo, state, NOW + 1500)).toMatchObject({ kind: 'paced' })
  expect(admit(duckduckgo, state, NOW + 10_000)).toMatchObject({ kind: 'go', waitMs: 0 })
})

test('no more than 300 questions a day reach Stack Exchange', () => {
  let state: EngineState | undefined
  let asked = 0
  for (let at = 0; at < 24 * 60 * MINUTE; at += MINUTE / 2) {
    const admission = admit(stackexchange, state, NOW + at)
    if (admission.kind === 'go') {
      asked++
      state = admission.state
    }
  }
  expect(asked).toBeLessThanOrEqual(300)
  expect(asked).toBeGreaterThanOrEqual(250)
})

test('a clock that was set back does not shut an engine for years', () => {
  const blocked = stateAfter(undefined, challenge, NOW + 1e12)
  expect(admit(quick, blocked, NOW).kind).toBe('go')
  expect(admit(quick, { ...blocked, until: 0, probeUntil: NOW + 1e12, drawnAt: NOW + 1e12 }, NOW).kind).toBe('go')
})
