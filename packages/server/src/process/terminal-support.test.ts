import { expect, test } from 'vitest'

import { adviseTerminal, canMakeTerminals } from './terminal-support.js'

test.each([
  ['linux', false, true],
  ['darwin', true, true],
  ['darwin', false, false],
  ['win32', true, false],
  ['freebsd', true, false],
] as const)('terminals on %s, with the package: %s', (platform, isInstalled, expected) => {
  expect(canMakeTerminals(platform, () => isInstalled)).toBe(expected)
})

test('the package of this repository is found', () => {
  expect(canMakeTerminals('darwin')).toBe(true)
})

test('a message names tty only where it works', () => {
  expect(adviseTerminal('Start it with tty: true.', 'linux')).toBe(' Start it with tty: true.')
  expect(adviseTerminal('Start it with tty: true.', 'win32')).toBe('')
})
