// Several agents on one project: no acknowledged change is lost or doubled, and of two that complete the same step one
// is refused.

import { afterAll, expect, test } from 'vitest'

import { describeEachDatabase, startPostgres } from '../store/postgres-server.js'
import {
  newEnvironment,
  type ServerEnvironment,
  startServerIn,
  task,
  type TestClient,
  toolResultOf,
} from '../support/client.js'

const MANY = 40

const postgres = await startPostgres()
afterAll(() => postgres?.stop('immediate'))

async function newProject(database: string): Promise<ServerEnvironment> {
  return newEnvironment(database === 'PostgreSQL' && postgres ? { DATABASE_URL: await postgres.database() } : {})
}

/** All concurrently. */
async function createMany(environment: ServerEnvironment, agent: string): Promise<readonly number[]> {
  const client = startServerIn(environment)
  const ask = (index: number) =>
    client.request('tools/call', {
      name: 'TaskManager',
      arguments: { action: 'create', query: '', text: `${agent} ${index}` },
    })
  const answers = await Promise.all(Array.from({ length: MANY }, (_, index) => ask(index)))
  const ids = answers.map((answer) => toolResultOf(answer).structured.tasks[0].task_id)
  expect(await client.close()).toBe(0)
  return ids
}

function four(environment: ServerEnvironment): { readonly first: TestClient; readonly clients: readonly TestClient[] } {
  const first = startServerIn(environment)
  return { first, clients: [first, startServerIn(environment), startServerIn(environment), startServerIn(environment)] }
}

describeEachDatabase(postgres, (database) => {
  test('40 concurrent creates in one process, then 40 from each of 4: 200 of 200, each with its own number', async () => {
    const environment = await newProject(database)
    const ids = [
      ...(await createMany(environment, 'alone')),
      ...(await Promise.all(['a', 'b', 'c', 'd'].map((agent) => createMany(environment, agent)))).flat(),
    ]
    expect([...new Set(ids)]).toHaveLength(5 * MANY)
    expect(Math.max(...ids)).toBe(5 * MANY)
    const client = startServerIn(environment)
    expect((await task(client, 'list')).structured).toMatchObject({ found: 5 * MANY, open_tasks: 5 * MANY })
    for (const agent of ['alone', 'a', 'b', 'c', 'd']) {
      for (let index = 0; index < MANY; index++) {
        const { structured } = await task(client, 'list', { query: `"${agent} ${index}"` })
        const names = structured.tasks.map(({ name }: { name: string }) => name)
        expect(names.filter((name: string) => name === `${agent} ${index}`)).toEqual([`${agent} ${index}`])
      }
    }
    await client.close()
  })

  test('of four that complete the same step, one succeeds and three are refused', async () => {
    const environment = await newProject(database)
    const { first, clients } = four(environment)
    await task(first, 'create', { text: 'Contested' })
    for (let step = 1; step <= 10; step++) {
      await task(first, 'add', { text: `step ${step}` })
      const results = await Promise.all(clients.map((client) => task(client, 'complete', { step_id: step })))
      const outcomes = results.map(({ isError, text }) => (isError ? String(/is already complete/.exec(text)) : 'done'))
      expect(outcomes.toSorted()).toEqual(['done', ...Array.from({ length: 3 }, () => 'is already complete')])
    }
    await Promise.all(clients.map((client) => client.close()))
  })

  test('steps added to one task by four at once are all stored', async () => {
    const environment = await newProject(database)
    const { first, clients } = four(environment)
    await task(first, 'create', { text: 'Shared' })
    const adds = clients.flatMap((client, agent) =>
      Array.from({ length: 10 }, (_, index) => task(client, 'add', { text: `${agent}-${index}` })),
    )
    const results = await Promise.all(adds)
    expect([...new Set(results.map(({ structured }) => structured.steps[0].step_id))]).toHaveLength(40)
    expect((await task(first, 'list')).structured.tasks[0]).toMatchObject({ steps: 40, steps_done: 0 })
    await Promise.all(clients.map((client) => client.close()))
  })
})
