import fc from 'fast-check'
import { expect, test } from 'vitest'

import { keepOrder } from './home-order.js'

test('what is new is inserted behind the card that has the focus, and what is gone is left out', () => {
  expect(keepOrder(['a', 'b', 'c'], ['new', 'c', 'a', 'b', 'last'], 'b')).toEqual(['a', 'b', 'new', 'last', 'c'])
  expect(keepOrder(['a', 'b', 'c'], ['c', 'x'], 'b')).toEqual(['x', 'c'])
})

test('no entry is lost or shown twice, and known ones keep their order', () => {
  const keys = fc.uniqueArray(fc.constantFrom<string[]>('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'))
  fc.assert(
    fc.property(
      keys,
      keys,
      fc.constantFrom<string[]>('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
      (before, next, focused) => {
        const order = keepOrder(before, next, focused)
        expect([...order].sort()).toEqual([...next].sort())
        const known = before.filter((key) => next.includes(key))
        expect(order.filter((key) => before.includes(key))).toEqual(known)
      },
    ),
  )
})
