// The line on the engines, in every mixture, and the sentence where there is nothing to show.

import { expect, test } from 'vitest'

import { ENGINES } from '../../services/search/engines.js'
import { UNRESOLVED } from '../../services/search/outcome.js'
import type { Report } from '../../services/search/search.js'
import { said } from './search.js'

const NAMES = ENGINES.map(({ id }) => id).slice(0, 11)
const OK = { family: 'x', outcome: 'ok', hits: 8, ms: 9, detail: null, until: null } as const

function reports(change: (name: string, index: number) => Partial<Report>): readonly Report[] {
  return NAMES.map((engine, index) => ({ ...OK, engine, family: engine, ...change(engine, index) }))
}

function wordsOf(all: readonly Report[], spares: readonly string[] = []): { content: string; isError?: boolean } {
  const { words } = said({ query: 'q', pages: [], reports: all, spares })
  return typeof words === 'string' ? { content: words } : (words as { content: string; isError: boolean })
}

const lineOf = (all: readonly Report[], spares?: readonly string[]): string =>
  wordsOf(all, spares).content.split('\n').at(-1) ?? ''

test('engines with the same fate share one entry', () => {
  expect(lineOf(reports(() => ({})))).toBe('Engines: 11 ok')
  const mixed = reports((_, index) =>
    index < 2 ? { outcome: 'late' } : index < 4 ? { outcome: 'blocked', detail: 'challenge' } : {},
  )
  expect(lineOf(mixed, ['bing', 'mwmbl'])).toBe(
    'Engines: 7 ok · parallel, exa late · firecrawl, keenable blocked (challenge) · spares asked: bing, mwmbl',
  )
})

test('a network that is not there takes one sentence', () => {
  const { content, isError } = wordsOf(reports(() => ({ outcome: 'unreachable', detail: UNRESOLVED })))
  expect(isError).toBe(true)
  expect(content).toMatch(
    /^No search engine could be reached, because no name could be looked up: is there a network\?/,
  )
  expect(content.split(UNRESOLVED)).toHaveLength(2)
  expect(content.length).toBeLessThan(450)
})

test('several indexes that found nothing are believed, whoever else would not say', () => {
  const most = reports((_, index) => (index < 3 ? { outcome: 'empty' } : { outcome: 'blocked', detail: 'captcha' }))
  expect(wordsOf(most)).toMatchObject({ content: expect.stringMatching(/^Nothing was found/) })
  const few = reports((_, index) => (index < 2 ? { outcome: 'empty' } : { outcome: 'blocked', detail: 'captcha' }))
  expect(wordsOf(few)).toMatchObject({ content: expect.stringMatching(/^No results, because/), isError: true })
})
