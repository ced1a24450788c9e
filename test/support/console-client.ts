// Shared by the console tests: `scorpiox-code ui`, the console's event stream over HTTP, and rows inserted into the
// database.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'

import { expect } from 'vitest'

import { type ConsoleView, EMPTY_VIEW } from '@scorpiox/console/view'
import { openStateDatabase, type Scope, type StateTables } from '@scorpiox/server/state'
import { cleanEnv, emptyFolder, PROGRAM } from './client.js'
import { eventually } from './eventually.js'
import { type HttpResponse, type HttpServer, sendRequest, stream } from './http-client.js'

export const CURRENT_USER = userInfo().username

export interface Machine {
  readonly home: string
  readonly stateDir: string
  readonly socketDirectory: string
}

/** A separate home, so that nothing of another test is visible. */
export function newMachine(home = emptyFolder()): Machine {
  const stateDir = join(home, '.scorpiox')
  return { home, stateDir, socketDirectory: join(stateDir, 'desks') }
}

export function newProject({ home }: Machine, name: string): string {
  const project = join(home, name)
  mkdirSync(project, { recursive: true })
  return project
}

export async function startUi(
  { home }: Machine,
  env: NodeJS.ProcessEnv = {},
  more: readonly string[] = [],
): Promise<HttpServer> {
  const flags = [...(env.OPEN === undefined ? ['--no-open'] : []), ...more]
  const child = spawn(process.execPath, [PROGRAM, 'ui', ...flags], {
    cwd: home,
    env: cleanEnv({ HOME: home, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let greeting = ''
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const exited = once(child, 'exit').then(([code]: unknown[]) => (typeof code === 'number' ? code : null))
  const [, url = '', key = ''] = await new Promise<RegExpExecArray>((found, lost) => {
    child.stdout.on('data', (chunk: Buffer) => {
      greeting += chunk.toString()
      const match = /(http:\/\/\S+\/)#key=(\S+)\n/.exec(greeting)
      if (match) found(match)
    })
    void exited.then((code) => lost(new Error(`ui ended with ${code}: ${errors}`)))
  })
  const stop = (): Promise<number | null> => {
    child.kill('SIGINT')
    return exited
  }
  return { child, port: Number(new URL(url).port), url, greeting, token: key, stderr: () => errors, exited, stop }
}

export interface ConsoleStream {
  /** All parts as they are now. */
  readonly view: () => ConsoleView
  readonly until: (fits: (view: ConsoleView) => boolean) => Promise<ConsoleView>
  readonly ended: Promise<void>
  readonly leave: () => void
}

/** Resolves when the first event with all parts has arrived. */
export async function watchConsole(server: HttpServer, token = server.token): Promise<ConsoleStream> {
  const events = await stream(server, { method: 'GET', path: '/board', token })
  expect(events.status).toBe(200)
  const view = (): ConsoleView => Object.assign({}, EMPTY_VIEW, ...events.events.map(({ json }) => json))
  const first = await events.next()
  expect(Object.keys(first?.json).sort()).toEqual(Object.keys(EMPTY_VIEW).sort())
  return {
    view,
    ended: events.ended,
    leave: events.disconnect,
    async until(fits) {
      return eventually(view, fits)
    },
  }
}

export function sendCommand(
  server: HttpServer,
  verb: string,
  body: object,
  token = server.token,
): Promise<HttpResponse> {
  return sendRequest(server, { path: `/board/${verb}`, body: JSON.stringify(body), token })
}

export async function withStore<T>(
  { stateDir }: Machine,
  scope: Scope,
  work: (rows: StateTables) => Promise<T>,
): Promise<T> {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const state = await openStateDatabase({ file: join(stateDir, 'state.db'), databaseUrl: '' })
  try {
    return await state.write(scope, work)
  } finally {
    await state.close()
  }
}

const QUESTION = {
  text: 'Which one?',
  header: null,
  choices: [
    { label: 'left', description: null },
    { label: 'right', description: null },
  ],
  multiple: false,
}

/** One item of each kind that a user can act on. */
export function insertPendingItems(machine: Machine, scope: Scope) {
  return withStore(machine, scope, async ({ questions, messages, callbacks }) => {
    const asked = { session: 'asker', askedAt: Date.now(), waiting: false, questions: [QUESTION] }
    const question = await questions.insert(asked)
    const message = await messages.insert({
      session: 'asker',
      kind: 'callback',
      text: 'wake up',
      createdAt: Date.now(),
    })
    await callbacks.upsert({
      session: 'asker',
      slot: 3,
      message: 'look again',
      setAt: Date.now(),
      delayMs: 3_000_000,
      repeatsLeft: 2,
      fireAt: Date.now() + 3_000_000,
      fireUptime: null,
      boot: '',
      job: null,
      pattern: null,
      position: null,
    })
    return { question: question.id, message: message.id }
  })
}

export const ANSWER = [{ outcome: 'answered', selected: ['left'] }]

/** The server sockets, once there are `count`. */
export async function socketsIn({ socketDirectory }: Machine, count: number): Promise<readonly string[]> {
  const find = (): readonly string[] =>
    existsSync(socketDirectory) ? readdirSync(socketDirectory).filter((name) => name.endsWith('.json')) : []
  const names = await eventually(find, ({ length }) => length === count)
  return names.map((name) => join(socketDirectory, name.replace(/json$/, 'sock')))
}
