// The statements of docs/deploy.md about several machines: servers with a state folder each share the rows of one
// database, and nothing else. Two state folders represent two machines; files are not tested, because both see the same
// disk.

import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { callOf, COLOUR, FORMS } from '../questions/support.js'
import { type PostgresServer, startPostgres } from '../store/postgres-server.js'
import { emptyFolder, type Json } from '../support/client.js'
import {
  type HttpServer,
  initialize,
  modern,
  modernCall,
  rpc,
  sendRequest,
  startProgram,
  TOKEN,
  tokenFor,
} from '../support/http-client.js'

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/deploy.md'), 'utf8')

interface Machine {
  readonly server: HttpServer
  readonly env: NodeJS.ProcessEnv
}

let postgres: PostgresServer | undefined
let machines: readonly [Machine, Machine]

beforeAll(async () => {
  postgres = await startPostgres()
  if (!postgres) return
  const [DATABASE_URL, cwd] = [await postgres.database(), join(emptyFolder(), 'project')]
  mkdirSync(cwd)
  const start = async (): Promise<Machine> => {
    const env = { STATE_DIR: emptyFolder(), DATABASE_URL, SANDBOX: 'off', RATE_LIMIT: '1', RATE_BURST: '60' }
    return { env, server: await startProgram({ env, cwd }) }
  }
  machines = await Promise.all([start(), start()])
})

afterAll(async () => {
  if (postgres) await Promise.all(machines.map(({ server }) => server.stop()))
  postgres?.stop('immediate')
})

const call = async ({ server }: Machine, tool: string, args: object): Promise<Json> =>
  (await sendRequest(server, modernCall(tool, args))).json.result

const textOf = async (machine: Machine, tool: string, args: object): Promise<string> =>
  (await call(machine, tool, args)).content[0].text

/** The rows of the section on several machines whose first cell starts with this. */
function documentedRows(subject: string): string {
  const [, section = ''] = PAGE.split('\n### Without ADVERTISE_URL\n')
  return section.split('\n').find((line) => line.startsWith(`| ${subject}`)) ?? `nothing about ${subject}`
}

test('tasks are shared', async (context) => {
  context.skip(!postgres)
  const [one, two] = machines
  expect(documentedRows('tasks')).toContain('| shared, ')
  await call(one, 'TaskManager', { action: 'create', query: 'Ship it' })
  expect(await textOf(two, 'TaskManager', { action: 'list', query: '' })).toContain('Ship it')
})

test('sessions are not', async (context) => {
  context.skip(!postgres)
  const [one, two] = machines
  expect(documentedRows('sessions')).toContain('not shared: another machine answers 404')
  const headers = { 'mcp-session-id': await initialize(one.server, '2025-11-25') }
  const statuses = [one, two].map(
    async ({ server }) => (await sendRequest(server, { body: rpc('ping'), headers })).status,
  )
  expect(await Promise.all(statuses)).toEqual([200, 404])
})

test('jobs are not, and their ids collide', async (context) => {
  context.skip(!postgres)
  const [one, two] = machines
  expect(documentedRows('jobs')).toContain('the same number means another job on another machine')
  for (const [machine, name] of [
    [one, 'one'],
    [two, 'two'],
  ] as const) {
    expect(await textOf(machine, 'BackgroundBash', { command: `echo on ${name}` })).toContain('job 1')
  }
  const read = (machine: Machine): Promise<string> =>
    textOf(machine, 'ReadBgOutput', { task_id: 1, wait_for_end: true })
  expect((await read(one)).split('\n')[0]).toBe('on one')
  expect((await read(two)).split('\n')[0]).toBe('on two')
})

test('a request state is not', async (context) => {
  context.skip(!postgres)
  const [one, two] = machines
  expect(documentedRows('`requestState`')).toContain('not shared: another machine')
  const make = (machine: Machine, more: object): Promise<Json> =>
    sendRequest(machine.server, modern('tools/call', { ...callOf({ questions: [COLOUR] }), ...more }, 1, FORMS))
  const { requestState } = (await make(one, {})).json.result
  const inputResponses = { said: { action: 'accept', content: { question_1: 'Red' } } }
  expect((await make(two, { requestState, inputResponses })).json.error).toMatchObject({ code: -32_602 })
})

test('tokens are not', async (context) => {
  context.skip(!postgres)
  const [one, two] = machines
  expect(documentedRows('tokens')).toContain('not shared: each machine has its own `tokens.json`')
  const token = tokenFor('ann', one.env)
  const status = async ({ server }: Machine): Promise<number> =>
    (await sendRequest(server, { body: rpc('ping'), token })).status
  await expect.poll(() => status(one), { timeout: 10_000 }).toBe(200)
  expect(await status(two)).toBe(401)
})

test('rate limits are not', async (context) => {
  context.skip(!postgres)
  const [one, two] = machines
  expect(documentedRows('rate limits')).toContain('not shared: each machine counts for itself')
  const ping = async ({ server }: Machine): Promise<number> =>
    (await sendRequest(server, { body: rpc('ping'), token: TOKEN })).status
  await expect.poll(() => ping(one), { interval: 1, timeout: 20_000 }).toBe(429)
  expect(await ping(two)).toBe(200)
})
