// Selection of engines, and parsing of queries and settings.

import { expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { readEngineSelection, type SearchSettings } from './engine-selection.js'
import { ALL_ENGINES } from './engines/index.js'
import { parseQuery, toEngineQuery } from './query.js'

const NOTHING: SearchSettings = {
  WEBSEARCH_ENGINES: '',
  WEBSEARCH_DENY: '',
  WEBSEARCH_KEYS: '',
  WEBSEARCH_GATEWAY: '',
  SEARXNG_URL: '',
}

/** Names of the engines used if all are available. */
function enginesFor(query: string, settings: Partial<SearchSettings> = {}): readonly string[] {
  const { primary, fallbacks, count } = readEngineSelection({ ...NOTHING, ...settings }).selectEngines(
    parseQuery(query),
  )
  return [...primary, ...fallbacks].slice(0, count).map(({ id }) => id)
}

test.each([
  ['best hiking boots', 'mwmbl'],
  ['TypeError: cannot read properties of undefined', 'stackexchange'],
  ['fast json parser library', 'github'],
  ['npm package for dates', 'npm'],
  ['cargo crate for http', 'crates'],
  ['papers on attention arxiv', 'arxiv'],
  ['hacker news postgres outage', 'hackernews'],
  ['css grid auto-fit', 'mdn'],
])('%s is sent to eleven engines, the last of them %s', (query, last) => {
  const asked = enginesFor(query)
  expect(asked).toHaveLength(11)
  expect(asked.slice(0, 4)).toEqual(['parallel', 'exa', 'firecrawl', 'keenable'])
  expect(asked.at(-1)).toBe(last)
})

test('WEBSEARCH_ENGINES and WEBSEARCH_DENY take precedence', () => {
  expect(enginesFor('x', { WEBSEARCH_ENGINES: 'mojeek, Brave,mojeek' })).toEqual(['mojeek', 'brave'])
  expect(enginesFor('x', { WEBSEARCH_ENGINES: 'mojeek,brave', WEBSEARCH_DENY: 'brave' })).toEqual(['mojeek'])
  const asked = enginesFor('x', { WEBSEARCH_DENY: 'parallel,exa,firecrawl,keenable' })
  expect(asked).toEqual([
    'duckduckgo',
    'brave',
    'mojeek',
    'startpage',
    'yahoo',
    'wikipedia',
    'mwmbl',
    'bing',
    'marginalia',
  ])
})

test('engines with a key or an instance are added, and an API replaces its result page', () => {
  const asked = enginesFor('x', { WEBSEARCH_KEYS: 'brave=K,tavily=T', SEARXNG_URL: 'https://s.example.org/' })
  expect(asked.slice(0, 3)).toEqual(['searxng', 'brave-api', 'tavily'])
  expect(asked).not.toContain('brave')
  const selection = readEngineSelection({
    ...NOTHING,
    WEBSEARCH_KEYS: 'exa=secret',
    SEARXNG_URL: 'https://s.example.org/',
  })
  const exa = ALL_ENGINES.find(({ id }) => id === 'exa')!
  const question = exa.buildRequest(
    { text: 'x', site: undefined, language: 'en' },
    { baseUrl: 'b', apiKey: selection.keyOf(exa), token: undefined },
  )
  expect(question.headers).toMatchObject({ 'x-api-key': 'secret' })
  expect(selection.baseUrlOf(ALL_ENGINES.find(({ id }) => id === 'searxng')!)).toBe('https://s.example.org')
})

test('site: is parsed in all spellings', () => {
  for (const site of [
    'site:Example.org',
    'site:www.example.org',
    'site:https://example.org/docs',
    'site:*.example.org',
  ]) {
    expect(parseQuery(`boats ${site}`), site).toMatchObject({ site: 'example.org', plain: 'boats' })
  }
  expect(parseQuery('boats -site:example.org').site).toBeUndefined()
})

test('Wikipedia is not used for another site', () => {
  expect(enginesFor('boats site:example.org')).not.toContain('wikipedia')
  expect(enginesFor('boats site:en.wikipedia.org')).toContain('wikipedia')
  expect(enginesFor('tokio site:github.com')).toContain('github')
})

test.each([
  [
    { WEBSEARCH_ENGINES: 'googel' },
    /WEBSEARCH_ENGINES names "googel", which is not an engine\. Engines: parallel, exa,/,
  ],
  [{ WEBSEARCH_DENY: 'exa,nope' }, /WEBSEARCH_DENY names "nope"/],
  [{ WEBSEARCH_ENGINES: 'tavily' }, /names tavily, but there is no key/],
  [{ WEBSEARCH_ENGINES: 'searxng' }, /no SEARXNG_URL/],
  [{ WEBSEARCH_KEYS: 'sk-very-secret' }, /^(?!.*secret).*must be name=KEY/],
  [{ WEBSEARCH_KEYS: 'tavily=sec\u0000ret' }, /^(?!.*sec).*must be name=KEY/],
  [{ WEBSEARCH_KEYS: 'mojeek=x' }, /with these names/],
  [{ WEBSEARCH_GATEWAY: 'http://127.0.0.1/x' }, /\{engine\}/],
  [{ WEBSEARCH_GATEWAY: 'ftp://{engine}' }, /WEBSEARCH_GATEWAY must be a URL/],
  [{ SEARXNG_URL: 'search.example.org' }, /SEARXNG_URL must be a URL/],
])('a wrong setting is reported: %j', (settings, sentence) => {
  const reading = () => readEngineSelection({ ...NOTHING, ...settings })
  expect(reading).toThrow(Failure)
  expect(reading).toThrow(sentence)
})

test('denying every engine is an error of the search', () => {
  const all = ALL_ENGINES.map(({ id }) => id).join(',')
  expect(() => enginesFor('x', { WEBSEARCH_DENY: all })).toThrow(/denies every engine\.$/)
  expect(() => enginesFor('x', { WEBSEARCH_ENGINES: 'exa', WEBSEARCH_DENY: 'exa' })).toThrow(/every engine that/)
})

test('the query is adapted to each engine', () => {
  const long = parseQuery(`site:a.org ${'word '.repeat(200)}`)
  const byName = (name: string) => ALL_ENGINES.find(({ id }) => id === name)!
  const duck = toEngineQuery(long, byName('duckduckgo')).text
  expect(duck.length).toBeLessThanOrEqual(499)
  expect(duck).toMatch(/^site:a\.org (word )+word$/)
  expect(toEngineQuery(parseQuery('"exact words" site:a.org'), byName('exa'))).toMatchObject({
    text: 'exact words',
    site: 'a.org',
  })
  expect(toEngineQuery(parseQuery('погода в Москве'), byName('wikipedia')).language).toBe('ru')
  for (const engine of ALL_ENGINES)
    expect(toEngineQuery(parseQuery('x'.repeat(2000)), engine).text.length).toBeLessThanOrEqual(engine.maxQuery ?? 2000)
})

test.each(['', '   ', '\u200b', 'site:example.org', '"" ...', '🙂'])('%j is no query', (text) => {
  expect(() => parseQuery(text)).toThrow(/The query is empty/)
})

test('a query can be too long', () => {
  expect(() => parseQuery('a '.repeat(1500))).toThrow(/the maximum is 2000/)
})
