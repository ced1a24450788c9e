import { expect, test } from 'vitest'

import { isOlderVersion } from './compare-versions.js'

test.each([
  ['1.9.9', '1.10.0', true],
  ['1.10.0', '1.9.9', false],
  ['1.0.0', '1.0.0', false],
  ['1', '1.0.1', true],
  ['1.0.1', '1', false],
  ['', '3.51.3', true],
])('%j compared with %j: older is %s', (version, than, expected) => {
  expect(isOlderVersion(version, than)).toBe(expected)
})
