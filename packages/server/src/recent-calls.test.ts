import fc from 'fast-check'
import { expect, test } from 'vitest'

import { createRecentCalls } from './recent-calls.js'

const caller = (user: string) => ({ user, session: 's' })

test('lists running and ended calls, for their user only', () => {
  const calls = createRecentCalls()
  const notified: string[] = []
  calls.onChange((user) => notified.push(user))
  const started = { tool: 'Bash', input: { command: 'make\n  all', timeout: 5 } }
  calls.onStart(caller('ann'), started)
  expect(calls.forUser('ann')).toMatchObject([{ tool: 'Bash', about: 'make all timeout=5', outcome: 'running', ms: 0 }])
  calls.onEnd(caller('ann'), { ...started, outcome: 'error', ms: 12.7 }, started)
  expect(calls.forUser('ann')).toMatchObject([{ tool: 'Bash', outcome: 'error', ms: 13 }])
  expect(calls.forUser('bob')).toEqual([])
  expect(notified).toEqual(['ann', 'ann'])
})

test('one user does not evict the calls of another', () => {
  const calls = createRecentCalls()
  const one = (user: string, tool: string): void => {
    const started = { tool, input: undefined }
    calls.onStart(caller(user), started)
    calls.onEnd(caller(user), { ...started, outcome: 'ok', ms: 1 }, started)
  }
  one('ann', 'first')
  for (let times = 0; times < 5000; times++) one('bob', 'noise')
  expect(calls.forUser('ann').map(({ tool }) => tool)).toEqual(['first'])
  expect(calls.forUser('bob')).toHaveLength(100)
})

test('summarizes any input in one short line', () => {
  fc.assert(
    fc.property(fc.anything(), fc.string(), (input, tool) => {
      const calls = createRecentCalls()
      calls.onStart(caller('ann'), { tool: tool.repeat(50), input })
      const [call] = calls.forUser('ann')
      expect(call?.about.length).toBeLessThanOrEqual(120)
      expect(call?.about).not.toMatch(/\p{Cc}/u)
    }),
  )
})

test('the summary does not keep a large input in memory', async () => {
  const { exposeGarbageCollector } = await import('./process/garbage-collector.js')
  const collect = exposeGarbageCollector()
  const calls = createRecentCalls()
  const before = process.memoryUsage().heapUsed
  for (let times = 0; times < 100; times++) {
    const started = {
      tool: `Bash${'x'.repeat(1_000_000)}${times}`,
      input: { command: `${times} ${'y'.repeat(1_000_000)}` },
    }
    calls.onStart(caller('ann'), started)
    calls.onEnd(caller('ann'), { ...started, outcome: 'ok', ms: 1 }, started)
  }
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000)
  expect(calls.forUser('ann')).toHaveLength(100)
})
