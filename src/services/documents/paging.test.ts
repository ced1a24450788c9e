import fc from 'fast-check'
import { expect, test } from 'vitest'

import { startCpuClock } from '../../../test/support/load.js'
import { blocksOf } from './blocks.js'
import { pageAt, type Page } from './paging.js'

const MAX = 400

function pagesOf(content: string, format: 'markdown' | 'text' | 'html', max = MAX): readonly Page[] {
  const blocks = blocksOf(content, format)
  const pages: Page[] = []
  for (let start = 0; start < content.length; start = pages.at(-1)?.end ?? Infinity) {
    pages.push(pageAt(content, blocks, start, max))
    if (pages.length > content.length) throw new Error('it does not come to an end')
  }
  return pages
}

const words = fc
  .array(fc.constantFrom('word', 'longer', 'ünï', '👩‍👧', '|', '#', '`x`'), { maxLength: 30 })
  .map((all) => all.join(' '))
const code = (lines: readonly string[]) => `\`\`\`ts\n${lines.join('\n')}\n\`\`\``
const table = (lines: readonly string[]) =>
  ['| a | b |', '| --- | --- |', ...lines.map((line) => `| ${line.replaceAll('|', '')} | x |`)].join('\n')
const some = fc.array(words, { minLength: 1, maxLength: 12 })
const documents = fc
  .array(
    fc.oneof(
      words,
      words.map((line) => `## ${line}`),
      some.map(code),
      some.map(table),
      fc.string({ maxLength: 900 }),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join('\n\n').toWellFormed())

test('the slices of all pages are the document, and none is longer than a page', () => {
  fc.assert(
    fc.property(documents, fc.constantFrom('markdown', 'text', 'html'), (content, format) => {
      const pages = pagesOf(content, format)
      expect(pages.map(({ start, end }) => content.slice(start, end)).join('')).toBe(content)
      for (const { text } of pages) {
        expect(text.length).toBeLessThanOrEqual(MAX)
        expect(text.isWellFormed()).toBe(true)
      }
    }),
  )
})

test('what just fits is one page, also with what closes a block', () => {
  expect(pagesOf('x'.repeat(MAX), 'text')).toHaveLength(1)
  const long = code(Array.from({ length: MAX * 2 }, () => 'x'))
  for (let max = MAX; max < MAX + 8; max++) {
    for (const { text } of pagesOf(long, 'markdown', max)) expect(text.length).toBeLessThanOrEqual(max)
  }
})

test('every page of markdown opens as many blocks of code as it closes', () => {
  const fenced = fc.array(fc.oneof(words, fc.array(words, { maxLength: 60 }).map(code)), { maxLength: 10 })
  fc.assert(
    fc.property(fenced, (parts) => {
      for (const { text } of pagesOf(parts.join('\n\n'), 'markdown')) {
        expect((text.match(/^```/gm) ?? []).length % 2).toBe(0)
      }
    }),
  )
})

test('a block that fits a page is on one', () => {
  const fitting = fc.array(fc.constantFrom('one line of code', 'x'), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fitting.map(code), fitting.map(table)), { maxLength: 14 }), (parts) => {
      const shown = pagesOf(parts.join('\n\n'), 'markdown').map(({ text }) => text)
      for (const block of parts.filter((part) => /^(```|\| a)/.test(part))) {
        expect(shown.some((text) => text.includes(block))).toBe(true)
      }
    }),
  )
})

test('a table longer than a page has its head on every page', () => {
  const pages = pagesOf(`Before\n\n${table(Array.from({ length: 60 }, (_, at) => `row ${at}`))}\n\nAfter`, 'markdown')
  expect(pages.length).toBeGreaterThan(2)
  for (const { text } of pages) expect(text).toContain('| a | b |\n| --- | --- |\n')
})

test('a page ends before a heading rather than after one', () => {
  const section = (at: number) => `## Section ${at}\n\n${'text '.repeat(25).trim()}`
  const pages = pagesOf(Array.from({ length: 9 }, (_, at) => section(at)).join('\n\n'), 'markdown')
  for (const { text } of pages) expect(text).toMatch(/^## /)
})

test('an HTML table or pre that fits is not cut, also with another in it', () => {
  const block = '<table><tr><td><table><tr><td>\ninner\n</td></tr></table>\n</td></tr>\n</table>'
  const content = `${'<p>text</p>\n'.repeat(30)}${block}\n${'<p>text</p>\n'.repeat(30)}`
  expect(pagesOf(content, 'html').some(({ text }) => text.includes(block))).toBe(true)
})

test.each(['<pre ', '<table', '</pre ', '<pre>', '<pre a="<pre '])('HTML of nothing but %j holds nobody up', (part) => {
  const cpuMs = startCpuClock()
  blocksOf(part.repeat(Math.ceil(1_000_000 / part.length)), 'html')
  expect(cpuMs()).toBeLessThan(2000)
})
