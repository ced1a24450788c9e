import { expect, test } from 'vitest'

import { shareRuns } from './concurrency.js'
import { createDeferred } from './timeouts.js'

test('callers share the next run, which begins after they have asked', async () => {
  const runs: ReturnType<typeof createDeferred<number>>[] = []
  const ask = shareRuns(() => {
    const run = createDeferred<number>()
    runs.push(run)
    return run.promise
  })
  const first = [ask(), ask()]
  await expect.poll(() => runs.length).toBe(1)
  const second = [ask(), ask()]
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(runs).toHaveLength(1)
  runs[0]?.resolve(1)
  expect(await Promise.all(first)).toEqual([1, 1])
  await expect.poll(() => runs.length).toBe(2)
  runs[1]?.resolve(2)
  expect(await Promise.all(second)).toEqual([2, 2])
})

test('a run that fails does not keep the next one from running', async () => {
  let runs = 0
  const ask = shareRuns(async () => {
    if (++runs === 1) throw new Error('failed')
    return runs
  })
  await expect(ask()).rejects.toThrow('failed')
  expect(await ask()).toBe(2)
})
