import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createRecentCalls } from './recent-calls.js'

const caller = (user: string) => ({ user, session: 's' })

test('lists running and ended calls, for their user only', () => {
  const calls = createRecentCalls()
  const notified: string[] = []
  calls.onChange((user) => notified.push(user))
  const started = { tool: 'Bash', input: { command: 'make\n  all', timeout: 5 } }
  calls.began(caller('ann'), started)
  expect(calls.of('ann')).toMatchObject([{ tool: 'Bash', about: 'make all timeout=5', outcome: 'running', ms: 0 }])
  calls.ended(caller('ann'), { ...started, outcome: 'error', ms: 12.7 }, started)
  expect(calls.of('ann')).toMatchObject([{ tool: 'Bash', outcome: 'error', ms: 13 }])
  expect(calls.of('bob')).toEqual([])
  expect(notified).toEqual(['ann', 'ann'])
})

test('one user does not evict the calls of another', () => {
  const calls = createRecentCalls()
  const one = (user: string, tool: string): void => {
    const started = { tool, input: undefined }
    calls.began(caller(user), started)
    calls.ended(caller(user), { ...started, outcome: 'ok', ms: 1 }, started)
  }
  one('ann', 'first')
  for (let times = 0; times < 5000; times++) one('bob', 'noise')
  expect(calls.of('ann').map(({ tool }) => tool)).toEqual(['first'])
  expect(calls.of('bob')).toHaveLength(100)
})

test('summarizes any input in one short line', () => {
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

test('the summary does not keep a large input in memory', async () => {
  const { findCollector } = await import('../../platform/collector.js')
  const collect = findCollector()
  const calls = createRecentCalls()
  const before = process.memoryUsage().heapUsed
  for (let times = 0; times < 100; times++) {
    const started = {
      tool: `Bash${'x'.repeat(1_000_000)}${times}`,
      input: { command: `${times} ${'y'.repeat(1_000_000)}` },
    }
    calls.began(caller('ann'), started)
    calls.ended(caller('ann'), { ...started, outcome: 'ok', ms: 1 }, started)
  }
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000)
  expect(calls.of('ann')).toHaveLength(100)
})
