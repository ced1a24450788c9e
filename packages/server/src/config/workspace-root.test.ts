// Names of directories: every name has one of its own, on any file system, and none leads out of the folder.

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { MISSING, needs } from '../../../../test/support/runtime.js'
import { encodeWorkspaceName, openWorkspaceFolder, parseWorkspaceRoot } from './workspace-root.js'

test.each([
  ['ann', 'ann'],
  ['ann@example.com', 'ann@example.com'],
  ['Ann', '+41nn'],
  ['..', '+2e.'],
  ['-rf', '+2drf'],
  ['a/b', 'a+2fb'],
  ['é', '+c3+a9'],
])('%s is %s', (name, directory) => {
  expect(encodeWorkspaceName(name, 'linux')).toBe(directory)
})

test.each([
  ['con', '+63on'],
  ['com1.ann', '+63om1.ann'],
  ['bob.', 'bob+2e'],
  ['nul.', '+6eul+2e'],
  ['console', 'console'],
  ['ann.b', 'ann.b'],
])('on Windows, where it would be another name, %s is %s', (name, directory) => {
  expect(encodeWorkspaceName(name, 'win32')).toBe(directory)
})

test.each(['linux', 'win32'] as const)(
  'on %s different names never share a directory, whatever their case',
  (platform) => {
    const device = fc.constantFrom('con', 'CON', 'con.', 'con.a', 'nul', '+63on', 'lpt1')
    const name = fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), device)
    fc.assert(
      fc.property(name, name, (one, other) => {
        const [first, second] = [encodeWorkspaceName(one, platform), encodeWorkspaceName(other, platform)]
        expect(first).toMatch(/^[\d+@_a-z][\d+.@_a-z~-]{0,199}$/)
        expect(first.toLowerCase() === second.toLowerCase()).toBe(one === other)
      }),
    )
  },
)

test('a folder that cannot be created is a failure, not an endless loop', needs(MISSING.posixPaths), () => {
  expect(() => openWorkspaceFolder({ folder: '/proc/nowhere/work', of: 'user' })).toThrow('cannot be created')
})

test('what is no text has none', () => {
  for (const name of ['', '\ud800']) expect(() => encodeWorkspaceName(name)).toThrow('is empty or not valid text')
})

test('the setting names a folder and what its directories belong to', () => {
  expect(parseWorkspaceRoot('')).toBeUndefined()
  expect(parseWorkspaceRoot('/srv/work/{user}')).toEqual({ folder: '/srv/work', of: 'user' })
  expect(parseWorkspaceRoot('/srv/work/{tenant}')).toEqual({ folder: '/srv/work', of: 'tenant' })
})
