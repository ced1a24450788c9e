// Result pages are parsed on the main thread and must not block it.

import { expect, test } from 'vitest'

import { all, parsed, shownText } from './html.js'

test('only the beginning of a huge page is parsed', () => {
  const rows = all('p', parsed(`<main>${'<p>row</p>'.repeat(200_000)}</main>`))
  expect(rows.length).toBeGreaterThan(5000)
  expect(rows.length).toBeLessThan(20_000)
  expect(shownText(rows[0]!)).toBe('row')
})
