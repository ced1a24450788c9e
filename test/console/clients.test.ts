// Several clients in one project: the console names the client of each item and of each server, also after the client has
// gone, and never that of another user.

import { afterEach, expect, test } from 'vitest'

import type { ConsoleView } from '@scorpiox/console/view'
import { LINUX } from '../secrets/support.js'
import {
  call,
  type ClientInfo,
  emptyFolder,
  killServer,
  startJob,
  startServer,
  type TestClient,
} from '../support/client.js'
import {
  ANSWER,
  type ConsoleStream,
  type Machine,
  newMachine,
  newProject,
  sendCommand,
  startUi,
  watchConsole,
} from '../support/console-client.js'
import { eventually } from '../support/eventually.js'
import {
  callOf,
  type HttpServer,
  initialize,
  modernCall,
  sendRequest,
  startProgram,
  tokenFor,
} from '../support/http-client.js'

const ATLAS = { name: 'atlas-code', version: '2.1' }
const BOREAL = { name: 'Boreal', version: '0.9.4' }

const leftovers: (() => unknown)[] = []

afterEach(async () => {
  for (const end of leftovers.splice(0)) await end()
})

async function serve(machine: Machine, info: ClientInfo): Promise<TestClient> {
  const client = startServer({ cwd: newProject(machine, 'shop'), env: { HOME: machine.home } })
  leftovers.push(() => client.close())
  await client.initialize('2025-11-25', {}, info)
  return client
}

async function watchUi(machine: Machine): Promise<{ readonly page: HttpServer; readonly watched: ConsoleStream }> {
  const page = await startUi(machine)
  leftovers.push(() => page.stop())
  const watched = await watchConsole(page)
  leftovers.push(watched.leave)
  return { page, watched }
}

function ask(client: TestClient, text: string) {
  return call(client, 'AskUserQuestion', {
    questions_json: JSON.stringify({ questions: [{ text, options: ['left', 'right'] }] }),
  })
}

/** What is listed, each with its client. */
function clientsOf({ questions, approvals, callbacks, jobs }: ConsoleView) {
  return {
    questions: questions.map((question) => [question.questions[0]?.text, question.client]),
    approvals: approvals.map(({ goal, client }) => [goal, client]),
    callbacks: callbacks.map(({ message, client }) => [message, client]),
    jobs: jobs.map(({ command, client }) => [command, client]),
  }
}

test('two clients in one project: each item and each server names its client', async () => {
  const machine = newMachine()
  const { page, watched } = await watchUi(machine)
  const atlas = await serve(machine, ATLAS)
  const boreal = await serve(machine, BOREAL)
  await watched.until(({ servers }) => servers.length === 2)
  expect(watched.view().servers.map(({ clients }) => clients)).toEqual([[], []])
  await startJob(atlas, 'sleep 301')
  await startJob(boreal, 'sleep 302')
  await call(atlas, 'SetCallback', { action: 'set', message: 'of atlas', delay_seconds: 600, repeat_count: 1 })
  await call(boreal, 'SetCallback', { action: 'set', message: 'of boreal', delay_seconds: 700, repeat_count: 1 })
  await call(boreal, 'PlanMode', { action: 'enter', goal: 'Plan of boreal' })
  const plan = call(boreal, 'PlanMode', { action: 'exit', plan: '# Plan' })
  const question = ask(atlas, 'Of atlas?')
  await watched.until(({ questions }) => questions.length === 1)
  const other = ask(boreal, 'Of boreal?')
  const view = await watched.until((shown) => {
    const items = Object.values(clientsOf(shown)).flat()
    return items.length === 7 && items.every(([, client]) => client !== undefined)
  })
  expect(clientsOf(view)).toEqual({
    questions: [
      ['Of atlas?', 'atlas-code 2.1'],
      ['Of boreal?', 'Boreal 0.9.4'],
    ],
    approvals: [['Plan of boreal', 'Boreal 0.9.4']],
    callbacks: [
      ['of atlas', 'atlas-code 2.1'],
      ['of boreal', 'Boreal 0.9.4'],
    ],
    jobs: [
      ['sleep 302', 'Boreal 0.9.4'],
      ['sleep 301', 'atlas-code 2.1'],
    ],
  })
  const serverOf = ({ child }: TestClient) => watched.view().servers.find(({ pid }) => pid === child.pid)
  expect(serverOf(atlas)?.clients).toMatchObject([{ client: 'atlas-code 2.1', session: view.calls.at(-1)?.session }])
  expect(serverOf(boreal)?.clients).toMatchObject([{ client: 'Boreal 0.9.4' }])
  // Their calls end, so that the servers can exit.
  for (const { project, id } of watched.view().questions)
    await sendCommand(page, 'answer', { project, id, replies: ANSWER })
  await Promise.all([question, other])
  await atlas.close()
  await watched.until(({ servers }) => servers.some(({ isGone }) => isGone))
  expect(serverOf(atlas)).toMatchObject({ isGone: true, clients: [{ client: 'atlas-code 2.1' }] })
  // The plan still waits.
  await Promise.all([killServer(boreal), expect(plan).rejects.toThrow('the server ended')])
})

test('what a client has left is named from the history when its server and the console were started again', async () => {
  const machine = newMachine()
  const atlas = await serve(machine, ATLAS)
  // No console is open, so no call waits for it.
  expect((await ask(atlas, 'Of atlas?')).structured.rung).toBe('text')
  await atlas.close()
  const { watched } = await watchUi(machine)
  const { questions, servers } = await watched.until((view) => view.questions.some(({ client }) => client))
  expect(questions).toMatchObject([{ questions: [{ text: 'Of atlas?' }], client: 'atlas-code 2.1' }])
  expect(servers).toEqual([])
})

test('a command that asks for a password names the client that runs it', LINUX, async () => {
  const machine = newMachine()
  const { page, watched } = await watchUi(machine)
  const boreal = await serve(machine, BOREAL)
  await watched.until(({ servers }) => servers.length === 1)
  const result = call(boreal, 'Bash', { command: '"$SUDO_ASKPASS" "Password:" > /dev/null' })
  const { secrets } = await watched.until((view) => view.secrets.some(({ client }) => client))
  expect(secrets).toMatchObject([{ prompt: 'Password:', client: 'Boreal 0.9.4' }])
  await sendCommand(page, 'secret', { server: secrets[0]?.server, id: secrets[0]?.id, value: null })
  await result
})

test('over HTTP users see neither clients nor sessions of each other', async () => {
  const env = { HOME: emptyFolder(), SANDBOX: 'off' }
  const http = await startProgram({ env, cwd: emptyFolder() })
  leftovers.push(() => http.stop())
  const people = await Promise.all(
    [ATLAS, BOREAL].map(async (info, index) => {
      const token = tokenFor(`user${index}`, env)
      const session = await initialize(http, '2025-11-25', { token }, info)
      const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
      const send = (name: string, args: object) => sendRequest(http, { body: callOf(name, args), headers, token })
      const watched = await watchConsole(http, token)
      leftovers.push(watched.leave)
      return { info, session, send, watched }
    }),
  )
  for (const { info, send } of people) {
    expect((await send('BackgroundBash', { command: `sleep 300 # ${info.name}` })).status).toBe(200)
    await send('SetCallback', { action: 'set', message: info.name, delay_seconds: 600, repeat_count: 1 })
  }
  for (const { info, session, watched } of people) {
    const client = `${info.name} ${info.version}`
    const view = await watched.until(
      ({ jobs, callbacks, servers }) =>
        [...jobs, ...callbacks].length === 2 &&
        [...jobs, ...callbacks].every((item) => item.client === client) &&
        servers[0]?.clients?.length === 1,
    )
    expect(view.servers).toMatchObject([{ clients: [{ client, session }] }])
    const other = people.find((each) => each.info !== info)
    expect(JSON.stringify(view)).not.toContain(other?.info.name)
    expect(JSON.stringify(view)).not.toContain(other?.session)
  }
})

test('clients that share a session, because their requests have none, are told apart by their calls', async () => {
  const env = { HOME: emptyFolder(), SANDBOX: 'off' }
  const http = await startProgram({ env, cwd: emptyFolder() })
  leftovers.push(() => http.stop())
  const watched = await watchConsole(http)
  leftovers.push(watched.leave)
  const as = (info: ClientInfo) => ({ 'io.modelcontextprotocol/clientInfo': info })
  const asked = { questions_json: JSON.stringify({ questions: [{ text: 'Of atlas?', options: ['left', 'right'] }] }) }
  const question = sendRequest(http, modernCall('AskUserQuestion', asked, 1, as(ATLAS)))
  const started = modernCall('BackgroundBash', { command: 'sleep 303' }, 2, as(BOREAL))
  expect((await sendRequest(http, started)).status).toBe(200)
  const view = await watched.until(({ questions, jobs }) => Boolean(questions[0]?.client) && Boolean(jobs[0]?.client))
  expect(view.questions).toMatchObject([{ client: 'atlas-code 2.1' }])
  expect(view.jobs).toMatchObject([{ client: 'Boreal 0.9.4' }])
  expect(view.questions[0]?.session).toBe(view.jobs[0]?.session)
  expect(new Set(view.servers[0]?.clients?.map(({ client }) => client))).toEqual(
    new Set(['atlas-code 2.1', 'Boreal 0.9.4']),
  )
  const { project, id } = view.questions[0] ?? {}
  expect((await sendCommand(http, 'answer', { project, id, replies: ANSWER })).status).toBe(204)
  await eventually(
    () => question,
    ({ status }) => status === 200,
  )
})
