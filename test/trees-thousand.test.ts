// Starts hundreds of process trees of every kind that leaves its process group, and ends them in five ways: none is left.
// trees.test.ts does the same with a few.
// @module-tag long

import { once } from 'node:events'

import { describe, expect, test } from 'vitest'

import { NOBODY, plantForest, type Forest } from './forest.js'
import { dataOf, HAS_PROC, type TestClient } from './support.js'

const SERVERS = 2
const TREES = 200
const LIMIT_MS = 60_000

describe.skipIf(!HAS_PROC)(`${TREES} trees`, { timeout: LIMIT_MS }, () => {
  test('are gone when their timeout is told', async () => {
    const { forest, clients } = plant()
    for (const [id, client] of each(clients)) call(client, id, 'Bash', { command: forest.command(id), timeout: 6000 })
    for (const [id, client] of each(clients)) expect(dataOf(await answer(client, id)).timedOut).toBe(true)
    expect(forest.survivors().known).toEqual([])
    await forest.grown(TREES)
    await Promise.all(clients.map((client) => client.close()))
    expect(await forest.cleared(5000)).toEqual(NOBODY)
  })

  test('are gone when their call is cancelled, or their task is killed', async () => {
    const { forest, clients } = plant()
    await grow(forest, clients)
    const tasks = new Map<number, number>()
    for (const [id, client] of each(clients)) if (isBehind(id)) tasks.set(id, dataOf(await answer(client, id)).task_id)
    for (const [id, client] of each(clients)) {
      if (isBehind(id)) call(client, `kill ${id}`, 'KillBgTask', { task_id: tasks.get(id) })
      else client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
    }
    for (const [id, client] of each(clients)) if (isBehind(id)) await answer(client, `kill ${id}`)
    await Promise.all(clients.map((client) => client.close()))
    expect(await forest.cleared(5000)).toEqual(NOBODY)
  })

  test('are gone when the server has stopped because its client went', async () => {
    const { forest, clients } = plant()
    await grow(forest, clients, true)
    expect(await Promise.all(clients.map((client) => client.close()))).toEqual(clients.map(() => 0))
    expect(forest.survivors()).toMatchObject({ known: [], tagged: [] })
    expect(await forest.cleared(5000)).toEqual(NOBODY)
    expect(forest.litter()).toEqual([])
  })

  test('are gone when the server has stopped because it was told to', async () => {
    const { forest, clients } = plant()
    await grow(forest, clients, true)
    for (const { child } of clients) child.kill('SIGTERM')
    await Promise.all(clients.map(({ child }) => once(child, 'exit')))
    expect(forest.survivors()).toMatchObject({ known: [], tagged: [] })
    expect(await forest.cleared(5000)).toEqual(NOBODY)
    expect(forest.litter()).toEqual([])
  })

  test('are gone when a server was killed and the next one has started', async () => {
    const { forest, clients } = plant()
    await grow(forest, clients, true)
    for (const { child } of clients) child.kill('SIGKILL')
    await Promise.all(clients.map(({ child }) => once(child, 'exit')))
    const next = forest.start()
    await next.initialize('2025-06-18')
    expect(await forest.cleared(8000, next)).toEqual(NOBODY)
    expect(await next.close()).toBe(0)
    expect(await forest.cleared(5000)).toEqual(NOBODY)
    expect(forest.litter()).toEqual([])
  })
})

function plant(): { forest: Forest; clients: readonly TestClient[] } {
  const forest = plantForest()
  return { forest, clients: Array.from({ length: SERVERS }, () => forest.start({ MAX_JOBS: '1000' })) }
}

function* each(clients: readonly TestClient[]): Generator<[number, TestClient]> {
  for (let id = 0; id < TREES; id++) yield [id, clients[id % SERVERS]!]
}

function isBehind(id: number): boolean {
  return id % 4 > 1
}

/** Half of them in the background; some, if asked for, are left behind by commands that are over. */
async function grow(forest: Forest, clients: readonly TestClient[], isSomeLeft = false): Promise<void> {
  for (const [id, client] of each(clients)) {
    const command = forest.command(id, isSomeLeft && id % 10 > 7)
    if (isBehind(id)) call(client, id, 'BackgroundBash', { command })
    else call(client, id, 'Bash', { command, timeout: 600_000 })
  }
  await forest.grown(TREES)
}

function call(client: TestClient, id: string | number, name: string, args: object): void {
  client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })
}

async function answer(client: TestClient, id: string | number) {
  return (await client.waitFor((message) => message.id === id)).result
}
