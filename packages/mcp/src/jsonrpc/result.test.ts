import { expect, test } from 'vitest'

import { getResultMembers, stringifyMembers, TypedResult } from './result.js'

test('a legacy result has the members, and _meta only if there is any', () => {
  expect(getResultMembers('"a":1')).toBe('"a":1')
  expect(getResultMembers(new TypedResult('complete', '"a":1'))).toBe('"a":1')
  expect(getResultMembers(new TypedResult('complete', '"a":1', '"m":2'))).toBe('"a":1,"_meta":{"m":2}')
})

test('members are serialized without braces', () => {
  expect(stringifyMembers({ a: 1, b: undefined, c: 'x' })).toBe('"a":1,"c":"x"')
})
