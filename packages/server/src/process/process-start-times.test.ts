import { expect, test } from 'vitest'

import { createStartTimes } from './process-start-times.js'

test('a process is asked about once, until its answer is old; invalid pids never', async () => {
  const asked: (readonly number[])[] = []
  let now = 1000
  const startTimes = createStartTimes({
    now: () => now,
    async ask(pids) {
      asked.push(pids)
      return new Map([[7, 500]])
    },
  })
  const read = (...pids: readonly number[]) => startTimes.read(pids.map((pid) => ({ pid })))
  await Promise.all([read(7, 7), read(7), read(0, -1, Number.NaN, 1.5)])
  expect(asked).toEqual([[7]])
  expect([startTimes.get({ pid: 7 }), startTimes.get({ pid: 8 })]).toEqual([500, undefined])
  now += 3_600_000
  await read(8, 7)
  expect(asked).toEqual([[7], [8, 7]])
})

test('what cannot be read is unknown', async () => {
  const startTimes = createStartTimes({ now: Date.now, ask: () => Promise.reject(new Error('no ps')) })
  await startTimes.read([{ pid: 7 }])
  expect(startTimes.get({ pid: 7 })).toBeUndefined()
})

test('what was read before a process was started is about an earlier one with its pid', async () => {
  let now = 100_000
  const asked: number[] = []
  const startTimes = createStartTimes({
    now: () => now,
    async ask([pid = 0]) {
      asked.push(now)
      return new Map([[pid, now - 1000]])
    },
  })
  const [earlier, later] = [
    { pid: 7, startedAtMs: 99_000 },
    { pid: 7, startedAtMs: 150_000 },
  ]
  await startTimes.read([earlier])
  now = 160_000
  expect([startTimes.get(earlier), startTimes.get(later)]).toEqual([99_000, undefined])
  await startTimes.read([later])
  expect(startTimes.get(later)).toBe(159_000)
  await startTimes.read([later, { pid: 7, startedAtMs: 1e9 }])
  expect(asked).toEqual([100_000, 160_000])
})
