import fc from 'fast-check'
import { expect, test } from 'vitest'

import { startCpuClock } from '../../../../../test/support/load.js'
import { findFirstHeading, parseChecklist } from './plan-checklist.js'

const textsOf = (markdown: string): readonly string[] => parseChecklist(markdown).items.map(({ text }) => text)

test.each([
  ['- [ ] a', ['a']],
  ['* [x] a\n+ [X] b', ['a', 'b']],
  ['1. [ ] a\n12) [ ] b', ['a', 'b']],
  ['- [ ] a\n  - [ ] deeper\n\t\t* [ ] deepest', ['a', 'deeper', 'deepest']],
  ['> - [ ] quoted', ['quoted']],
  ['- [ ] a\r\n- [ ] b\r- [ ] c', ['a', 'b', 'c']],
  ['-   [ ]   spaced out   ', ['spaced out']],
  ['- [ ] has `code` and [a link](x)', ['has `code` and [a link](x)']],
  ['- [ ]', []],
  ['- [ ]   ', []],
  ['- [] a\n- [y] a\n-[ ] a\n[ ] a\n- a [ ] b', []],
  ['```\n- [ ] code\n```\n- [ ] a', ['a']],
  ['~~~ md\n- [ ] code\n```\n- [ ] code\n~~~\n- [ ] a', ['a']],
  ['````\n```\n- [ ] code\n```\n- [ ] code\n`````\n- [ ] a', ['a']],
  ['  ```sh\n  - [ ] code\n  ```\n- [ ] a', ['a']],
  ['- ```\n  - [ ] code\n  ```\n- [ ] a', ['a']],
  ['```\n- [ ] never closed', []],
  ['``` not a ` fence\n- [ ] a', ['a']],
  ['<!--\n- [ ] hidden\n-->\n- [ ] a', ['a']],
  ['<!-- closed at once -->\n- [ ] a', ['a']],
])('%j', (markdown, expected) => {
  expect(textsOf(markdown)).toEqual(expected)
})

test('a checked item is done', () => {
  expect(parseChecklist('- [ ] a\n- [x] b\n- [X] c').items.map(({ done }) => done)).toEqual([false, true, true])
})

const word = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .map((text) => `w${text.replace(/[\s`<>~-]/g, '')}`)
const bullet = fc.constantFrom('-', '*', '+', '1.', '7)', '123456789.')
const indent = fc.constantFrom('', '  ', '    ', '\t', '> ')
const line = fc.record({ indent, bullet, text: word, done: fc.boolean() })
const prose = fc.oneof(fc.constantFrom('', 'Some words.', '## A part', '- an item without a box', '| a | b |'), word)

test('finds exactly the items, in order, whatever is between them', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(line, prose, fc.constant('code' as const))), (parts) => {
      const markdown = parts.map((part) => {
        if (part === 'code') return '```\n- [ ] not this one\n```'
        return typeof part === 'string' ? part : `${part.indent}${part.bullet} [${part.done ? 'x' : ' '}] ${part.text}`
      })
      const written = parts.filter((part) => typeof part !== 'string')
      expect(parseChecklist(markdown.join('\n')).items).toEqual(written.map(({ text, done }) => ({ text, done })))
    }),
  )
})

test('accepts any input and never exceeds the limits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (markdown) => {
      const { items, total } = parseChecklist(markdown)
      expect(items.length).toBeLessThanOrEqual(Math.min(total, 500))
      for (const { text } of items) expect(text.trim()).not.toBe('')
      expect(typeof findFirstHeading(markdown)).toBe('string')
    }),
  )
})

test.each([
  ['spaces', ' '.repeat(2 ** 20)],
  ['a bullet and spaces', `- [ ]${' '.repeat(2 ** 20)}`],
  ['a number and spaces', `1.${' '.repeat(2 ** 20)}x`],
  ['quotes', '> '.repeat(2 ** 19)],
  ['backticks', '`'.repeat(2 ** 20)],
  ['a heading of marks', `# ${'# '.repeat(2 ** 19)}x`],
  ['comments', '<!--'.repeat(2 ** 18)],
])('parses a megabyte of %s quickly', (_, markdown) => {
  const cpuMs = startCpuClock()
  parseChecklist(markdown)
  findFirstHeading(markdown)
  expect(cpuMs()).toBeLessThan(2000)
})

test('truncates too many items and too long items', () => {
  const many = parseChecklist('- [ ] a\n'.repeat(612))
  expect([many.items.length, many.total, many.truncatedItems]).toEqual([500, 612, 0])
  const long = parseChecklist(`- [ ] ${'a'.repeat(1001)}\n- [ ] ${'b'.repeat(1000)}`)
  expect(long.items.map(({ text }) => text.length)).toEqual([1000, 1000])
  expect(long.truncatedItems).toBe(1)
})

test.each([
  ['# A title', 'A title'],
  ['text\n\n## Second ##\n# First', 'Second'],
  ['```\n# code\n```\n### A title', 'A title'],
  ['#nothing', ''],
  ['', ''],
])('finds the heading of %j', (markdown, expected) => {
  expect(findFirstHeading(markdown)).toBe(expected)
})
