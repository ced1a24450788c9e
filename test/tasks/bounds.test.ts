// The tasks of one user in one project are bounded: open ones beyond the bound are refused, completed ones make room.

import { expect, onTestFinished, test } from 'vitest'

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
