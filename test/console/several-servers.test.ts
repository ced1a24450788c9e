// Several servers, the page and the console on one machine show the same state, live. A peer that hangs, dies or sends
// garbage does not delay the others.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, describe, expect, test } from 'vitest'

import {
  call,
  killServer,
  readJob,
  readPid,
  startJob,
  startServer,
  type TestClient,
  waitForExit,
} from '../support/client.js'
import {
  ANSWER,
  CURRENT_USER,
  insertPendingItems,
  type Machine,
  newMachine,
  newProject,
  sendCommand,
  socketsIn,
  startUi,
  watchConsole,
  withStore,
} from '../support/console-client.js'
import { type HttpRequest, sendRequest, startProgram, stream, tokenFor } from '../support/http-client.js'

const leftovers: (() => unknown)[] = []

afterEach(async () => {
  for (const end of leftovers.splice(0)) await end()
})

async function serve(machine: Machine, name: string, env: NodeJS.ProcessEnv = {}): Promise<TestClient> {
  const client = startServer({ cwd: newProject(machine, name), env: { HOME: machine.home, ...env } })
  leftovers.push(() => client.close())
  await client.initialize('2025-06-18')
  return client
}

async function ui(machine: Machine, env?: NodeJS.ProcessEnv) {
  const server = await startUi(machine, env)
  leftovers.push(() => server.stop())
  return server
}

describe('all clients see the same', () => {
  test('two stdio servers, an HTTP server and a separate page', async () => {
    const machine = newMachine()
    const page = await ui(machine)
    const consoleStream = await watchConsole(page)
    expect(consoleStream.view().servers).toEqual([])
    const one = await serve(machine, 'one')
    const two = await serve(machine, 'two')
    const http = await startProgram({
      cwd: newProject(machine, 'three'),
      env: { HOME: machine.home, SANDBOX: 'off' },
    })
    leftovers.push(() => http.stop())
    const other = await watchConsole(http)
    const consoleStreams = [consoleStream, other]
    const pids = new Set([one.child.pid, two.child.pid, http.child.pid])
    for (const { until } of consoleStreams) await until(({ servers }) => servers.length === 3)
    for (const { view } of consoleStreams) expect(new Set(view().servers.map(({ pid }) => pid))).toEqual(pids)
    expect(
      consoleStream
        .view()
        .servers.map(({ transport }) => transport)
        .sort(),
    ).toEqual(['http', 'stdio', 'stdio'])

    await call(one, 'TaskManager', { action: 'create', query: 'from one' })
    await call(two, 'Bash', { command: 'exit 3' })
    for (const { until } of consoleStreams) {
      await until(({ projects, calls }) => projects.length === 1 && calls.length === 2)
      const { calls, projects } = await until((view) => view.calls.every(({ outcome }) => outcome !== 'running'))
      expect(projects[0]?.tasks[0]?.name).toBe('from one')
      expect(calls.map(({ tool, about }) => `${tool} ${about}`).sort()).toEqual([
        'Bash exit 3',
        'TaskManager create from one',
      ])
    }

    const project = newProject(machine, 'one')
    const { question, message } = await insertPendingItems(machine, { project, user: CURRENT_USER })
    for (const { until } of consoleStreams) {
      const { questions, messages, callbacks } = await until((view) => view.callbacks.length === 1)
      expect(questions).toMatchObject([{ project, id: question, waiting: false, questions: [{ text: 'Which one?' }] }])
      expect(messages).toMatchObject([{ project, id: message, kind: 'callback', text: 'wake up' }])
      expect(callbacks).toMatchObject([{ project, session: 'asker', slot: 3, message: 'look again', repeatsLeft: 2 }])
    }
    expect((await sendCommand(http, 'answer', { project, id: question, replies: ANSWER })).status).toBe(204)
    expect((await sendCommand(page, 'cancel', { project, session: 'asker', slot: 3 })).status).toBe(204)
    for (const { until } of consoleStreams)
      await until(({ questions, callbacks }) => questions.length + callbacks.length === 0)
    const again = await sendCommand(page, 'answer', { project, id: question, replies: ANSWER })
    expect(again.status).toBe(409)
    expect(again.json.error).toContain('already answered')
    const row = await withStore(machine, { project, user: CURRENT_USER }, ({ questions }) => questions.find(question))
    expect(row).toMatchObject({ surface: 'page', replies: ANSWER })
    for (const { id } of consoleStream.view().messages)
      expect((await sendCommand(page, 'dismiss', { project, id })).status).toBe(204)
    for (const { until } of consoleStreams) await until(({ messages }) => messages.length === 0)
    expect(await one.close()).toBe(0)
    for (const { until } of consoleStreams)
      await until(({ servers }) => servers.filter(({ isGone }) => !isGone).length === 2)
    consoleStream.leave()
    other.leave()
  })

  test('a job is watched and ended from another process', async () => {
    const machine = newMachine()
    const page = await ui(machine)
    const server = await serve(machine, 'one')
    const pidFile = join(machine.home, 'pid')
    const id = await startJob(server, `echo $$ > ${pidFile}; printf 'red\\n10%%\\r20%%'; sleep 300`)
    const pid = await readPid(pidFile)
    const consoleStream = await watchConsole(page)
    const view = await consoleStream.until(({ jobs }) => jobs[0]?.tail === 'red\n20%')
    const [job] = view.jobs
    expect(job).toMatchObject({
      id,
      isRunning: true,
      ending: null,
      exitCode: null,
      project: newProject(machine, 'one'),
    })
    const shown = await stream(page, outputOf({ server: job?.server, id }))
    expect((await shown.next())?.json).toMatchObject({ from: 0, size: 11, isRunning: true, text: '', open: 'red\n20%' })
    expect((await sendCommand(page, 'kill', { server: job?.server, id })).status).toBe(204)
    expect((await shown.next())?.json).toMatchObject({ text: 'red\n20%', open: '', isRunning: false, isLast: true })
    await shown.ended
    await waitForExit(pid)
    await consoleStream.until(({ jobs }) => jobs[0]?.ending === 'killed')
    const absent = await sendCommand(page, 'kill', { server: job?.server, id: 99 })
    expect([absent.status, absent.json.error]).toEqual([409, 'There is no job 99. Existing jobs: 1.'])
    const unknownServer = await sendCommand(page, 'kill', { server: 'ffffffffffffffff', id })
    expect([unknownServer.status, unknownServer.json.error]).toEqual([409, 'The server has exited or does not answer.'])
    consoleStream.leave()
  })

  test('an HTTP user sees their own items, and none of other servers', async () => {
    const machine = newMachine()
    const env = { HOME: machine.home, SANDBOX: 'off' }
    const token = tokenFor('bob', env)
    const project = newProject(machine, 'shared')
    const http = await startProgram({ cwd: project, env })
    leftovers.push(() => http.stop())
    const stdio = await serve(machine, 'own')
    await startJob(stdio, 'sleep 300')
    await insertPendingItems(machine, { project, user: CURRENT_USER })
    const things = await insertPendingItems(machine, { project, user: 'bob' })
    const bob = await watchConsole(http, token)
    const userConsole = await watchConsole(http)
    await userConsole.until(({ servers, jobs }) => servers.length === 2 && jobs.length === 1)
    const view = await bob.until(({ servers }) => servers.length === 1)
    expect(view).toMatchObject({ jobs: [], calls: [], servers: [{ pid: http.child.pid }] })
    expect(view.questions.map(({ id }) => id)).toEqual([things.question])
    expect((await sendCommand(http, 'answer', { project, id: things.question, replies: ANSWER }, token)).status).toBe(
      204,
    )
    await bob.until(({ questions }) => questions.length === 0)
    expect(userConsole.view().questions).toHaveLength(1)
    bob.leave()
    userConsole.leave()
  })
})

describe('a peer that fails delays no other', () => {
  test('a killed server is shown as gone with what it did, and leaves the disk', async () => {
    const machine = newMachine()
    const page = await ui(machine)
    const killedClient = await serve(machine, 'doomed')
    const safe = await serve(machine, 'safe')
    const consoleStream = await watchConsole(page)
    await consoleStream.until(({ servers }) => servers.length === 2)
    const id = await startJob(killedClient, 'sleep 300')
    await consoleStream.until(({ jobs }) => jobs.some(({ isRunning }) => isRunning))
    await killServer(killedClient)
    const { servers, jobs } = await consoleStream.until((view) => view.servers.some(({ isGone }) => isGone))
    expect(servers.map(({ pid, isGone }) => [pid, isGone])).toEqual([
      [safe.child.pid, false],
      [killedClient.child.pid, true],
    ])
    expect(servers[1]?.goneAt).toBeGreaterThan(Date.now() - 60_000)
    expect(jobs).toMatchObject([{ id, isRunning: false, exitCode: null, ending: 'unknown' }])
    const refused = await sendCommand(page, 'kill', { server: servers[1]?.id, id })
    expect(refused.status).toBe(409)
    expect(refused.json.error).toContain('The server has exited')
    await socketsIn(machine, 1)
    consoleStream.leave()
  })

  test('a server that hangs', { tags: ['long'] }, async () => {
    const machine = newMachine()
    const page = await ui(machine)
    const hanging = await serve(machine, 'hanging')
    const consoleStream = await watchConsole(page)
    const { servers } = await consoleStream.until((view) => view.servers.length === 1)
    const id = await startJob(hanging, 'sleep 300')
    hanging.child.kill('SIGSTOP')
    leftovers.push(() => hanging.child.kill('SIGCONT'))
    const project = newProject(machine, 'hanging')
    const { question } = await insertPendingItems(machine, { project, user: CURRENT_USER })
    expect((await sendCommand(page, 'answer', { project, id: question, replies: ANSWER })).status).toBe(204)
    const late = await watchConsole(page)
    expect(late.view().questions).toEqual([])
    const { status, json } = await sendCommand(page, 'kill', { server: servers[0]?.id, id })
    expect([status, json.error]).toEqual([409, 'The server did not answer within 5 s; try again.'])
    hanging.child.kill('SIGCONT')
    expect((await sendCommand(page, 'kill', { server: servers[0]?.id, id })).status).toBe(204)
    consoleStream.leave()
    late.leave()
  })

  const MISBEHAVIOURS: readonly [string, (socket: Socket) => unknown][] = [
    ['says nothing', () => {}],
    ['says nonsense', (socket: Socket) => socket.write('{"kind":"update"}\nnonsense\n\u0000\n[]\n')],
    ['never ends its line', (socket: Socket) => floodOn(socket)],
    [
      'claims to be another',
      (socket: Socket) =>
        socket.write(
          `${JSON.stringify({ kind: 'update', update: { server: { id: 'x', pid: 1, transport: 'stdio', project: '', startedAt: 0, version: '', tools: [] } } })}\n`,
        ),
    ],
    [
      'says too much',
      (socket: Socket) => floodOn(socket, `{"kind":"update","update":{"calls":[],"x":"${'x'.repeat(1e5)}"}}\n`),
    ],
    [
      'shows jobs of another',
      (socket: Socket) =>
        socket.write(
          `${JSON.stringify({ kind: 'update', update: { jobs: [{ server: 'x', project: '', id: 1, command: 'not mine', startedAt: 0, endedAt: null, isRunning: true, exitCode: null, ending: null, signal: null, tail: '' }] } })}\n`,
        ),
    ],
  ]
  for (const [what, behave] of MISBEHAVIOURS)
    test(`one that ${what}`, { tags: what === 'says nonsense' ? [] : ['long'] }, async () => {
      const machine = newMachine()
      mkdirSync(machine.socketDirectory, { recursive: true, mode: 0o700 })
      const faultyServer = await impersonate(machine, behave)
      leftovers.push(() => faultyServer.close())
      const page = await ui(machine)
      const consoleStream = await watchConsole(page)
      const server = await serve(machine, 'honest')
      const view = await consoleStream.until(({ servers }) => servers.length === 1)
      expect(view.servers[0]?.pid).toBe(server.child.pid)
      const id = await startJob(server, 'echo done')
      await consoleStream.until(({ jobs }) => jobs.length === 1 && jobs[0]?.tail === 'done')
      const shown = await sendCommand(page, 'output', { server: view.servers[0]?.id, id })
      expect(shown.json).toMatchObject({ text: 'done\n', isLast: true })
      consoleStream.leave()
    })

  test('a console that does not read, or floods, is disconnected, and the server continues', async () => {
    const machine = newMachine()
    const server = await serve(machine, 'one')
    const [address = ''] = await socketsIn(machine, 1)
    const flood = connect(address)
    const closed = new Promise((resolve) => flood.once('close', resolve))
    flood.on('error', () => {})
    floodOn(flood)
    await closed
    const unresponsive = connect(address)
    unresponsive.on('error', () => {})
    unresponsive.pause()
    unresponsive.write(`${JSON.stringify({ kind: 'presence', user: CURRENT_USER, watching: true })}\n`)
    const id = await startJob(server, `yes 'a long line to be shown' | head -c 3000000; echo; echo done; sleep 300`)
    await readJob(server, id, { wait_for_pattern: '^done' })
    expect((await call(server, 'Bash', { command: 'echo still here' })).text).toContain('still here')
    const page = await ui(machine)
    const consoleStream = await watchConsole(page)
    await consoleStream.until(({ jobs }) => jobs.length === 1)
    consoleStream.leave()
    for (let asked = 0; !unresponsive.destroyed; asked++) {
      const line = JSON.stringify({ kind: 'ask', id: asked, verb: 'output', job: id, from: 0, maxBytes: 1e6 })
      await new Promise((resolve) => unresponsive.write(`${line}\n`, resolve))
    }
    expect((await call(server, 'Bash', { command: 'echo and here' })).text).toContain('and here')
  })

  test('a broken database is reported, and the console recovers', async () => {
    const machine = newMachine()
    const project = newProject(machine, 'one')
    mkdirSync(machine.stateDir, { mode: 0o700 })
    writeFileSync(join(machine.stateDir, 'state.db'), 'this is no database, whatever its name says'.repeat(100))
    const page = await ui(machine)
    const consoleStream = await watchConsole(page)
    const { problems } = await consoleStream.until((view) => view.problems.length === 1)
    expect(problems[0]).toContain('state.db')
    await serve(machine, 'one')
    await consoleStream.until(({ servers }) => servers.length === 1)
    rmSync(join(machine.stateDir, 'state.db'))
    await insertPendingItems(machine, { project, user: CURRENT_USER })
    await consoleStream.until((view) => view.problems.length === 0 && view.questions.length === 1)
    consoleStream.leave()
  })

  test('where no socket can be created the server works, and reports it once', async () => {
    const machine = newMachine()
    mkdirSync(machine.stateDir, { mode: 0o700 })
    writeFileSync(machine.socketDirectory, 'in the way')
    const server = await serve(machine, 'one')
    await expect.poll(() => server.stderr(), { timeout: 5000 }).toContain('cannot see this server')
    expect((await call(server, 'Bash', { command: 'echo works' })).text).toContain('works')
    expect(server.stderr().match(/cannot see this server/g)).toHaveLength(1)
  })
})

describe('the path of a socket', () => {
  test('is private, and in a private directory if its path would be too long', async () => {
    const machine = newMachine()
    const deep = join(machine.home, 'a'.repeat(60), 'b'.repeat(60))
    const far = { ...machine, stateDir: deep, socketDirectory: join(deep, 'desks') }
    const before = new Set(readdirSync(tmpdir()))
    const server = await serve(machine, 'one', { STATE_DIR: deep })
    await socketsIn(far, 1)
    const [entry = ''] = readdirSync(far.socketDirectory)
    const { address } = JSON.parse(readFileSync(join(far.socketDirectory, entry), 'utf8'))
    const folder = join(address, '..')
    expect(before.has(folder)).toBe(false)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(far.socketDirectory).mode & 0o777).toBe(0o700)
    expect(statSync(address).mode & 0o777).toBe(0o600)
    expect(statSync(join(far.socketDirectory, entry)).mode & 0o777).toBe(0o600)
    const page = await ui(machine, { STATE_DIR: deep })
    const consoleStream = await watchConsole(page)
    await consoleStream.until(({ servers }) => servers.length === 1)
    await killServer(server)
    await consoleStream.until(({ servers }) => servers.every(({ isGone }) => isGone))
    await expect.poll(() => existsSync(folder), { timeout: 5000 }).toBe(false)
    consoleStream.leave()
  })
})

describe('scorpiox-code ui', () => {
  test('opens the browser without exposing the key, and leaves nothing', async () => {
    const machine = newMachine()
    const bin = mkdtempSync(join(tmpdir(), 'scorpiox-test-'))
    const opened = join(bin, 'opened')
    writeFileSync(
      join(bin, 'xdg-open'),
      `#!/bin/sh\nstat -c %a "$1" > ${opened}.mode\ncat "$1" > ${opened}\necho "$@" > ${opened}.args\n`,
      {
        mode: 0o755,
      },
    )
    mkdirSync(machine.stateDir, { mode: 0o700 })
    // Of a killed process.
    const old = join(machine.stateDir, 'ui-old.html')
    writeFileSync(old, '')
    utimesSync(old, 1, 1)
    const page = await startUi(machine, { OPEN: '1', PATH: `${bin}:${process.env.PATH}` })
    await expect.poll(() => existsSync(`${opened}.args`), { timeout: 5000 }).toBe(true)
    expect(readFileSync(`${opened}.mode`, 'utf8')).toBe('600\n')
    expect(readFileSync(opened, 'utf8')).toContain(`${page.url}#key=${page.token}`)
    expect(readFileSync(`${opened}.args`, 'utf8')).not.toContain(page.token)
    expect(readFileSync(`/proc/${page.child.pid}/cmdline`, 'utf8')).not.toContain(page.token)
    const consoleStream = await watchConsole(page)
    for (const path of ['/mcp', '/sse', '/messages', '/metrics']) {
      expect((await sendRequest(page, { method: 'POST', path, body: '{}' })).status).toBe(404)
    }
    expect(await page.stop()).toBe(0)
    await consoleStream.ended
    const left = existsSync(machine.stateDir) ? readdirSync(machine.stateDir) : []
    expect(left.filter((name) => name.startsWith('ui-'))).toEqual([])
  })
})

function outputOf(job: object): HttpRequest {
  return { path: '/board/output', body: JSON.stringify(job) }
}

/** A server socket that does not answer, with an entry of a live process. */
async function impersonate({ socketDirectory }: Machine, behave: (socket: Socket) => unknown): Promise<Server> {
  const id = '0123456789abcdef'
  const address = join(socketDirectory, `${id}.sock`)
  const server = createServer((socket) => {
    socket.on('error', () => {})
    behave(socket)
  })
  await new Promise<void>((resolve) => server.listen(address, resolve))
  const { currentProcessIdentity, pidNamespace } = await import('@scorpiox/server/process/process-identity')
  const { hostname } = await import('node:os')
  const entry = { id, owner: currentProcessIdentity(), host: hostname(), pidSpace: pidNamespace(), address }
  writeFileSync(join(socketDirectory, `${id}.json`), JSON.stringify(entry), { mode: 0o600 })
  return server
}

function floodOn(socket: Socket, chunk: string | Buffer = Buffer.alloc(256 * 1024, 'x')): void {
  const more = (): void => {
    if (socket.destroyed) return
    if (socket.write(chunk)) setImmediate(more)
    else socket.once('drain', more)
  }
  more()
}
