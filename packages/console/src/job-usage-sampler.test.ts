import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { expect, onTestFinished, test } from 'vitest'

import type { Job } from '@scorpiox/server/features/shell/index'
import { canMeasureJobs } from '@scorpiox/server/features/shell/lazy'
import { needs } from '../../../test/support/runtime.js'
import { createJobUsageSampler } from './job-usage-sampler.js'

const UNMEASURED = canMeasureJobs() ? undefined : 'jobs are measured on Linux only'

test('without a user who watches nothing is measured, and no timer is left', needs(UNMEASURED), async () => {
  let asked = 0
  let measured = 0
  const sampler = createJobUsageSampler({
    listWatched: async () => {
      asked++
      return []
    },
    onMeasured: () => void measured++,
  })
  sampler.request()
  sampler.request()
  await expect.poll(() => asked).toBe(1)
  await new Promise(setImmediate)
  expect(measured).toBe(0)
  // Only the next list asks again.
  sampler.request()
  await expect.poll(() => asked).toBe(2)
  sampler.stop()
  sampler.request()
  await new Promise(setImmediate)
  expect(asked).toBe(2)
})

test('a job is measured once for each interval', needs(UNMEASURED), async () => {
  const child = spawn(process.execPath, ['-e', "console.log('up'); setInterval(() => {}, 1000)"], {
    env: { ...process.env, SCORPIOX_TREE: ';measured;' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const job = createRunningJob('measured')
  let measured = 0
  const sampler = createJobUsageSampler({ listWatched: async () => [job], onMeasured: () => void measured++ })
  expect(sampler.usageOf(job)).toBe(null)
  sampler.request()
  await expect.poll(() => measured).toBe(1)
  expect(sampler.usageOf(job)).toMatchObject({ processes: 1, ports: [], history: [] })
  sampler.request()
  await expect.poll(() => measured, { timeout: 60_000 }).toBe(2)
  const usage = sampler.usageOf(job)
  expect(usage).toMatchObject({ processes: 1, history: [{ processorPercent: expect.any(Number) }] })
  if (usage === null || usage === 'unknown') throw new Error('not measured')
  expect(usage.at - usage.historySince).toBeGreaterThanOrEqual(2900)
  sampler.stop()
})

function createRunningJob(tag: string): Job {
  return {
    id: 1,
    record: {
      id: 1,
      user: 'u',
      session: 's',
      command: 'node',
      cwd: '/',
      startedAt: 0,
      background: true,
      owner: { pid: 1, startedAt: '', boot: '' },
      family: '',
      tag,
      keep: false,
    },
    isRunning: true,
    ended: new Promise(() => {}),
    output: {
      size: async () => 0,
      keptBytes: async () => 0,
      read: async () => ({ from: 0, bytes: Buffer.alloc(0) }),
      watch: () => () => {},
    },
    outputProblem: undefined,
    flush: async () => {},
    lastEscapeAt: () => undefined,
    onChange: () => () => {},
    nextChange: async () => {},
    update: async () => {},
    kill: async () => [],
    leftoverPids: async () => [],
    stdin: undefined,
    areLeftoversUnlisted: false,
    readPositions: new Map(),
  }
}
