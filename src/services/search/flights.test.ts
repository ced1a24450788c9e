// Who joins, who leaves, and what becomes of the request.

import { expect, onTestFinished, test, vi } from 'vitest'

import { promised, type Promised } from '../../lib/promised.js'
import type { Asked } from './engine.js'
import { exa } from './engines/exa.js'
import { mojeek } from './engines/mojeek.js'
import { createFlights } from './flights.js'
import type { Outcome } from './outcome.js'

const ASKED: Asked = { text: 'x', site: undefined, language: 'en' }
const OK: Outcome = { kind: 'ok', hits: [] }

function place() {
  const requests: (Promised<Outcome> & { readonly signal: AbortSignal })[] = []
  const landed: string[] = []
  const ended: string[] = []
  const flights = createFlights(
    (_, __, signal) => {
      const request = { ...promised<Outcome>(), signal }
      signal.addEventListener('abort', () => request.resolve({ kind: 'failed', why: 'aborted' }))
      requests.push(request)
      return request.promise
    },
    ({ id }, { kind }) => landed.push(`${id} ${kind}`),
    ({ id }) => ended.push(id),
  )
  return { flights, requests, landed, ended }
}

const soon = () => new Promise((resolve) => setImmediate(resolve))

test('many wait for one request, and its answer is kept', async () => {
  const { flights, requests, landed } = place()
  const all = [1, 2, 3].map(() => flights.join(exa, ASKED, 0))
  const other = flights.join(mojeek, ASKED, 0)
  await soon()
  expect(requests).toHaveLength(2)
  requests[0]?.resolve(OK)
  requests[1]?.resolve({ kind: 'timeout' })
  expect(await Promise.all(all.map(({ outcome }) => outcome))).toEqual([OK, OK, OK])
  expect(await other.outcome).toEqual({ kind: 'timeout' })
  expect(landed).toEqual(['exa ok', 'mojeek timeout'])
  expect(flights.kept(exa, ASKED)).toBe(OK)
  expect(flights.kept(mojeek, ASKED)).toBeUndefined()
  expect(flights.kept(exa, { ...ASKED, language: 'de' })).toBeUndefined()
})

test('what was said is kept for ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { flights, requests } = place()
  const { outcome } = flights.join(exa, ASKED, 0)
  await soon()
  requests[0]?.resolve(OK)
  await outcome
  vi.advanceTimersByTime(599_000)
  expect(flights.kept(exa, ASKED)).toBe(OK)
  vi.advanceTimersByTime(2000)
  expect(flights.kept(exa, ASKED)).toBeUndefined()
})

test('who has enough leaves a request that goes on', async () => {
  const { flights, requests, landed } = place()
  flights.join(exa, ASKED, 0).leave(false)
  await soon()
  requests[0]?.resolve(OK)
  await soon()
  expect([landed, flights.kept(exa, ASKED)]).toEqual([['exa ok'], OK])
})

test('who gives up ends it only if nobody else waits or has waited', async () => {
  const { flights, requests, landed, ended } = place()
  const [one, other] = [flights.join(exa, ASKED, 0), flights.join(exa, ASKED, 0)]
  await soon()
  one.leave(true)
  expect(requests[0]?.signal.aborted).toBe(false)
  other.leave(true)
  expect(requests[0]?.signal.aborted).toBe(true)
  // Whoever comes now is not told of what was called off.
  expect(flights.isUnderWay(exa, ASKED)).toBe(false)
  const third = flights.join(exa, ASKED, 0)
  await soon()
  requests[1]?.resolve(OK)
  expect(await third.outcome).toBe(OK)
  expect([landed, ended]).toEqual([['exa ok'], ['exa']])
  flights.join(mojeek, ASKED, 0).leave(false)
  flights.join(mojeek, ASKED, 0).leave(true)
  await soon()
  expect(requests[2]?.signal.aborted).toBe(false)
})

test('at the end everything is called off, also what waits for its turn and what comes after', async () => {
  const { flights, requests, landed, ended } = place()
  flights.join(exa, ASKED, 0)
  flights.join(mojeek, ASKED, 60_000)
  await soon()
  await flights.close()
  expect(requests).toHaveLength(1)
  await flights.join(exa, { ...ASKED, text: 'y' }, 0).outcome
  expect(requests).toHaveLength(1)
  expect(flights.isUnderWay(exa, { ...ASKED, text: 'y' })).toBe(false)
  expect([landed, ended]).toEqual([[], ['exa', 'mojeek', 'exa']])
})
