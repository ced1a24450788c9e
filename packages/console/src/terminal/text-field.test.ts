import { expect, test } from 'vitest'

import { createTextField } from './text-field.js'

function type(initial: string, ...keys: readonly string[]): ReturnType<typeof createTextField> {
  const field = createTextField(initial)
  for (const name of keys) field.press({ name, text: /^[a-z]{2,}|\+/.test(name) ? '' : name })
  return field
}

test('keys edit whole characters, also those of several code points', () => {
  expect(type('ab', 'c').text).toBe('abc')
  expect(type('한국어', 'backspace').text).toBe('한국')
  expect(type('a👨‍👩‍👧', 'backspace').text).toBe('a')
  expect(type('ab', 'left', 'x').text).toBe('axb')
  expect(type('ab', 'home', 'delete').text).toBe('b')
  expect(type('one two', 'ctrl+w').text).toBe('one ')
  expect(type('one two', 'ctrl+u').text).toBe('')
  expect(type('ab', 'home', 'ctrl+k').text).toBe('')
})

test('pasted lines become one line, without the last line break, and without control characters', () => {
  const field = createTextField('')
  field.press({ name: 'paste', text: 'a\r\nb\n' })
  expect(field.text).toBe('a b')
  field.press({ name: 'paste', text: 'c\rd\r' })
  expect(field.text).toBe('a bc d')
  field.press({ name: 'paste', text: '\u001B[2J' })
  expect(field.text).not.toContain('\u001B')
})

test('the part around the cursor is shown, and a secret as asterisks', () => {
  expect(createTextField('abcdef').view(4, false)).toEqual({ text: 'def', column: 3 })
  expect(createTextField('한국').view(10, false)).toEqual({ text: '한국', column: 4 })
  expect(createTextField('pass').view(10, true)).toEqual({ text: '****', column: 4 })
})
