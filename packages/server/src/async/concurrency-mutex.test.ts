import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createKeyedMutex } from './concurrency.js'

test('work of one key runs in order without overlap despite failures; keys are independent', async () => {
  const job = fc.record({ key: fc.constantFrom('a', 'b'), fails: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(job), fc.scheduler(), async (jobs, scheduler) => {
      const inTurn = createKeyedMutex()
      const running = new Set<string>()
      const ended: { key: string; index: number }[] = []
      const works = jobs.map(({ key, fails }, index) =>
        inTurn(key, async () => {
          expect(running.has(key)).toBe(false)
          running.add(key)
          await scheduler.schedule(Promise.resolve())
          running.delete(key)
          ended.push({ key, index })
          if (fails) throw new Error('on purpose')
          return index
        }),
      )
      const settled = Promise.allSettled(works)
      await scheduler.waitFor(settled)
      expect((await settled).map(({ status }) => status === 'rejected')).toEqual(jobs.map(({ fails }) => fails))
      for (const key of ['a', 'b']) {
        const order = ended.filter((each) => each.key === key).map(({ index }) => index)
        expect(order).toEqual(order.toSorted((one, other) => one - other))
      }
    }),
  )
})

test('a synchronous throw rejects only its own work', async () => {
  const inTurn = createKeyedMutex()
  const failing = inTurn('', () => {
    throw new Error('at once')
  })
  await expect(failing).rejects.toThrow('at once')
  await expect(inTurn('', async () => 1)).resolves.toBe(1)
})
