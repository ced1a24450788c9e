import fc from 'fast-check'
import { expect, test } from 'vitest'

import { startCpuClock } from '../../../../../test/support/load.js'
import { findUnbreakableBlocks } from './pageable-content.js'
import { cutPage, type TextPage } from './paginate.js'

const MAX = 400

function paginate(content: string, format: 'markdown' | 'text' | 'html', max = MAX): readonly TextPage[] {
  const blocks = findUnbreakableBlocks(content, format)
  const pages: TextPage[] = []
  for (let start = 0; start < content.length; start = pages.at(-1)?.end ?? Infinity) {
    pages.push(cutPage(content, blocks, start, max))
    if (pages.length > content.length) throw new Error('pagination does not terminate')
  }
  return pages
}

const words = fc
  .array(fc.constantFrom('word', 'longer', 'ünï', '👩‍👧', '|', '#', '`x`'), { maxLength: 30 })
  .map((list) => list.join(' '))
const code = (lines: readonly string[]) => `\`\`\`ts\n${lines.join('\n')}\n\`\`\``
const table = (lines: readonly string[]) =>
  ['| a | b |', '| --- | --- |', ...lines.map((line) => `| ${line.replaceAll('|', '')} | x |`)].join('\n')
const lineLists = fc.array(words, { minLength: 1, maxLength: 12 })
const documents = fc
  .array(
    fc.oneof(
      words,
      words.map((line) => `## ${line}`),
      lineLists.map(code),
      lineLists.map(table),
      fc.string({ maxLength: 900 }),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join('\n\n').toWellFormed())

test('the slices of all pages make up the document, and no page exceeds the limit', () => {
  fc.assert(
    fc.property(documents, fc.constantFrom('markdown', 'text', 'html'), (content, format) => {
      const pages = paginate(content, format)
      expect(pages.map(({ start, end }) => content.slice(start, end)).join('')).toBe(content)
      for (const { text } of pages) {
        expect(text.length).toBeLessThanOrEqual(MAX)
        expect(text.isWellFormed()).toBe(true)
      }
    }),
  )
})

test('content of exactly the limit is one page, and closing lines stay within the limit', () => {
  expect(paginate('x'.repeat(MAX), 'text')).toHaveLength(1)
  const long = code(Array.from({ length: MAX * 2 }, () => 'x'))
  for (let max = MAX; max < MAX + 8; max++) {
    for (const { text } of paginate(long, 'markdown', max)) expect(text.length).toBeLessThanOrEqual(max)
  }
})

test('code fences are balanced on every page', () => {
  const fenced = fc.array(fc.oneof(words, fc.array(words, { maxLength: 60 }).map(code)), { maxLength: 10 })
  fc.assert(
    fc.property(fenced, (parts) => {
      for (const { text } of paginate(parts.join('\n\n'), 'markdown')) {
        expect((text.match(/^```/gm) ?? []).length % 2).toBe(0)
      }
    }),
  )
})

test('a block that fits on a page is not cut', () => {
  const fitting = fc.array(fc.constantFrom('one line of code', 'x'), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fitting.map(code), fitting.map(table)), { maxLength: 14 }), (parts) => {
      const pages = paginate(parts.join('\n\n'), 'markdown').map(({ text }) => text)
      const blocks = parts.filter((part) => /^(```|\| a)/.test(part))
      expect(blocks.filter((block) => !pages.some((text) => text.includes(block)))).toEqual([])
    }),
  )
})

test('the head of a long table is repeated on every page', () => {
  const pages = paginate(`Before\n\n${table(Array.from({ length: 60 }, (_, at) => `row ${at}`))}\n\nAfter`, 'markdown')
  expect(pages.length).toBeGreaterThan(2)
  for (const { text } of pages) expect(text).toContain('| a | b |\n| --- | --- |\n')
})

test('a page ends before a heading, not after it', () => {
  const section = (at: number) => `## Section ${at}\n\n${'text '.repeat(25).trim()}`
  const pages = paginate(Array.from({ length: 9 }, (_, at) => section(at)).join('\n\n'), 'markdown')
  for (const { text } of pages) expect(text).toMatch(/^## /)
})

test('an HTML table or pre that fits is not cut, even with a nested one', () => {
  const block = '<table><tr><td><table><tr><td>\ninner\n</td></tr></table>\n</td></tr>\n</table>'
  const content = `${'<p>text</p>\n'.repeat(30)}${block}\n${'<p>text</p>\n'.repeat(30)}`
  expect(paginate(content, 'html').map(({ text }) => text)).toContainEqual(expect.stringContaining(block))
})

test.each(['<pre ', '<table', '</pre ', '<pre>', '<pre a="<pre '])('scans a megabyte of %j in linear time', (part) => {
  const cpuMs = startCpuClock()
  findUnbreakableBlocks(part.repeat(Math.ceil(1_000_000 / part.length)), 'html')
  expect(cpuMs()).toBeLessThan(2000)
})
