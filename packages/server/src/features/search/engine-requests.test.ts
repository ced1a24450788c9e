// Shared requests: joining, releasing, cancelling, and the response cache.

import { expect, onTestFinished, test, vi } from 'vitest'

import { createDeferred, type Deferred } from '../../async/timeouts.js'
import type { EngineOutcome, EngineQuery } from './engine-kit/search-engine.js'
import { createEngineRequests } from './engine-requests.js'
import { exa } from './engines/mcp-engines.js'
import { mojeek } from './engines/result-page-engines.js'

const ASKED: EngineQuery = { text: 'x', site: undefined, language: 'en' }
const OK: EngineOutcome = { kind: 'ok', hits: [] }

function setUp() {
  const requests: (Deferred<EngineOutcome> & { readonly signal: AbortSignal })[] = []
  const landed: string[] = []
  const ended: string[] = []
  const flights = createEngineRequests(
    (_, __, signal) => {
      const request = { ...createDeferred<EngineOutcome>(), signal }
      signal.addEventListener('abort', () => request.resolve({ kind: 'failed', why: 'aborted' }))
      requests.push(request)
      return request.promise
    },
    ({ id }, { kind }) => landed.push(`${id} ${kind}`),
    ({ id }) => ended.push(id),
  )
  return { flights, requests, landed, ended }
}

const nextLoopIteration = () => new Promise((resolve) => setImmediate(resolve))

test('concurrent searches share one request, and its response is cached', async () => {
  const { flights, requests, landed } = setUp()
  const all = [1, 2, 3].map(() => flights.join(exa, ASKED, 0))
  const other = flights.join(mojeek, ASKED, 0)
  await nextLoopIteration()
  expect(requests).toHaveLength(2)
  requests[0]?.resolve(OK)
  requests[1]?.resolve({ kind: 'timeout' })
  expect(await Promise.all(all.map(({ outcome }) => outcome))).toEqual([OK, OK, OK])
  expect(await other.outcome).toEqual({ kind: 'timeout' })
  expect(landed).toEqual(['exa ok', 'mojeek timeout'])
  expect(flights.cachedOutcome(exa, ASKED)).toBe(OK)
  expect(flights.cachedOutcome(mojeek, ASKED)).toBeUndefined()
  expect(flights.cachedOutcome(exa, { ...ASKED, language: 'de' })).toBeUndefined()
})

test('responses are cached for ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { flights, requests } = setUp()
  const { outcome } = flights.join(exa, ASKED, 0)
  await nextLoopIteration()
  requests[0]?.resolve(OK)
  await outcome
  vi.advanceTimersByTime(599_000)
  expect(flights.cachedOutcome(exa, ASKED)).toBe(OK)
  vi.advanceTimersByTime(2000)
  expect(flights.cachedOutcome(exa, ASKED)).toBeUndefined()
})

test('a released request continues', async () => {
  const { flights, requests, landed } = setUp()
  flights.join(exa, ASKED, 0).release(false)
  await nextLoopIteration()
  requests[0]?.resolve(OK)
  await nextLoopIteration()
  expect([landed, flights.cachedOutcome(exa, ASKED)]).toEqual([['exa ok'], OK])
})

test('cancelling aborts the request only without other waiters, present or past', async () => {
  const { flights, requests, landed, ended } = setUp()
  const [one, other] = [flights.join(exa, ASKED, 0), flights.join(exa, ASKED, 0)]
  await nextLoopIteration()
  one.release(true)
  expect(requests[0]?.signal.aborted).toBe(false)
  other.release(true)
  expect(requests[0]?.signal.aborted).toBe(true)
  // A later search does not get the aborted request.
  expect(flights.isInFlight(exa, ASKED)).toBe(false)
  const third = flights.join(exa, ASKED, 0)
  await nextLoopIteration()
  requests[1]?.resolve(OK)
  expect(await third.outcome).toBe(OK)
  expect([landed, ended]).toEqual([['exa ok'], ['exa']])
  flights.join(mojeek, ASKED, 0).release(false)
  flights.join(mojeek, ASKED, 0).release(true)
  await nextLoopIteration()
  expect(requests[2]?.signal.aborted).toBe(false)
})

test('close aborts all requests, including delayed and later ones', async () => {
  const { flights, requests, landed, ended } = setUp()
  flights.join(exa, ASKED, 0)
  flights.join(mojeek, ASKED, 60_000)
  await nextLoopIteration()
  await flights.close()
  expect(requests).toHaveLength(1)
  await flights.join(exa, { ...ASKED, text: 'y' }, 0).outcome
  expect(requests).toHaveLength(1)
  expect(flights.isInFlight(exa, { ...ASKED, text: 'y' })).toBe(false)
  expect([landed, ended]).toEqual([[], ['exa', 'mojeek', 'exa']])
})
