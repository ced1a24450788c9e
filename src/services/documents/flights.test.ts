import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { promised } from '../../lib/promised.js'
import { createFlights } from './flights.js'

const never = (): AbortSignal => new AbortController().signal

test('joins running work and starts finished work again', async () => {
  const tasks = createFlights<number>()
  let started = 0
  const work = promised<number>()
  const start = (): Promise<number> => {
    started++
    return work.promise
  }
  const all = [tasks.join('a', never(), start), tasks.join('a', never(), start), tasks.join('b', never(), start)]
  work.resolve(7)
  expect(await Promise.all(all)).toEqual([7, 7, 7])
  expect(started).toBe(2)
  await tasks.join('a', never(), start)
  expect(started).toBe(3)
})

test('aborts the work only after all waiters have left', async () => {
  const tasks = createFlights<number>()
  const [one, other] = [new AbortController(), new AbortController()]
  let signal: AbortSignal | undefined
  const start = (abortSignal: AbortSignal): Promise<number> => {
    signal = abortSignal
    return new Promise(() => {})
  }
  const first = tasks.join('a', one.signal, start)
  const second = tasks.join('a', other.signal, start)
  one.abort(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  expect(signal?.aborted).toBe(false)
  other.abort(new Error('gone too'))
  await expect(second).rejects.toThrow('gone too')
  expect(signal?.aborted).toBe(true)
  expect(await tasks.join('a', never(), () => Promise.resolve(1))).toBe(1)
})

test('a failure rejects all waiters and is not cached', async () => {
  const tasks = createFlights<number>()
  const fail = async (): Promise<number> => {
    await sleep(1)
    throw new Error('no')
  }
  const all = await Promise.allSettled([tasks.join('a', never(), fail), tasks.join('a', never(), fail)])
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await tasks.join('a', never(), () => Promise.resolve(1))).toBe(1)
})
