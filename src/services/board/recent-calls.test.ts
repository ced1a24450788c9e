import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createRecentCalls } from './recent-calls.js'

const caller = (user: string) => ({ user, session: 's' })

test('a call is shown while it runs and when it has ended, to its user alone', () => {
  const calls = createRecentCalls()
  const told: string[] = []
  calls.onChange((user) => told.push(user))
  const begun = { tool: 'Bash', input: { command: 'make\n  all', timeout: 5 } }
  calls.began(caller('ann'), begun)
  expect(calls.of('ann')).toMatchObject([{ tool: 'Bash', about: 'make all timeout=5', outcome: 'running', ms: 0 }])
  calls.ended(caller('ann'), { ...begun, outcome: 'error', ms: 12.7 }, begun)
  expect(calls.of('ann')).toMatchObject([{ tool: 'Bash', outcome: 'error', ms: 13 }])
  expect(calls.of('bob')).toEqual([])
  expect(told).toEqual(['ann', 'ann'])
})

test('one user does not push out the calls of another', () => {
  const calls = createRecentCalls()
  const one = (user: string, tool: string): void => {
    const begun = { tool, input: undefined }
    calls.began(caller(user), begun)
    calls.ended(caller(user), { ...begun, outcome: 'ok', ms: 1 }, begun)
  }
  one('ann', 'first')
  for (let times = 0; times < 5000; times++) one('bob', 'noise')
  expect(calls.of('ann').map(({ tool }) => tool)).toEqual(['first'])
  expect(calls.of('bob')).toHaveLength(100)
})

test('whatever the input is, what is said of it is one short line', () => {
  fc.assert(
    fc.property(fc.anything(), fc.string(), (input, tool) => {
      const calls = createRecentCalls()
      calls.began(caller('ann'), { tool: tool.repeat(50), input })
      const [call] = calls.of('ann')
      expect(call?.about.length).toBeLessThanOrEqual(120)
      expect(call?.about).not.toMatch(/\p{Cc}/u)
    }),
  )
})

test('a large input is not kept alive by what is said of it', async () => {
  const { findCollector } = await import('../../platform/collector.js')
  const collect = findCollector()
  const calls = createRecentCalls()
  const before = process.memoryUsage().heapUsed
  for (let times = 0; times < 100; times++) {
    const begun = {
      tool: `Bash${'x'.repeat(1_000_000)}${times}`,
      input: { command: `${times} ${'y'.repeat(1_000_000)}` },
    }
    calls.began(caller('ann'), begun)
    calls.ended(caller('ann'), { ...begun, outcome: 'ok', ms: 1 }, begun)
  }
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000)
  expect(calls.of('ann')).toHaveLength(100)
})
