// Waiting and seeded chance for the fleet: `eventually` polls for what is expected, `createRandom` makes a run repeatable.

import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 50

/** Resolves to the first value that fits; fails with what came instead. */
export async function eventually(what, look, { limitMs = 60_000, fits = Boolean, pollMs = POLL_MS } = {}) {
  const endsAt = Date.now() + limitMs
  let last
  for (;;) {
    try {
      last = await look()
      if (fits(last)) return last
    } catch (error) {
      last = error
    }
    if (Date.now() > endsAt) throw new Error(`${what}: not within ${limitMs} ms; last: ${describe(last)}`)
    await sleep(pollMs)
  }
}

/** Mulberry32: a generator of numbers in [0, 1) that the seed determines. */
export function createRandom(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { next, pick: (list) => list[Math.floor(next() * list.length)] }
}

/** Rejects when the work takes longer; the work itself goes on. */
export async function withLimit(what, limitMs, work) {
  const timer = new AbortController()
  const late = sleep(limitMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`${what}: not within ${limitMs} ms`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    timer.abort()
  }
}

function describe(value) {
  if (value instanceof Error) return value.message
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 400 ? `${text.slice(0, 400)}…` : text
}
