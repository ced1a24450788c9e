// Kills servers with SIGKILL while they set, fire, deliver and ask, two of them on one project. Everything acknowledged
// is delivered, never early, and twice only if the server was killed right after the write.

import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, expect, test } from 'vitest'

import { describeEachDatabase, startPostgres } from '../store/postgres-server.js'
import {
  type Json,
  killServer,
  newEnvironment,
  resultData,
  type ServerEnvironment,
  startServerIn,
  type TestClient,
} from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { underLoad } from '../support/load.js'

const LONG_ROUNDS = Number(process.env.KILL_ROUNDS ?? 4)
const LANES = 3
const REVISION = '2025-11-25'
const ASKED = JSON.stringify({ questions: [{ text: 'Which?', options: ['A', 'B'] }] })

/** What was acknowledged in one project, and how often each message was delivered. */
class DeliveryLog {
  readonly set = new Map<string, number>()
  /** By question number. */
  readonly answered = new Set<string>()
  readonly delivered = new Map<string, number>()
  readonly early: string[] = []
  /** Delivered by a server that was killed shortly afterwards. */
  readonly uncertain = new Set<string>()
  readonly open: { readonly id: number; readonly by: TestClient }[] = []
  #named = 0

  name(): string {
    return `m${++this.#named}`
  }

  note({ result }: Json, moment: Set<string>): void {
    for (const { text } of result?.content ?? []) {
      for (const line of String(text).split('\n\n')) {
        const [, message, question] =
          /^(?:\[Callback .*\] (m\d+)|Question (\d+) of .* was answered.*)$/.exec(line) ?? []
        const key = message ?? question
        if (key === undefined) continue
        this.delivered.set(key, (this.delivered.get(key) ?? 0) + 1)
        moment.add(key)
        if (Date.now() - (this.set.get(key) ?? 0) < 1000) this.early.push(key)
      }
    }
  }

  get due(): readonly string[] {
    return [...this.set.keys(), ...this.answered].filter((key) => !this.delivered.has(key))
  }

  get doubled(): readonly string[] {
    return [...this.delivered].flatMap(([key, count]) => (count > 1 && !this.uncertain.has(key) ? [key] : []))
  }
}

async function doSomething(
  client: TestClient,
  log: DeliveryLog,
  moment: Set<string>,
  random = Math.random(),
): Promise<void> {
  const call = async (name: string, args: object): Promise<Json> => {
    const answer = await client.request('tools/call', { name, arguments: args })
    log.note(answer, moment)
    return answer.result
  }
  const startedAt = Date.now()
  if (random < 0.25) {
    const message = log.name()
    const { isError } = await call('SetCallback', { action: 'set', message, delay_seconds: 1, repeat_count: 1 })
    if (!isError) log.set.set(message, startedAt)
  } else if (random < 0.35) {
    const asked = await call('AskUserQuestion', { questions_json: ASKED })
    log.open.push({ id: resultData(asked).id, by: client })
  } else if (random < 0.5) {
    // Asked by another live server, which gets a message.
    const found = log.open.findIndex(({ by }) => by !== client && by.child.exitCode === null && !by.child.killed)
    const [asked] = found < 0 ? [] : log.open.splice(found, 1)
    if (!asked) return
    const { isError } = await call('AskUserQuestion', { questions_json: { id: asked.id, answers: ['A'] } })
    // A killed server may have left it to this one, which has the answer.
    if (!isError && !asked.by.child.killed) log.answered.add(String(asked.id))
  } else {
    await call('ListBgTasks', {})
    await sleep(Math.random() * 100)
  }
}

async function runAndKill(environment: ServerEnvironment, log: DeliveryLog): Promise<void> {
  const client = startServerIn(environment)
  const moment = new Set<string>()
  await client.initialize(REVISION)
  // Even on a slow machine some items are pending.
  await doSomething(client, log, moment, 0)
  const work = (async () => {
    for (;;) {
      await doSomething(client, log, moment)
      const seen = [...moment]
      setTimeout(() => seen.forEach((key) => moment.delete(key)), underLoad(250))
    }
  })().catch(() => undefined)
  await sleep(Math.random() * 1500)
  await killServer(client)
  await work
  for (const key of moment) log.uncertain.add(key)
}

async function lane(environment: ServerEnvironment, rounds: number): Promise<DeliveryLog> {
  const log = new DeliveryLog()
  for (let round = 0; round < rounds; round++) {
    await Promise.all(Array.from({ length: 1 + Math.round(Math.random()) }, () => runAndKill(environment, log)))
  }
  const successor = startServerIn(environment)
  await successor.initialize(REVISION)
  const dueAfterCall = async (): Promise<readonly string[]> => {
    log.note(await successor.request('tools/call', { name: 'ListBgTasks', arguments: {} }), new Set())
    return log.due
  }
  await eventually(dueAfterCall, ({ length }) => length === 0)
  // One more callback: what is delivered twice is delivered before it.
  await doSomething(successor, log, new Set(), 0)
  await eventually(dueAfterCall, ({ length }) => length === 0)
  expect(await successor.close()).toBe(0)
  return log
}

const postgres = await startPostgres()
afterAll(() => postgres?.stop('immediate'))

describeEachDatabase(postgres, (database) => {
  for (const rounds of [1, LONG_ROUNDS]) {
    const options = { tags: rounds === 1 ? [] : ['long'], timeout: 300_000 + rounds * 20_000 }
    test.concurrent(`${rounds * LANES} rounds of kill -9`, options, () => killServers(rounds))
  }

  async function killServers(rounds: number): Promise<void> {
    const isOwn = database === 'PostgreSQL' && postgres
    const url = isOwn ? { DATABASE_URL: await postgres.database() } : {}
    const logs = await Promise.all(
      Array.from({ length: LANES }, () => lane(newEnvironment({ SANDBOX: 'off', ...url }), rounds)),
    )
    const sum = (of: (log: DeliveryLog) => number): number => logs.reduce((count, log) => count + of(log), 0)
    if (process.env.KILL_ROUNDS !== undefined) {
      const again = sum(({ delivered }) => [...delivered.values()].filter((count) => count > 1).length)
      console.log(
        `set ${sum(({ set }) => set.size)}, answered ${sum((log) => log.answered.size)}, delivered again ${again}`,
      )
    }
    expect(logs.map(({ due, early, doubled }) => ({ due, early, doubled }))).toEqual(
      logs.map(() => ({ due: [], early: [], doubled: [] })),
    )
    expect(sum(({ set }) => set.size)).toBeGreaterThan(0)
  }
})
