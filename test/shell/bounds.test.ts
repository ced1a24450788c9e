// What the commands of one user can take together is bounded: jobs, stored outputs and memory. The result of
// a command that reaches a bound says so.

import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import {
  call,
  directorySize,
  HAS_PROC,
  newEnvironment,
  readJob,
  type ServerEnvironment,
  startJob,
  startServerIn,
  type TestClient,
} from '../support/client.js'

async function open(environment: ServerEnvironment): Promise<TestClient> {
  const client = startServerIn(environment)
  onTestFinished(async () => void (await client.close()))
  await client.initialize('2025-11-25')
  return client
}

test('commands that take too long do not become more jobs than MAX_JOBS', async () => {
  const client = await open(newEnvironment({ MAX_JOBS: '2', BASH_SOFT_LIMIT_MS: '400' }))
  const results = await Promise.all(
    Array.from({ length: 5 }, () => call(client, 'Bash', { command: 'echo begun; sleep 300' })),
  )
  const background = results.filter(({ text }) => text.includes('it continues as job'))
  const ended = results.filter(({ text }) => text.includes('Timed out after 400 ms'))
  expect([background.length, ended.length], results.map(({ text }) => text).join('\n')).toEqual([2, 3])
  for (const { text } of ended)
    expect(text).toMatch(/could not continue as a job: 2 jobs are running, which is the limit: kill one/)
  expect((await call(client, 'ListBgTasks')).text.match(/running/g)).toHaveLength(2)
})

test('a command of any length is stored in part', async () => {
  const environment = newEnvironment()
  const client = await open(environment)
  const id = await startJob(client, `: ${'x'.repeat(300_000)}\necho done; sleep 300`)
  await readJob(client, id, { wait_for_pattern: 'done', wait_ms: 300_000 })
  expect((await call(client, 'ListBgTasks')).text).toContain(': xxx')
  expect(directorySize(join(String(environment.env.STATE_DIR), 'jobs'))).toBeLessThan(100_000)
})

describe.skipIf(!HAS_PROC)('memory of all commands together', () => {
  /** A shell that holds this many megabytes until it is ended. */
  const hold = (megabytes: number): string =>
    `x=$(head -c ${megabytes}000000 /dev/zero | tr '\\0' a); echo holding; sleep 300; echo \${#x}`

  test('beyond the limit the largest is ended, and its result says so', async () => {
    const client = await open(newEnvironment({ COMMANDS_MEMORY_MB: '150', BASH_AUTO_BACKGROUND: '0' }))
    const small = await startJob(client, hold(40))
    await readJob(client, small, { wait_for_pattern: 'holding', wait_ms: 300_000 })
    const { text, isError } = await call(client, 'Bash', { command: hold(160), timeout: 120_000 })
    expect(isError).toBe(true)
    expect(text).toMatch(
      /The server killed it: all running commands together used \d+ MB of memory, more than the limit of 150 MB/,
    )
    expect(text).toMatch(/check before you repeat it/)
    expect((await call(client, 'ListBgTasks')).text).toMatch(/running/)
  })

  test('a job that was ended says so when it is read', async () => {
    const client = await open(newEnvironment({ COMMANDS_MEMORY_MB: '100' }))
    const id = await startJob(client, hold(150))
    const { text } = await readJob(client, id, { wait_for_end: true, wait_ms: 300_000 })
    expect(text).toContain('The server killed it: all running commands together used')
  })
})
