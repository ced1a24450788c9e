// Result pages are parsed on the main thread and must not block it.

import { expect, test } from 'vitest'

import { elementText, parseResultHtml, selectElements } from './html.js'

test('only the beginning of a huge page is parsed', () => {
  const rows = selectElements('p', parseResultHtml(`<main>${'<p>row</p>'.repeat(200_000)}</main>`))
  expect(rows.length).toBeGreaterThan(5000)
  expect(rows.length).toBeLessThan(20_000)
  expect(elementText(rows[0]!)).toBe('row')
})
