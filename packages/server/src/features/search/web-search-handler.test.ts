// The line about the engines for mixed outcomes, and the message without results.

import { expect, test } from 'vitest'

import { HOST_NOT_FOUND } from './engine-kit/search-engine.js'
import { ALL_ENGINES } from './engines/index.js'
import type { EngineReport } from './search-service.js'
import { formatSearchResult } from './web-search-handler.js'

const NAMES = ALL_ENGINES.map(({ id }) => id).slice(0, 11)
const OK = { family: 'x', outcome: 'ok', hits: 8, ms: 9, detail: null, until: null } as const

function reports(change: (name: string, index: number) => Partial<EngineReport>): readonly EngineReport[] {
  return NAMES.map((engine, index) => ({ ...OK, engine, family: engine, ...change(engine, index) }))
}

function wordsOf(all: readonly EngineReport[], spares: readonly string[] = []): { content: string; isError?: boolean } {
  const text = formatSearchResult({ query: 'q', pages: [], reports: all, spares })
  return typeof text === 'string' ? { content: text } : (text as { content: string; isError: boolean })
}

const lineOf = (all: readonly EngineReport[], spares?: readonly string[]): string =>
  wordsOf(all, spares).content.split('\n').at(-1) ?? ''

test('engines with the same outcome share one entry', () => {
  expect(lineOf(reports(() => ({})))).toBe('Engines: 11 ok')
  const mixed = reports((_, index) =>
    index < 2 ? { outcome: 'late' } : index < 4 ? { outcome: 'blocked', detail: 'challenge' } : {},
  )
  expect(lineOf(mixed, ['bing', 'mwmbl'])).toBe(
    'Engines: 7 ok · parallel, exa late · firecrawl, keenable blocked (challenge) · also queried: bing, mwmbl',
  )
})

test('a missing network takes one sentence', () => {
  const { content, isError } = wordsOf(reports(() => ({ outcome: 'unreachable', detail: HOST_NOT_FOUND })))
  expect(isError).toBe(true)
  expect(content).toMatch(/^No search engine could be reached: host names cannot be looked up\. Check the network\./)
  expect(content.split(HOST_NOT_FOUND)).toHaveLength(2)
  expect(content.length).toBeLessThan(450)
})

test('several empty indexes mean that nothing was found, even if other engines are blocked', () => {
  const most = reports((_, index) => (index < 3 ? { outcome: 'empty' } : { outcome: 'blocked', detail: 'captcha' }))
  expect(wordsOf(most)).toMatchObject({ content: expect.stringMatching(/^Nothing was found/) })
  const few = reports((_, index) => (index < 2 ? { outcome: 'empty' } : { outcome: 'blocked', detail: 'captcha' }))
  expect(wordsOf(few)).toMatchObject({ content: expect.stringMatching(/^No results: engines are/), isError: true })
})
