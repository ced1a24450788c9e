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
  await Promise.all([startTimes.read([7, 7]), startTimes.read([7]), startTimes.read([0, -1, Number.NaN, 1.5])])
  expect(asked).toEqual([[7]])
  expect([startTimes.get(7), startTimes.get(8)]).toEqual([500, undefined])
  now += 3_600_000
  await startTimes.read([8, 7])
  expect(asked).toEqual([[7], [8, 7]])
})

test('what cannot be read is unknown', async () => {
  const startTimes = createStartTimes({ now: Date.now, ask: () => Promise.reject(new Error('no ps')) })
  await startTimes.read([7])
  expect(startTimes.get(7)).toBeUndefined()
})
