import { isDeepStrictEqual } from 'node:util'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { ProtocolError } from '../errors.js'
import {
  canonicalJson,
  createRequestStateSealer,
  type RequestBinding,
  type LocalRequestStateSealer,
} from './request-state.js'

const LIFE_MS = 60_000

const binding: RequestBinding = {
  user: 'ann',
  method: 'tools/call',
  params: { name: 'delete', arguments: { file: 'a', deep: { x: [1, 2], y: null } } },
}
const content = { answers: { sure: { action: 'accept' } }, asked: ['next'] }

/** A clock that the test advances. */
function open(): { sealer: LocalRequestStateSealer; pass: (ms: number) => void } {
  let now = 1_000_000
  return { sealer: createRequestStateSealer(() => now), pass: (ms) => void (now += ms) }
}

function isRefused(work: () => unknown): boolean {
  try {
    work()
    return false
  } catch (error) {
    return error instanceof ProtocolError && error.code === -32602 && error.message.includes('requestState')
  }
}

test('a sealed state can be opened once', () => {
  const { sealer } = open()
  const state = sealer.seal(binding, content, LIFE_MS)
  expect(sealer.open(binding, state)).toEqual(content)
  expect(isRefused(() => sealer.open(binding, state))).toBe(true)
})

test('the content is not readable', () => {
  const state = open().sealer.seal(binding, { answers: { secret: 'hunter2' } }, LIFE_MS)
  for (const encoding of ['utf8', 'latin1'] as const) {
    expect(Buffer.from(state, 'base64url').toString(encoding)).not.toMatch(/hunter2|answers|ann|delete/)
  }
})

test('a rejected state is not used up', () => {
  const { sealer } = open()
  const state = sealer.seal(binding, content, LIFE_MS)
  expect(isRefused(() => sealer.open({ ...binding, user: 'bob' }, state))).toBe(true)
  expect(sealer.open(binding, state)).toEqual(content)
})

test('expires on time and is then dropped from the nonce log', () => {
  const { sealer, pass } = open()
  const [early, late] = [sealer.seal(binding, content, LIFE_MS), sealer.seal(binding, content, LIFE_MS)]
  pass(LIFE_MS - 1)
  expect(sealer.open(binding, early)).toEqual(content)
  pass(1)
  expect(isRefused(() => sealer.open(binding, late))).toBe(true)
  pass(10 * LIFE_MS)
  // Dropped from the nonce log meanwhile, and still rejected.
  sealer.open(binding, sealer.seal(binding, content, LIFE_MS))
  expect(isRefused(() => sealer.open(binding, early))).toBe(true)
})

describe('10,000 invalid states: none is accepted', () => {
  const { sealer, pass } = open()
  const foreign = createRequestStateSealer(() => 1_000_000)
  const bit = fc.nat()

  const corrupted = fc.oneof(
    fc.record({ how: fc.constant('a bit' as const), bit }),
    fc.record({ how: fc.constant('truncated' as const), bit }),
    fc.record({ how: fc.constant('extended' as const), more: fc.base64String({ minLength: 1 }) }),
    fc.record({ how: fc.constant('a character' as const), bit, char: fc.string({ minLength: 1, maxLength: 1 }) }),
    fc.record({ how: fc.constant('turned' as const), bit }),
    fc.record({ how: fc.constant('another' as const), text: fc.oneof(fc.string(), fc.base64String(), fc.anything()) }),
  )

  test('tampered, truncated, extended, invented: 4,000', () => {
    let accepted = 0
    fc.assert(
      fc.property(corrupted, (how) => {
        const state = sealer.seal(binding, content, LIFE_MS)
        const tampered = corrupt(state, how)
        if (tampered !== state && !isRefused(() => sealer.open(binding, tampered))) accepted++
      }),
      { numRuns: 4000 },
    )
    expect(accepted).toBe(0)
  })

  function corrupt(state: string, how: typeof corrupted extends fc.Arbitrary<infer T> ? T : never): unknown {
    const bytes = Buffer.from(state, 'base64url')
    switch (how.how) {
      case 'a bit': {
        const at = how.bit % (bytes.length * 8)
        bytes[at >> 3]! ^= 1 << (at & 7)
        return bytes.toString('base64url')
      }
      case 'truncated':
        return state.slice(0, how.bit % state.length)
      case 'extended':
        return state + how.more
      case 'a character': {
        const at = how.bit % state.length
        return state.slice(0, at) + how.char + state.slice(at + 1)
      }
      case 'turned': {
        const at = 1 + (how.bit % (bytes.length - 1))
        return Buffer.concat([bytes.subarray(at), bytes.subarray(0, at)]).toString('base64url')
      }
      case 'another':
        return how.text
    }
    return undefined
  }

  const json = fc.jsonValue({ maxDepth: 2 })
  const otherBinding = fc.oneof(
    fc.string().map((user) => ({ ...binding, user })),
    fc.constantFrom('prompts/get', 'resources/read', 'tools/call ', '').map((method) => ({ ...binding, method })),
    json.map((args) => ({ ...binding, params: { ...binding.params, arguments: args } })),
    fc.string().map((name) => ({ ...binding, params: { ...binding.params, name } })),
    fc.record({ key: fc.string(), value: json }).map(({ key, value }) => {
      const changes = ['_meta', 'inputResponses', 'requestState']
      return { ...binding, params: { ...binding.params, [changes.includes(key) ? 'extra' : key]: value } }
    }),
  )

  test('of another user or call: 3,000', () => {
    let accepted = 0
    fc.assert(
      fc.property(otherBinding, (other) => {
        const state = sealer.seal(binding, content, LIFE_MS)
        if (isDeeplyEqual(other, binding)) return
        if (!isRefused(() => sealer.open(other, state))) accepted++
      }),
      { numRuns: 3000 },
    )
    expect(accepted).toBe(0)
  })

  test('replayed, expired, of another server: 3,000', () => {
    let accepted = 0
    for (let run = 0; run < 1000; run++) {
      const used = sealer.seal(binding, content, LIFE_MS)
      sealer.open(binding, used)
      const old = sealer.seal(binding, content, run % 50)
      pass(run % 50)
      for (const state of [used, old, foreign.seal(binding, content, LIFE_MS)]) {
        if (!isRefused(() => sealer.open(binding, state))) accepted++
      }
    }
    expect(accepted).toBe(0)
  })
})

function isDeeplyEqual(a: object, b: object): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)))
}

describe('canonical JSON', () => {
  test('ignores the order of keys at any depth, but not the order of lists', () => {
    expect(canonicalJson({ b: [{ y: 1, x: 2 }], a: null })).toBe('{"a":null,"b":[{"x":2,"y":1}]}')
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]))
  })

  test('equal values have equal text, different values different text', () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned)
      if (typeof value !== 'object' || value === null) return value
      const entries = Object.entries(value).toReversed()
      return Object.fromEntries(entries.map(([key, inner]) => [key, turned(inner)]))
    }
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
        expect(canonicalJson(turned(value))).toBe(canonicalJson(value))
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
        if (canonicalJson(value) === canonicalJson(other)) expect(value).toEqual(other)
      }),
    )
  })

  test('a key called __proto__ counts', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}')
  })
})
