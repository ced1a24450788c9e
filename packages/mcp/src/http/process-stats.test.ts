import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'

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
  await sleep(60)
  const until = performance.now() + 300
  while (performance.now() < until);
  await sleep(60)
  expect(stats.loopDelaySeconds(100)).toBeGreaterThan(0.2)
  stats.resetDelays()
  expect(stats.loopDelaySeconds(100)).toBe(0)
  stats.close()
})
