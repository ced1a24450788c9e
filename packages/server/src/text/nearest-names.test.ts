import fc from 'fast-check'
import { expect, test } from 'vitest'

import { suggestNames } from './nearest-names.js'

const NAMES = ['create-skill', 'debug-failing-command', 'deploy', 'release-notes', 'review', 'test-all']

test.each([
  ['relese-notes', ['release-notes']],
  ['realese-notes', ['release-notes']],
  ['Release-Notes', ['release-notes']],
  ['release', ['release-notes']],
  ['notes', ['release-notes']],
  ['reveiw', ['review']],
  ['write-release', ['release-notes']],
  ['depoly', ['deploy']],
  ['debug-failing-test', ['debug-failing-command', 'test-all']],
  ['something-else-entirely', []],
])('%s', (name, expected) => {
  expect(suggestNames(name, NAMES, 5)).toEqual(expected)
})

test('an exact match comes first, and the number of suggestions is limited', () => {
  const name = fc.stringMatching(/^[a-z0-9-]{1,64}$/)
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 5 }), (names, max) => {
      const found = suggestNames(names[0]!, names, max)
      expect(found[0]).toBe(names[0])
      expect(found.length).toBeLessThanOrEqual(max)
      expect([...new Set(found)]).toEqual(found)
    }),
  )
})
