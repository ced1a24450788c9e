// Every engine with every behaviour of its server: each combination has a typed outcome.

import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { createEngineClient } from '@scorpiox/server/features/search/engine-client'
import type { SearchEngine } from '@scorpiox/server/features/search/engine-kit/search-engine'
import { readEngineSelection } from '@scorpiox/server/features/search/engine-selection'
import { openEngineStateFile } from '@scorpiox/server/features/search/engine-state-file'
import { ALL_ENGINES } from '@scorpiox/server/features/search/engines/index'
import { createSearchService, type SearchResult } from '@scorpiox/server/features/search/search-service'
import { DEFAULT_QUORUM_LIMITS } from '@scorpiox/server/features/search/wait-for-quorum'
import { createGuardedFetch, type GuardedFetch } from '@scorpiox/server/guarded-fetch/guarded-fetch'
import { emptyFolder } from '../support/client.js'
import { ALL_KEYS, type Replay, startReplay } from './support.js'

const QUERY = 'walnut joinery basics'
/** Longer than a busy machine needs: only `hang` and `stall` test time limits. */
const PATIENCE_MS = 100_000

let replay: Replay
let guardedFetch: GuardedFetch
beforeAll(async () => {
  replay = await startReplay()
  const proxies = { override: '', http: '', https: '', bypass: '' }
  guardedFetch = createGuardedFetch({ allow: `127.0.0.1:${replay.port}`, proxies, warn: () => {} })
})
afterAll(() => guardedFetch.close())

async function ask({ id }: SearchEngine, scenario: string, timeoutMs = PATIENCE_MS): Promise<SearchResult> {
  const selection = readEngineSelection({
    WEBSEARCH_ENGINES: id,
    WEBSEARCH_DENY: '',
    WEBSEARCH_KEYS: ALL_KEYS,
    WEBSEARCH_GATEWAY: replay.gateway(scenario),
    SEARXNG_URL: 'http://own.example.org',
  })
  const states = openEngineStateFile(join(emptyFolder(), 'engines.json'))
  const asking = createEngineClient({ guardedFetch, ...selection, timeoutMs })
  const search = createSearchService({
    selection,
    engines: ALL_ENGINES,
    states,
    queryEngine: asking,
    limits: { ...DEFAULT_QUORUM_LIMITS, hardMs: PATIENCE_MS },
  })
  try {
    return await search.search(QUERY, AbortSignal.timeout(PATIENCE_MS))
  } finally {
    await search.close()
  }
}

/** By engine, as `outcome` or `outcome: detail`. */
async function row(scenario: string, timeoutMs?: number): Promise<Record<string, string>> {
  const cells = await Promise.all(
    ALL_ENGINES.map(async (engine) => {
      const { reports } = await ask(engine, scenario, timeoutMs)
      expect(reports).toHaveLength(1)
      const [{ outcome, detail } = { outcome: 'none', detail: null }] = reports
      return [engine.id, detail === null ? outcome : `${outcome}: ${detail}`] as const
    }),
  )
  return Object.fromEntries(cells)
}

const allEngines = (outcome: string | ((engine: SearchEngine) => string)): Record<string, string> =>
  Object.fromEntries(ALL_ENGINES.map((engine) => [engine.id, typeof outcome === 'string' ? outcome : outcome(engine)]))

/** Results parsed from a tree can be partial. */
const READ_FROM_TREE = new Set(['duckduckgo', 'brave', 'mojeek', 'startpage', 'yahoo', 'bing', 'arxiv'])
/** Their hits always have one host. */
const isVertical = ({ tier }: SearchEngine): boolean => tier === 'vertical'

test.each([
  ['ok', 'ok'],
  ['empty', 'empty'],
  ['challenge-202', 'blocked: challenge'],
  ['challenge-200', 'blocked: challenge'],
  ['429', 'rate_limited'],
  ['403', 'blocked: forbidden'],
  ['403-cloudflare', 'blocked: challenge'],
  ['captcha', 'blocked: captcha'],
  ['drift', 'layout_changed'],
  ['poison', 'suspect: off-topic'],
  ['echo', 'ok'],
  ['one-host', (engine: SearchEngine) => (isVertical(engine) ? 'ok' : 'suspect: one-host')],
  ['slow', 'ok'],
  ['truncated', ({ id }: SearchEngine) => (READ_FROM_TREE.has(id) ? 'ok' : 'failed: its response is incomplete')],
  ['bomb', 'failed: its response is too large'],
  ['wrong-charset', 'ok'],
  ['lying-charset', 'ok'],
  ['error', 'failed: HTTP 500'],
])('%s', async (scenario, outcome) => {
  expect(await row(scenario)).toEqual(allEngines(outcome))
})

test('hang', async () => {
  expect(await row('hang', 500)).toEqual(allEngines('timeout'))
})

test('stall', async () => {
  expect(await row('stall', 1000)).toEqual(allEngines(({ id }) => (READ_FROM_TREE.has(id) ? 'ok' : 'timeout')))
})

test('results are complete: links are unwrapped and clean, advertisements removed, charsets decoded', async () => {
  const answers = await Promise.all(
    ALL_ENGINES.map(async (engine) => ({ engine, found: await ask(engine, 'wrong-charset') })),
  )
  for (const { engine, found } of answers) {
    expect(found.pages, engine.id).toHaveLength(8)
    for (const { title, url, snippet } of found.pages) {
      expect(snippet, engine.id).toMatch(/What walnut joinery basics is, number \d|Score 3|5 points/)
      expect(title, engine.id).toMatch(/^walnut joinery basics: page \d café$/)
      expect(url, engine.id).toMatch(/^https:\/\/[\w.-]+\/\S+$/)
      expect(url, engine.id).not.toContain('utm_')
    }
  }
})

test('Retry-After is the cooldown of an engine', async () => {
  const { reports } = await ask(ALL_ENGINES[0]!, '429')
  const seconds = ((reports[0]?.until ?? 0) - Date.now()) / 1000
  expect(seconds).toBeGreaterThan(60)
  expect(seconds).toBeLessThanOrEqual(120)
})

test('an engine that refuses its token is blocked', async () => {
  const startpage = ALL_ENGINES.find(({ id }) => id === 'startpage')!
  expect((await ask(startpage, 'token-challenge')).reports).toMatchObject([{ outcome: 'blocked', detail: 'challenge' }])
})
