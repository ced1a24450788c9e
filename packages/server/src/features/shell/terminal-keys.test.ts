// What each key sends.

import { expect, test } from 'vitest'

import { encodeKey } from './terminal-keys.js'

test.each([
  ['enter', '\r'],
  ['Tab', '\t'],
  ['esc', '\u001B'],
  ['up', '\u001B[A'],
  ['ArrowLeft', '\u001B[D'],
  ['Page_Up', '\u001B[5~'],
  ['f1', '\u001BOP'],
  ['F12', '\u001B[24~'],
  ['ctrl+c', '\u0003'],
  ['C-c', '\u0003'],
  ['^C', '\u0003'],
  ['Ctrl-Z', '\u001A'],
  ['ctrl+left', '\u001B[1;5D'],
  ['shift+up', '\u001B[1;2A'],
  ['alt+x', '\u001Bx'],
  ['M-f', '\u001Bf'],
  ['alt+enter', '\u001B\r'],
  ['alt+é', '\u001Bé'],
])('%s', (name, expected) => {
  expect(encodeKey(name, false)).toBe(expected)
})

test('cursor keys of a program that has asked for it', () => {
  expect(encodeKey('up', true)).toBe('\u001BOA')
  expect(encodeKey('ctrl+up', true)).toBe('\u001B[1;5A')
})

test.each(['', 'f13', 'f0', 'ctrl+', 'ctrl+enter+x', 'hello', 'shift+a'])('there is no key %j', (name) => {
  expect(() => encodeKey(name, false)).toThrow(/^Nothing was typed: unknown key /)
})
