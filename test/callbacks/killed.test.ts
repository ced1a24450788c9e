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
  readonly unsure = new Set<string>()
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
    return [...this.delivered].flatMap(([key, count]) => (count > 1 && !this.unsure.has(key) ? [key] : []))
  }
}

async function doSomething(
  client: TestClient,
  book: DeliveryLog,
  moment: Set<string>,
  dice = Math.random(),
): Promise<void> {
  const call = async (name: string, args: object): Promise<Json> => {
    const answer = await client.request('tools/call', { name, arguments: args })
    book.note(answer, moment)
    return answer.result
  }
  const startedAt = Date.now()
  if (dice < 0.25) {
    const message = book.name()
    const { isError } = await call('SetCallback', { action: 'set', message, delay_seconds: 1, repeat_count: 1 })
    if (!isError) book.set.set(message, startedAt)
  } else if (dice < 0.35) {
    const asked = await call('AskUserQuestion', { questions_json: ASKED })
    book.open.push({ id: resultData(asked).id, by: client })
  } else if (dice < 0.5) {
    // Asked by another live server, which gets a message.
    const found = book.open.findIndex(({ by }) => by !== client && by.child.exitCode === null && !by.child.killed)
    const [asked] = found < 0 ? [] : book.open.splice(found, 1)
    if (!asked) return
    const { isError } = await call('AskUserQuestion', { questions_json: { id: asked.id, answers: ['A'] } })
    // A killed server may have left it to this one, which has the answer.
    if (!isError && !asked.by.child.killed) book.answered.add(String(asked.id))
  } else {
    await call('ListBgTasks', {})
    await sleep(Math.random() * 100)
  }
}

async function runAndKill(world: ServerEnvironment, book: DeliveryLog): Promise<void> {
  const client = startServerIn(world)
  const moment = new Set<string>()
  await client.initialize(REVISION)
  // Even on a slow machine some items are pending.
  await doSomething(client, book, moment, 0)
  const work = (async () => {
    for (;;) {
      await doSomething(client, book, moment)
      const seen = [...moment]
      setTimeout(() => seen.forEach((key) => moment.delete(key)), underLoad(250))
    }
  })().catch(() => undefined)
  await sleep(Math.random() * 1500)
  await killServer(client)
  await work
  for (const key of moment) book.unsure.add(key)
}

async function lane(world: ServerEnvironment, rounds: number): Promise<DeliveryLog> {
  const book = new DeliveryLog()
  for (let round = 0; round < rounds; round++) {
    await Promise.all(Array.from({ length: 1 + Math.round(Math.random()) }, () => runAndKill(world, book)))
  }
  const heir = startServerIn(world)
  await heir.initialize(REVISION)
  const dueAfterCall = async (): Promise<readonly string[]> => {
    book.note(await heir.request('tools/call', { name: 'ListBgTasks', arguments: {} }), new Set())
    return book.due
  }
  await eventually(dueAfterCall, ({ length }) => length === 0)
  await sleep(500)
  book.note(await heir.request('tools/call', { name: 'ListBgTasks', arguments: {} }), new Set())
  expect(await heir.close()).toBe(0)
  return book
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
    const books = await Promise.all(
      Array.from({ length: LANES }, () => lane(newEnvironment({ SANDBOX: 'off', ...url }), rounds)),
    )
    const sum = (of: (book: DeliveryLog) => number): number => books.reduce((count, book) => count + of(book), 0)
    if (process.env.KILL_ROUNDS !== undefined) {
      const again = sum(({ delivered }) => [...delivered.values()].filter((count) => count > 1).length)
      console.log(
        `set ${sum(({ set }) => set.size)}, answered ${sum((book) => book.answered.size)}, told again ${again}`,
      )
    }
    expect(books.map(({ due, early, doubled }) => ({ due, early, doubled }))).toEqual(
      books.map(() => ({ due: [], early: [], doubled: [] })),
    )
    expect(sum(({ set }) => set.size)).toBeGreaterThan(0)
  }
})
