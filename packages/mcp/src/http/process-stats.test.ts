import { expect, test } from 'vitest'

import { eventually } from '../../../../test/support/eventually.js'
import { startProcessStats } from './process-stats.js'

test('memory, processor time and uptime are those of this process', () => {
  const stats = startProcessStats()
  expect(stats.residentBytes()).toBeGreaterThan(10_000_000)
  expect(stats.cpuSeconds()).toBeGreaterThan(0)
  expect(stats.uptimeSeconds()).toBeGreaterThan(0)
  stats.close()
})

test('a blocked event loop is measured, and the measurement can be reset', async () => {
  const stats = startProcessStats()
  // The loop is blocked again until it was measured: the first delay may be before the first sample.
  const blockAndRead = async (): Promise<number> => {
    const until = performance.now() + 300
    while (performance.now() < until);
    await new Promise(setImmediate)
    return stats.loopDelaySeconds(100)
  }
  await eventually(blockAndRead, (seconds) => seconds > 0.2)
  stats.resetDelays()
  expect(stats.loopDelaySeconds(100)).toBe(0)
  stats.close()
})
