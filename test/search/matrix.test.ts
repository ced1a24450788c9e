// Every engine with every behaviour of its server: each combination has a typed outcome.

import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { createWayOut } from '../../src/platform/way-out/create-way-out.js'
import type { WayOut } from '../../src/platform/way-out/way-out.js'
import { createAskEngine } from '../../src/services/search/ask-engine.js'
import type { Engine } from '../../src/services/search/engine.js'
import { ENGINES } from '../../src/services/search/engines.js'
import { LIMITS } from '../../src/services/search/enough.js'
import { readRoster } from '../../src/services/search/line-up.js'
import { createSearch, type Found } from '../../src/services/search/search.js'
import { openEngineStates } from '../../src/store/engine-states.js'
import { emptyFolder } from '../support/client.js'
import { ALL_KEYS, startReplay, type Replay } from './support.js'

const QUERY = 'walnut joinery basics'
/** Longer than a busy machine needs: only `hang` and `stall` are about time limits. */
const PATIENCE_MS = 100_000

let replay: Replay
let wayOut: WayOut
beforeAll(async () => {
  replay = await startReplay()
  const proxies = { fixed: '', http: '', https: '', bypass: '' }
  wayOut = createWayOut({ allow: `127.0.0.1:${replay.port}`, proxies, warn: () => {} })
})
afterAll(() => wayOut.close())

async function ask({ id }: Engine, play: string, timeoutMs = PATIENCE_MS): Promise<Found> {
  const roster = readRoster({
    WEBSEARCH_ENGINES: id,
    WEBSEARCH_DENY: '',
    WEBSEARCH_KEYS: ALL_KEYS,
    WEBSEARCH_GATEWAY: replay.gateway(play),
    SEARXNG_URL: 'http://own.example.org',
  })
  const states = openEngineStates(join(emptyFolder(), 'engines.json'))
  const asking = createAskEngine({ wayOut, ...roster, timeoutMs })
  const search = createSearch({
    roster,
    engines: ENGINES,
    states,
    ask: asking,
    limits: { ...LIMITS, hardMs: PATIENCE_MS },
  })
  try {
    return await search.search(QUERY, AbortSignal.timeout(PATIENCE_MS))
  } finally {
    await search.close()
  }
}

/** By engine, as `outcome` or `outcome: detail`. */
async function row(play: string, timeoutMs?: number): Promise<Record<string, string>> {
  const cells = await Promise.all(
    ENGINES.map(async (engine) => {
      const { reports } = await ask(engine, play, timeoutMs)
      expect(reports).toHaveLength(1)
      const [{ outcome, detail } = { outcome: 'none', detail: null }] = reports
      return [engine.id, detail === null ? outcome : `${outcome}: ${detail}`] as const
    }),
  )
  return Object.fromEntries(cells)
}

const allEngines = (outcome: string | ((engine: Engine) => string)): Record<string, string> =>
  Object.fromEntries(ENGINES.map((engine) => [engine.id, typeof outcome === 'string' ? outcome : outcome(engine)]))

/** What is read from a tree can be read in part. */
const READ_FROM_TREE = new Set(['duckduckgo', 'brave', 'mojeek', 'startpage', 'yahoo', 'bing', 'arxiv'])
/** Their hits are always of one host. */
const isVertical = ({ tier }: Engine): boolean => tier === 'vertical'

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
  ['one-host', (engine: Engine) => (isVertical(engine) ? 'ok' : 'suspect: one-host')],
  ['slow', 'ok'],
  ['truncated', ({ id }: Engine) => (READ_FROM_TREE.has(id) ? 'ok' : 'failed: its response broke off')],
  ['bomb', 'failed: its response is too large'],
  ['wrong-charset', 'ok'],
  ['lying-charset', 'ok'],
  ['error', 'failed: HTTP 500'],
])('%s', async (play, outcome) => {
  expect(await row(play)).toEqual(allEngines(outcome))
})

test('hang', async () => {
  expect(await row('hang', 500)).toEqual(allEngines('timeout'))
})

test('stall', async () => {
  expect(await row('stall', 1000)).toEqual(allEngines(({ id }) => (READ_FROM_TREE.has(id) ? 'ok' : 'timeout')))
})

test('what was found is whole: links are unwrapped and clean, advertisements left out, charsets decoded', async () => {
  const answers = await Promise.all(
    ENGINES.map(async (engine) => ({ engine, found: await ask(engine, 'wrong-charset') })),
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
  const { reports } = await ask(ENGINES[0]!, '429')
  const seconds = ((reports[0]?.until ?? 0) - Date.now()) / 1000
  expect(seconds).toBeGreaterThan(60)
  expect(seconds).toBeLessThanOrEqual(120)
})

test('an engine that will not even give its token is blocked', async () => {
  const startpage = ENGINES.find(({ id }) => id === 'startpage')!
  expect((await ask(startpage, 'token-challenge')).reports).toMatchObject([{ outcome: 'blocked', detail: 'challenge' }])
})
