// Servers are killed while their clients create tasks: every task whose number a client received is found afterwards, with
// its name. ROUNDS=300 ACKS=100000 makes the long test longer.

import { execFileSync } from 'node:child_process'

import { expect, test } from 'vitest'

import {
  type Json,
  killServer,
  newEnvironment,
  PROGRAM,
  resultData,
  type ServerEnvironment,
  startServerIn,
  type TestClient,
} from '../support/client.js'

const LONG_ROUNDS = Number(process.env.ROUNDS ?? 20)
const LONG_ACKS = Number(process.env.ACKS ?? LONG_ROUNDS * 334)
const IN_FLIGHT = 64

test('no created task is lost in 3 rounds of kill -9', () => killServers(3, 600))

test(`no created task is lost in ${LONG_ROUNDS} rounds of kill -9`, { tags: ['long'] }, () =>
  killServers(LONG_ROUNDS, LONG_ACKS),
)

async function killServers(rounds: number, acks: number): Promise<void> {
  const environment = newEnvironment()
  const acknowledged = new Map<number, string>()
  let slowest = 0
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now()
    const client = startServerIn(environment)
    await client.waitFor(first(client, `first of round ${round}`))
    slowest = Math.max(slowest, performance.now() - startedAt)
    await pressOn(client, round, Math.ceil((acks - acknowledged.size) / (rounds - round)))
    await killServer(client)
    for (const [id, name] of createdAccordingTo(client)) {
      expect(acknowledged.has(id)).toBe(false)
      acknowledged.set(id, name)
    }
  }
  const kept = keptIn(environment)
  expect([...acknowledged].filter(([id, name]) => kept.get(id) !== name)).toEqual([])
  expect(acknowledged.size).toBeGreaterThanOrEqual(acks)
  console.log(
    `${acknowledged.size} acknowledged, ${kept.size} kept, ready again after at most ${slowest.toFixed(0)} ms`,
  )
}

function create(client: TestClient, text: string): void {
  const params = { name: 'TaskManager', arguments: { action: 'create', query: '', text } }
  client.send({ jsonrpc: '2.0', id: text, method: 'tools/call', params })
}

function first(client: TestClient, text: string): (message: Json) => boolean {
  create(client, text)
  return ({ id }) => id === text
}

/** Keeps this many calls in flight until enough have been answered, and stops in the middle. */
async function pressOn(client: TestClient, round: number, wanted: number): Promise<void> {
  const answered = (): number => client.received.length
  for (let sent = 0; answered() < wanted;) {
    while (sent - answered() < IN_FLIGHT) create(client, `${round} ${sent++}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function createdAccordingTo({ received }: TestClient): readonly (readonly [number, string])[] {
  return received.map((message) => {
    const created = resultData(message.result)?.tasks[0]
    if (created === undefined) throw new Error(`not a task: ${JSON.stringify(message)}`)
    return [created.task_id, created.name]
  })
}

function keptIn({ cwd, env }: ServerEnvironment): ReadonlyMap<number, string> {
  const args = [PROGRAM, 'state', 'export']
  const text = execFileSync(process.execPath, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 30 })
  const [scope] = JSON.parse(text).scopes
  return new Map(scope.tasks.map(({ id, name }: Json) => [id, name]))
}
