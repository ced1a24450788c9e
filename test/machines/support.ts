// Several machines in one test: server processes on loopback that share a PostgreSQL and a project, each with its own
// port, home and state directory. Requests go round robin, or to a machine that the test names.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'

import { WebSocket } from 'ws'

import type { PostgresServer } from '../store/postgres-server.js'
import { cleanEnv, emptyFolder, type Json, PROGRAM } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import {
  type HttpRequest,
  type HttpResponse,
  type HttpServer,
  modernCall,
  sendRequest,
  startProgram,
} from '../support/http-client.js'

/** Longer than a busy machine pauses a process. Tests that wait for the end of a lease use a shorter one. */
const LEASE_SECONDS = 15
/** For tests that wait until a lease has ended. */
export const SHORT_LEASE = { MACHINE_LEASE_SECONDS: '4' }

export interface Machine extends HttpServer {
  readonly name: string
  readonly env: NodeJS.ProcessEnv
}

export interface Fleet {
  readonly project: string
  readonly databaseUrl: string
  readonly machines: readonly Machine[]
  /** The next machine in turn. */
  next(): Machine
  /** One more machine, or one with the state directory of another. */
  start(name: string, env?: NodeJS.ProcessEnv, port?: number): Promise<Machine>
  /** The machine that owns the workspace of the user; there must be one. */
  owner(): Promise<Machine>
  /** The machines that do not own it. */
  others(): Promise<readonly Machine[]>
  sql(text: string): Promise<readonly Json[]>
  /** Runs a command of the program against the same database. */
  cli(...args: readonly string[]): string
  stop(): Promise<void>
}

export async function startFleet(
  postgres: PostgresServer,
  names: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Fleet> {
  const databaseUrl = await postgres.database()
  const project = join(emptyFolder(), 'project')
  mkdirSync(project)
  const started: Machine[] = []
  let turn = 0

  async function start(name: string, extra: NodeJS.ProcessEnv = {}, given?: number): Promise<Machine> {
    const port = given ?? (await freePort())
    const home = emptyFolder()
    const own = {
      HOME: home,
      STATE_DIR: join(home, 'state'),
      DATABASE_URL: databaseUrl,
      ADVERTISE_URL: `http://127.0.0.1:${port}`,
      MACHINE_NAME: name,
      MACHINE_LEASE_SECONDS: String(LEASE_SECONDS),
      DRAIN_SECONDS: '0',
      SANDBOX: 'off',
      ...env,
      ...extra,
    }
    const server = await startProgram({ env: own, cwd: project, flags: ['--port', String(port)] })
    const machine = { ...server, name, env: own }
    started.push(machine)
    return machine
  }

  const machines = await Promise.all(names.map((name) => start(name)))
  const sql = async (text: string): Promise<readonly Json[]> => (await postgres.sql(text, databaseUrl)) as Json[]

  async function ownerName(): Promise<string | undefined> {
    const [row] = await sql(
      `SELECT name FROM scorpiox.workspaces JOIN scorpiox.machines ON incarnation = owner
       WHERE user_name = '${userInfo().username}'`,
    )
    return row?.name
  }

  return {
    project,
    databaseUrl,
    machines,
    next: () => machines[turn++ % machines.length] ?? fail(),
    start,
    async owner() {
      const name = await eventually(ownerName)
      return started.findLast((machine) => machine.name === name) ?? fail()
    },
    async others() {
      const name = await eventually(ownerName)
      return machines.filter((machine) => machine.name !== name)
    },
    sql,
    cli: (...args) =>
      execFileSync(process.execPath, [PROGRAM, ...args], {
        cwd: project,
        env: cleanEnv({ HOME: emptyFolder(), DATABASE_URL: databaseUrl }),
        encoding: 'utf8',
      }),
    async stop() {
      for (const { child } of started) child.kill('SIGCONT')
      await Promise.all(
        started
          .filter(({ child }) => child.exitCode === null && child.signalCode === null)
          .map((machine) => machine.stop()),
      )
    },
  }
}

function fail(): never {
  throw new Error('there is no machine')
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return address.port
}

/** The text of a tool's result, or of the refusal. */
export async function callText(machine: HttpServer, tool: string, args: object): Promise<string> {
  return textOf(await sendRequest(machine, modernCall(tool, args)))
}

export function textOf({ status, json, text }: HttpResponse): string {
  return (
    json?.result?.content?.map((block: Json) => block.text).join('\n') ?? `${status} ${json?.error?.message ?? text}`
  )
}

/** Sends a request until it is served: to the machines in turn. */
export async function untilServed(fleet: readonly HttpServer[], request: HttpRequest): Promise<HttpResponse> {
  let turn = 0
  return eventually(
    () => sendRequest(fleet[turn++ % fleet.length] ?? fail(), request),
    ({ status }) => status === 200,
  )
}

export interface Conversation {
  readonly socket: WebSocket
  /** The next message that was not read yet. */
  readonly next: () => Promise<Json>
  readonly closed: Promise<number>
}

export async function openWebSocket(machine: HttpServer): Promise<Conversation> {
  const headers = { authorization: `Bearer ${machine.token}` }
  const socket = new WebSocket(`ws://127.0.0.1:${machine.port}/mcp`, 'mcp', { headers })
  const received: Json[] = []
  const waiting: ((message: Json) => void)[] = []
  socket.on('message', (data: Buffer) => {
    const message: Json = JSON.parse(data.toString())
    const waiter = waiting.shift()
    if (waiter) waiter(message)
    else received.push(message)
  })
  socket.on('error', () => {})
  const closed = once(socket, 'close').then(([code]) => Number(code))
  await once(socket, 'open')
  return { socket, closed, next: async () => received.shift() ?? new Promise((resolve) => waiting.push(resolve)) }
}
