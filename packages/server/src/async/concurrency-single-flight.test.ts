import { expect, test } from 'vitest'

import { createDeferred } from './timeouts.js'
import { createSingleFlight } from './concurrency.js'

const never = (): AbortSignal => new AbortController().signal

test('joins running work and starts finished work again', async () => {
  const tasks = createSingleFlight<number>()
  let started = 0
  const work = createDeferred<number>()
  const start = (): Promise<number> => {
    started++
    return work.promise
  }
  const all = [tasks.run('a', never(), start), tasks.run('a', never(), start), tasks.run('b', never(), start)]
  work.resolve(7)
  expect(await Promise.all(all)).toEqual([7, 7, 7])
  expect(started).toBe(2)
  await tasks.run('a', never(), start)
  expect(started).toBe(3)
})

test('aborts the work only after all waiters have left', async () => {
  const tasks = createSingleFlight<number>()
  const [one, other] = [new AbortController(), new AbortController()]
  let signal: AbortSignal | undefined
  const start = (abortSignal: AbortSignal): Promise<number> => {
    signal = abortSignal
    return new Promise(() => {})
  }
  const first = tasks.run('a', one.signal, start)
  const second = tasks.run('a', other.signal, start)
  one.abort(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  expect(signal?.aborted).toBe(false)
  other.abort(new Error('gone too'))
  await expect(second).rejects.toThrow('gone too')
  expect(signal?.aborted).toBe(true)
  expect(await tasks.run('a', never(), () => Promise.resolve(1))).toBe(1)
})

test('a failure rejects all waiters and is not cached', async () => {
  const tasks = createSingleFlight<number>()
  const fail = async (): Promise<number> => {
    await Promise.resolve()
    throw new Error('no')
  }
  const all = await Promise.allSettled([tasks.run('a', never(), fail), tasks.run('a', never(), fail)])
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await tasks.run('a', never(), () => Promise.resolve(1))).toBe(1)
})
