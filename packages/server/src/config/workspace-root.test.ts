// Names of directories: every name has one of its own, on any file system, and none leads out of the folder.

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { encodeWorkspaceName, parseWorkspaceRoot } from './workspace-root.js'

test.each([
  ['ann', 'ann'],
  ['ann@example.com', 'ann@example.com'],
  ['Ann', '+41nn'],
  ['..', '+2e.'],
  ['-rf', '+2drf'],
  ['a/b', 'a+2fb'],
  ['é', '+c3+a9'],
])('%s is %s', (name, directory) => {
  expect(encodeWorkspaceName(name)).toBe(directory)
})

test('different names never share a directory, also where case does not count', () => {
  const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(name, name, (one, other) => {
      const [first, second] = [encodeWorkspaceName(one), encodeWorkspaceName(other)]
      expect(first).toMatch(/^[\d+@_a-z][\d+.@_a-z~-]{0,199}$/)
      expect(first.toLowerCase() === second.toLowerCase()).toBe(one === other)
    }),
  )
})

test('what is no text has none', () => {
  for (const name of ['', '\ud800']) expect(() => encodeWorkspaceName(name)).toThrow('has no workspace')
})

test('the setting names a folder and what its directories belong to', () => {
  expect(parseWorkspaceRoot('')).toBeUndefined()
  expect(parseWorkspaceRoot('/srv/work/{user}')).toEqual({ folder: '/srv/work', of: 'user' })
  expect(parseWorkspaceRoot('/srv/work/{tenant}')).toEqual({ folder: '/srv/work', of: 'tenant' })
})
