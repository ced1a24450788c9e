// A page of results is read in the thread that serves everybody, and must not hold it up.

import { expect, test } from 'vitest'

import { all, parsed, shownText } from './html.js'

test('of a page without end the beginning is read', () => {
  const rows = all('p', parsed(`<main>${'<p>row</p>'.repeat(200_000)}</main>`))
  expect(rows.length).toBeGreaterThan(5000)
  expect(rows.length).toBeLessThan(20_000)
  expect(shownText(rows[0]!)).toBe('row')
})
