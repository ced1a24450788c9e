// `serve --http --processes N`: one port, several servers, one greeting and one log; processes that end are started
// again; a stop signal ends all.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { type PostgresServer, startPostgres } from '../store/postgres-server.js'
import { childrenOf, emptyFolder, isAlive } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { type HttpServer, sendRequest, startProgram, tokenFor } from '../support/http-client.js'
import { callAs } from './support.js'

let postgres: PostgresServer | undefined

beforeAll(async () => {
  postgres = await startPostgres()
})

afterAll(() => postgres?.stop('immediate'))

async function startProcesses(count: string, more: NodeJS.ProcessEnv = {}) {
  const env = {
    STATE_DIR: emptyFolder(),
    DATABASE_URL: await postgres?.database(),
    SANDBOX: 'off',
    DRAIN_SECONDS: '0',
    ...more,
  }
  // A fixed one: without any process that listens, a port of 0 becomes another one.
  const port = String(await findFreePort())
  const server = await startProgram({ env, flags: ['--port', port, '--processes', count] })
  onTestFinished(async () => void (await server.stop()))
  return { server, env }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

/** The processes of the servers, without what those have started. */
function serverProcesses({ child }: HttpServer): readonly number[] {
  return childrenOf(child.pid).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--worker'))
}

describe('several processes', () => {
  test('share the port, serve each user in one of them, and print once', async (context) => {
    context.skip(!postgres)
    const { server, env } = await startProcesses('3')
    await eventually(() => serverProcesses(server).length === 3)
    const users = ['ann', 'ben', 'eve', 'zoe']
    const tokens = users.map((user) => tokenFor(user, env))
    const pids = async (token: string): Promise<ReadonlySet<string>> => {
      const answers = Array.from({ length: 8 }, () =>
        callAs(server, token, 'Bash', { command: 'ps -o ppid= -p $PPID' }),
      )
      return new Set((await Promise.all(answers)).map(({ text }) => text.trim()))
    }
    for (const token of tokens) expect(await pids(token)).toHaveProperty('size', 1)
    expect(server.greeting.match(/serves MCP at/g)).toHaveLength(1)
    expect((await sendRequest(server, { method: 'GET', path: '/readyz' })).status).toBe(200)
    const before = serverProcesses(server)
    expect(await server.stop()).toBe(0)
    expect(before.filter(isAlive)).toEqual([])
  }, 60_000)

  test('a process that is killed is started again, and its users are served on', async (context) => {
    context.skip(!postgres)
    const { server, env } = await startProcesses('2', { MACHINE_LEASE_SECONDS: '3' })
    await eventually(() => serverProcesses(server).length === 2)
    const token = tokenFor('ann', env)
    const create = (text: string) => callAs(server, token, 'TaskManager', { action: 'create', query: '', text })
    await create('before')
    const [victim = 0, other = 0] = serverProcesses(server)
    process.kill(victim, 'SIGKILL')
    await eventually(
      () => serverProcesses(server),
      (pids) => pids.length === 2 && pids.includes(other) && !pids.includes(victim),
    )
    expect(server.stderr()).toMatch(/process \d exited \(SIGKILL\); restarting it in \d+ ms/)
    await eventually(
      () => create('after').catch(String),
      (answer) => typeof answer !== 'string' && !answer.isError,
    )
    expect((await callAs(server, token, 'TaskManager', { action: 'list', query: '' })).text).toMatch(/after[^]*before/)
    expect(await server.stop()).toBe(0)
  }, 60_000)
})

describe('the start is refused', () => {
  const failure = (flags: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> =>
    startProgram({ flags, env }).then(
      async (server) => `started ${await server.stop()}`,
      (error: unknown) => String(error),
    )

  test.each([
    ['without a database', '2', '--processes needs DATABASE_URL'],
    ['with a text', 'two', '--processes must be a number from 1 to 64, or auto'],
    ['with too many', '65', '--processes must be a number from 1 to 64, or auto'],
    ['with none', '0', '--processes must be a number from 1 to 64, or auto'],
  ])('%s', async (_, count, sentence) => {
    expect(await failure(['--processes', count])).toContain(sentence)
  })

  test('once, if no process can serve', { tags: ['long'] }, async () => {
    const message = await failure(['--processes', '3'], { DATABASE_URL: 'postgres://127.0.0.1:1/none' })
    expect(message).toMatch(/ended with [12]/)
    expect(message.match(/scorpiox-code: postgres/g)).toHaveLength(1)
  })

  test('not at all: one process is the server itself', async () => {
    const server = await startProgram({ flags: ['--processes', '1'] })
    expect(serverProcesses(server)).toEqual([])
    expect(await server.stop()).toBe(0)
  })
})
