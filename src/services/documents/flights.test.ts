import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { promised } from '../../lib/promised.js'
import { createFlights } from './flights.js'

const never = (): AbortSignal => new AbortController().signal

test('what is under way is joined, and what is over is begun again', async () => {
  const flights = createFlights<number>()
  let started = 0
  const work = promised<number>()
  const start = (): Promise<number> => {
    started++
    return work.promise
  }
  const all = [flights.join('a', never(), start), flights.join('a', never(), start), flights.join('b', never(), start)]
  work.resolve(7)
  expect(await Promise.all(all)).toEqual([7, 7, 7])
  expect(started).toBe(2)
  await flights.join('a', never(), start)
  expect(started).toBe(3)
})

test('who leaves does not stop the others; when all have left, it is stopped', async () => {
  const flights = createFlights<number>()
  const [one, other] = [new AbortController(), new AbortController()]
  let signal: AbortSignal | undefined
  const start = (stop: AbortSignal): Promise<number> => {
    signal = stop
    return new Promise(() => {})
  }
  const first = flights.join('a', one.signal, start)
  const second = flights.join('a', other.signal, start)
  one.abort(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  expect(signal?.aborted).toBe(false)
  other.abort(new Error('gone too'))
  await expect(second).rejects.toThrow('gone too')
  expect(signal?.aborted).toBe(true)
  expect(await flights.join('a', never(), () => Promise.resolve(1))).toBe(1)
})

test('a failure is told to all, and not kept', async () => {
  const flights = createFlights<number>()
  const fail = async (): Promise<number> => {
    await sleep(1)
    throw new Error('no')
  }
  const all = await Promise.allSettled([flights.join('a', never(), fail), flights.join('a', never(), fail)])
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await flights.join('a', never(), () => Promise.resolve(1))).toBe(1)
})
