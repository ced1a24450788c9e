// The history of calls under attack and with faults: secrets that a limit cuts, texts that take long to search or to store,
// old calls of users who have gone, a file that another process has locked, and a clock that is set back.

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterEach, describe, expect, test } from 'vitest'

import { loadSqlite } from '@scorpiox/server/storage/sqlite-loader'
import { call, emptyFolder, PROGRAM, startServer, type TestClient } from '../support/client.js'
import { type Machine, newMachine, newProject, sendCommand, startUi, watchConsole } from '../support/console-client.js'
import { eventually } from '../support/eventually.js'
import { type HttpServer, modernCall, sendRequest, startProgram, tokenFor } from '../support/http-client.js'

const DAY_MS = 86_400_000

const leftovers: (() => unknown)[] = []

afterEach(async () => {
  for (const end of leftovers.splice(0)) await end()
})

async function serve(machine: Machine, env: NodeJS.ProcessEnv = {}): Promise<TestClient> {
  const client = startServer({ cwd: newProject(machine, 'one'), env: { HOME: machine.home, ...env } })
  leftovers.push(() => client.close())
  await client.initialize('2025-06-18')
  return client
}

async function serveHttp(env: NodeJS.ProcessEnv, cwd: string): Promise<HttpServer> {
  const http = await startProgram({ env, cwd })
  leftovers.push(() => http.stop())
  return http
}

function readFiles({ stateDir }: Pick<Machine, 'stateDir'>): string {
  const files = ['history.db', 'history.db-wal'].map((name) => join(stateDir, name)).filter((file) => existsSync(file))
  return files.map((file) => readFileSync(file, 'latin1')).join('')
}

/** The files of the history when they contain the text. */
function filesWith(machine: Pick<Machine, 'stateDir'>, text: string): Promise<string> {
  return eventually(
    () => readFiles(machine),
    (content) => content.includes(text),
  )
}

describe('a secret that a limit cuts is not stored in part', () => {
  const SECRET = 'hunter22hunter33hunter44'

  test.each([
    ['by the summary of the arguments', { command: `: ${'x'.repeat(106)} ${SECRET} stored` }],
    [
      'by the first line of an error',
      { command: `: ${'y'.repeat(20)} stored; printf '${'x'.repeat(222)} ${SECRET}'; exit 3` },
    ],
    [
      'at the end of what is searched, where what was before it has become shorter',
      {
        command: `: stored '-----BEGIN PRIVATE KEY-----\n${'k'.repeat(9000)}\n-----END PRIVATE KEY-----\n${'z'.repeat(60_556)} ${SECRET} ${'w'.repeat(1000)}'`,
      },
    ],
  ])('%s', async (_name, args) => {
    const machine = newMachine()
    const client = await serve(machine, { WEBSEARCH_KEYS: `brave=${SECRET}` })
    await call(client, 'Bash', args)
    const stored = await filesWith(machine, 'stored')
    expect([...stored.matchAll(/hun[ter\d]+/g)].map(String)).toEqual([])
  })
})

test('secrets are replaced in other notations too', async () => {
  const machine = newMachine()
  const client = await serve(machine, { FETCH_PROXY: 'http://ann:p%40ssword%2Fx1@127.0.0.1:9' })
  await call(client, 'Bash', {
    command: `: p@ssword/x1 "{\\"password\\":\\"hidden-1\\"}" next=%3Ftoken%3Dhidden-2
      : 'Cookie: theme=d; sid=hidden-3
      {"Cookie": "sid=hidden-4"}
      Authorization: Digest 0123456789hidden-5
      Authorization: 0123456789hidden-6'`,
  })
  await call(client, 'Bash', { command: ': stored' })
  const stored = await filesWith(machine, ': stored')
  expect([...stored.matchAll(/p@ssword|hidden-\d/g)].map(String)).toEqual([])
})

test('tokens and links of the program itself are replaced', async () => {
  const machine = newMachine()
  const client = await serve(machine)
  const created = await call(client, 'Bash', { command: `"${process.execPath}" "${PROGRAM}" token create --user ann` })
  const [token = ''] = /sxc_[\w-]+/.exec(created.text) ?? []
  const job = { command: `"${process.execPath}" "${PROGRAM}" ui --no-open`, timeout: 3000 }
  const { text } = await call(client, 'Bash', job)
  const [, key = ''] = /#key=([\w-]+)/.exec(text) ?? []
  expect([token.length, key.length]).toEqual([47, 43])
  await call(client, 'Bash', { command: ': stored' })
  const stored = await filesWith(machine, ': stored')
  expect([token, key].filter((secret) => stored.includes(secret))).toEqual([])
})

test('a search for a text that nearly occurs everywhere does not delay other users', async () => {
  const env = { HOME: emptyFolder() }
  const http = await serveHttp(env, emptyFolder())
  const [ann, bob] = [tokenFor('ann', env), tokenFor('bob', env)]
  const slow = modernCall('TaskManager', { action: 'list', query: 'a'.repeat(64 * 1024) })
  for (let count = 0; count < 100; count++) await sendRequest(http, { ...slow, token: ann })
  const machine = { stateDir: join(env.HOME, '.scorpiox') }
  await filesWith(machine, '.00000100')
  const done = new AbortController()
  const search = sendCommand(http, 'calls', { text: `${'a'.repeat(999)}b` }, ann).finally(() => done.abort())
  let longest = 0
  while (!done.signal.aborted) {
    const startedAt = performance.now()
    await sendRequest(http, { ...modernCall('TaskManager', { action: 'list' }), token: bob })
    longest = Math.max(longest, performance.now() - startedAt)
  }
  expect((await search).json).toMatchObject({ calls: [] })
  // Some 50 ms; it was more than 3 s.
  expect(longest).toBeLessThan(1500)
})

test('many searches of one user do not delay the list of another', async () => {
  const env = { HOME: emptyFolder() }
  const http = await serveHttp(env, emptyFolder())
  const [ann, bob] = [tokenFor('ann', env), tokenFor('bob', env)]
  const long = modernCall('TaskManager', { action: 'list', query: 'ab'.repeat(32 * 1024) })
  for (let count = 0; count < 100; count++) await sendRequest(http, { ...long, token: ann })
  await filesWith({ stateDir: join(env.HOME, '.scorpiox') }, '.00000100')
  let waiting = 100
  const text = `${'ab'.repeat(490)}x`
  const searches = Array.from({ length: waiting }, () =>
    sendCommand(http, 'calls', { text }, ann).then(() => waiting--),
  )
  await eventually(() => waiting < 95)
  expect((await sendCommand(http, 'calls', {}, bob)).status).toBe(200)
  expect(waiting).toBeGreaterThan(50)
  await Promise.all(searches)
})

test('a call that cannot exist is not found, and the console stays connected to the server', async () => {
  const machine = newMachine()
  await serve(machine)
  const server = await startUi(machine)
  leftovers.push(() => server.stop())
  const console = await watchConsole(server)
  leftovers.push(console.leave)
  const { servers } = await console.until((view) => view.servers.length === 1)
  const missing = await sendCommand(server, 'call', { id: `${servers[0]?.id}.${'0'.repeat(300)}` })
  expect(missing).toMatchObject({ status: 409, json: { error: 'This call is no longer kept.' } })
})

/** Makes the first call of the history, and all jobs, 20 days older, and adds copies of the call. */
async function ageHistory(file: string, copies: number): Promise<void> {
  const { DatabaseSync } = await loadSqlite()
  const database = new DatabaseSync(file)
  const age = 20 * DAY_MS
  database.exec(`BEGIN; UPDATE calls SET started_at = started_at - ${age}; UPDATE past_jobs SET started_at = started_at - ${age};
    UPDATE calls SET blocks = '[{"type":"text","omitted":0,"text":"' || replace(hex(zeroblob(4000)), '00', 'x') || '"}]', bytes = 4200;
    INSERT INTO calls SELECT user_name, 'old.' || value, server, project, session, client, tool, about, outcome, started_at, ms,
      error, bytes, input_omitted, input, blocks, search FROM calls, (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL
      SELECT value + 1 FROM n WHERE value < ${copies}) SELECT value FROM n) WHERE tool = 'BackgroundBash'; COMMIT`)
  database.close()
}

async function countRows(file: string, table: string): Promise<number> {
  const { DatabaseSync } = await loadSqlite()
  const database = new DatabaseSync(file)
  const rows = database.prepare(`SELECT COUNT(*) AS count FROM ${table}`).all()
  database.close()
  return Number(JSON.parse(JSON.stringify(rows))[0].count)
}

test('old calls and jobs of a user who has gone are deleted, in steps that do not fill the disk with their log', async () => {
  const env = { HOME: emptyFolder() }
  const cwd = emptyFolder()
  const file = join(env.HOME, '.scorpiox', 'history.db')
  const first = await serveHttp(env, cwd)
  const [ann, bob] = [tokenFor('ann', env), tokenFor('bob', env)]
  await sendRequest(first, { ...modernCall('BackgroundBash', { command: 'true' }), token: ann })
  await first.stop()
  await ageHistory(file, 15_000)
  const size = statSync(file).size
  expect(size).toBeGreaterThan(60_000_000)
  const second = await serveHttp(env, cwd)
  await sendRequest(second, { ...modernCall('ListBgTasks', {}), token: bob })
  await eventually(async () => (await countRows(file, 'calls')) === 1 && (await countRows(file, 'past_jobs')) === 0)
  expect(statSync(`${file}-wal`).size).toBeLessThan(size / 3)
})

test('a server ends soon while another process has locked the history', async () => {
  const machine = newMachine()
  const client = await serve(machine)
  await call(client, 'Bash', { command: 'echo stored' })
  await filesWith(machine, 'echo stored')
  const { DatabaseSync } = await loadSqlite()
  const other = new DatabaseSync(join(machine.stateDir, 'history.db'))
  other.exec('BEGIN IMMEDIATE')
  await call(client, 'Bash', { command: 'echo waits' })
  const startedAt = performance.now()
  await client.close()
  const tookMs = performance.now() - startedAt
  other.exec('ROLLBACK')
  other.close()
  expect(tookMs).toBeLessThan(7000)
})

test('after a failure the history is written again, although the clock was set back', async () => {
  const machine = newMachine()
  const history = join(machine.stateDir, 'history.db')
  mkdirSync(history, { recursive: true, mode: 0o700 })
  const clock = join(machine.home, 'clock.cjs')
  writeFileSync(
    clock,
    `const { existsSync } = require('node:fs'), now = Date.now
     Date.now = () => now() - (existsSync(${JSON.stringify(`${clock}.back`)}) ? ${DAY_MS} : 0)`,
  )
  const client = await serve(machine, { NODE_OPTIONS: `--require ${clock}` })
  await call(client, 'Bash', { command: 'echo one' })
  await eventually(() => client.stderr().includes('the history of calls cannot be written: '))
  rmSync(history, { recursive: true })
  writeFileSync(`${clock}.back`, '')
  await eventually(
    async () => {
      await call(client, 'Bash', { command: 'echo two' })
      return readFiles(machine)
    },
    (stored) => stored.includes('echo two'),
  )
})
