import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { createWorkerProcessPool } from './worker-processes.js'

/** Busy for longer than the limit of a request before it can answer any. */
const SLOW_START = `
const endsAt = Date.now() + 700
while (Date.now() < endsAt);
process.on('message', (request) => {
  if (request.answers) process.send({ answer: 'done', residentBytes: 1 })
})
`

test('the time that a process takes to start does not count for its first request', async () => {
  const script = join(mkdtempSync(join(tmpdir(), 'scorpiox-worker-')), 'worker.mjs')
  writeFileSync(script, SLOW_START)
  const pool = createWorkerProcessPool({ script, env: process.env, maxWorkers: 1, maxIdleRssBytes: 2 ** 30 })
  onTestFinished(() => pool.close())
  const run = (answers: boolean): Promise<unknown> => pool.run({ answers }, { owner: 'ann', timeoutMs: 400 })
  expect(await run(true)).toBe('done')
  await expect(run(false)).rejects.toMatchObject({ reason: 'timeout' })
})
