// Starts hundreds of process trees of every kind that leaves its process group, and ends them in five ways: none is
// left. process-trees.test.ts does the same with a few.
// @module-tag long

import { once } from 'node:events'

import { describe, expect, test } from 'vitest'

import { HAS_PROC, resultData, type TestClient } from './support/client.js'
import { createProcessTrees, NO_SURVIVORS, type ProcessTrees } from './support/process-trees.js'

const SERVERS = 2
const TREES = 200
const LIMIT_MS = 60_000

describe.skipIf(!HAS_PROC)(`${TREES} trees`, { timeout: LIMIT_MS }, () => {
  test('are gone when their timeout is reported', async () => {
    const { trees, clients } = createTrees()
    for (const [id, client] of each(clients)) call(client, id, 'Bash', { command: trees.command(id), timeout: 6000 })
    for (const [id, client] of each(clients)) expect(resultData(await answer(client, id)).timedOut).toBe(true)
    expect(trees.survivors().known).toEqual([])
    await trees.waitUntilStarted(TREES)
    await Promise.all(clients.map((client) => client.close()))
    expect(await trees.waitUntilGone(5000)).toEqual(NO_SURVIVORS)
  })

  test('are gone when their call is cancelled, or their task is killed', async () => {
    const { trees, clients } = createTrees()
    await startTrees(trees, clients)
    const tasks = new Map<number, number>()
    for (const [id, client] of each(clients))
      if (isBehind(id)) tasks.set(id, resultData(await answer(client, id)).task_id)
    for (const [id, client] of each(clients)) {
      if (isBehind(id)) call(client, `kill ${id}`, 'KillBgTask', { task_id: tasks.get(id) })
      else client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
    }
    for (const [id, client] of each(clients)) if (isBehind(id)) await answer(client, `kill ${id}`)
    await Promise.all(clients.map((client) => client.close()))
    expect(await trees.waitUntilGone(5000)).toEqual(NO_SURVIVORS)
  })

  test('are gone when the server has stopped because its client disconnected', async () => {
    const { trees, clients } = createTrees()
    await startTrees(trees, clients, true)
    expect(await Promise.all(clients.map((client) => client.close()))).toEqual(clients.map(() => 0))
    expect(trees.survivors()).toMatchObject({ known: [], tagged: [] })
    expect(await trees.waitUntilGone(5000)).toEqual(NO_SURVIVORS)
    expect(trees.leftoverFiles()).toEqual([])
  })

  test('are gone when the server has stopped on SIGTERM', async () => {
    const { trees, clients } = createTrees()
    await startTrees(trees, clients, true)
    for (const { child } of clients) child.kill('SIGTERM')
    await Promise.all(clients.map(({ child }) => once(child, 'exit')))
    expect(trees.survivors()).toMatchObject({ known: [], tagged: [] })
    expect(await trees.waitUntilGone(5000)).toEqual(NO_SURVIVORS)
    expect(trees.leftoverFiles()).toEqual([])
  })

  test('are gone when a server was killed and the next one has started', async () => {
    const { trees, clients } = createTrees()
    await startTrees(trees, clients, true)
    for (const { child } of clients) child.kill('SIGKILL')
    await Promise.all(clients.map(({ child }) => once(child, 'exit')))
    const next = trees.start()
    await next.initialize('2025-06-18')
    expect(await trees.waitUntilGone(8000, next)).toEqual(NO_SURVIVORS)
    expect(await next.close()).toBe(0)
    expect(await trees.waitUntilGone(5000)).toEqual(NO_SURVIVORS)
    expect(trees.leftoverFiles()).toEqual([])
  })
})

function createTrees(): { trees: ProcessTrees; clients: readonly TestClient[] } {
  const trees = createProcessTrees()
  return { trees, clients: Array.from({ length: SERVERS }, () => trees.start({ MAX_JOBS: '1000' })) }
}

function* each(clients: readonly TestClient[]): Generator<[number, TestClient]> {
  for (let id = 0; id < TREES; id++) yield [id, clients[id % SERVERS]!]
}

function isBehind(id: number): boolean {
  return id % 4 > 1
}

/** Half of them in the background; some, on request, are left behind by commands that have ended. */
async function startTrees(trees: ProcessTrees, clients: readonly TestClient[], isSomeLeft = false): Promise<void> {
  for (const [id, client] of each(clients)) {
    const command = trees.command(id, isSomeLeft && id % 10 > 7)
    if (isBehind(id)) call(client, id, 'BackgroundBash', { command })
    else call(client, id, 'Bash', { command, timeout: 600_000 })
  }
  await trees.waitUntilStarted(TREES)
}

function call(client: TestClient, id: string | number, name: string, args: object): void {
  client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })
}

async function answer(client: TestClient, id: string | number) {
  return (await client.waitFor((message) => message.id === id)).result
}
