// The tasks of one user in one project are bounded: open ones beyond the bound are refused, completed ones make room. Of
// the tasks that a search finds, ten thousand are counted.

import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { openDatabase } from '@scorpiox/server/storage/open-database'
import { newEnvironment, startServerIn, task, type ToolResult } from '../support/client.js'

test('open tasks beyond 16 million characters are refused with what to do; completed ones make room', async () => {
  const client = startServerIn(newEnvironment())
  onTestFinished(async () => void (await client.close()))
  await client.initialize('2025-11-25')
  const steps = Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(1990)}`)
  const create = (name: string): Promise<ToolResult> => task(client, 'create', { text: name, steps })
  let created = 0
  let result = await create('first')
  for (; !result.isError && created < 120; created++) result = await create(`task ${created}`)
  expect(created).toBeGreaterThan(70)
  expect(created).toBeLessThan(90)
  expect(result.text).toMatch(
    /^The open tasks of this project hold \d+ tasks and \d+ characters; at most 200000 and 16000000 are kept\. Nothing was changed: complete tasks that are done first\./,
  )
  // Refused again, and nothing is stored.
  expect((await create('again')).isError).toBe(true)
  for (const id of [1, 2]) expect((await task(client, 'complete', { task_id: id })).isError).toBe(false)
  expect((await create('after')).isError).toBe(false)
  expect((await task(client, 'list', { task_id: 1 })).text).toContain('There is no task 1.')
  expect((await task(client, 'list', { task_id: 3 })).isError).toBe(false)
})

test('a search that finds more than 10,000 tasks says so, and shows them page by page', async () => {
  const environment = newEnvironment()
  const first = startServerIn(environment)
  await first.initialize('2025-11-25')
  await task(first, 'create', { text: 'needle 1' })
  await first.close()
  const { STATE_DIR: folder = '' } = environment.env
  const database = await openDatabase({ file: join(folder, 'state.db'), databaseUrl: '' })
  await database.write('plant', async (sql) => {
    await sql.run(`WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10010)
      INSERT INTO tasks (scope, id, created_at, name, search) SELECT 1, n, 1, 'needle ' || n, 'needle ' || n FROM numbers`)
    await sql.run(
      'UPDATE scopes SET next_task = 10011, tasks = 10010, open_tasks = 10010, indexed_from = NULL WHERE id = 1',
    )
    return { value: undefined, commit: true }
  })
  await database.close()
  const client = startServerIn(environment)
  onTestFinished(async () => void (await client.close()))
  await client.initialize('2025-11-25')
  const found = await task(client, 'list', { query: 'needle' })
  expect(found.text).toMatch(/^More than 10,000 tasks found for "needle"\.\n {2}10010 {2}needle 10010/)
  expect(found.text).toMatch(/\nThere are more: query "needle before:\d+" shows the next ones/)
  expect(found.structured).toMatchObject({ found: 10_000, open_tasks: 10_010 })
  expect((await task(client, 'pending', { query: 'needle' })).text).toMatch(
    /^More than 10,000 open tasks found for "needle"; /,
  )
  expect((await task(client, 'list', { query: 'needle before:10001' })).text).toMatch(/^10,000 tasks found for /)
  // The number of all tasks, and of all open ones, is known.
  expect((await task(client, 'list')).text).toMatch(/^10,010 tasks, 10,010 open\./)
  expect((await task(client, 'list', { query: 'is:open' })).text).toMatch(/^10,010 tasks found for "is:open"\./)
  expect((await task(client, 'list', { query: 'is:done' })).text).toMatch(/^0 tasks found/)
})
