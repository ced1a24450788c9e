import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { startProcessStats } from './process-stats.js'

test('memory, processor time and uptime are those of this process', () => {
  const vitals = startProcessStats()
  expect(vitals.residentBytes()).toBeGreaterThan(10_000_000)
  expect(vitals.cpuSeconds()).toBeGreaterThan(0)
  expect(vitals.uptimeSeconds()).toBeGreaterThan(0)
  vitals.close()
})

test('a blocked event loop is measured, and the measurement can be reset', async () => {
  const vitals = startProcessStats()
  await sleep(60)
  const until = performance.now() + 300
  while (performance.now() < until);
  await sleep(60)
  expect(vitals.loopDelaySeconds(100)).toBeGreaterThan(0.2)
  vitals.resetDelays()
  expect(vitals.loopDelaySeconds(100)).toBe(0)
  vitals.close()
})
