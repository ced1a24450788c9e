// The history of calls: what a server records of each call, and what a person sees of it on the console later, when the
// server is gone, with the history off, and as another user.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterEach, expect, test } from 'vitest'

import type { CallDetails, CallPage, CallQuery, SessionTimeline } from '@scorpiox/console/view'
import { call, emptyFolder, killServer, MODERN, startServer, type TestClient } from '../support/client.js'
import { type Machine, newMachine, newProject, sendCommand, startUi, watchConsole } from '../support/console-client.js'
import { eventually } from '../support/eventually.js'
import { type HttpServer, modernCall, sendRequest, startProgram, tokenFor } from '../support/http-client.js'

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

async function ui(machine: Machine, env?: NodeJS.ProcessEnv): Promise<HttpServer> {
  const server = await startUi(machine, env)
  leftovers.push(() => server.stop())
  return server
}

async function list(server: HttpServer, query: Partial<CallQuery> = {}): Promise<CallPage> {
  const response = await sendCommand(server, 'calls', query)
  expect(response.status).toBe(200)
  return response.json
}

/** Waits for calls that were not stored yet. */
async function listUntil(server: HttpServer, count: number, query: Partial<CallQuery> = {}): Promise<CallPage> {
  return eventually(
    () => list(server, query),
    ({ calls }) => calls.length === count,
  )
}

async function read(server: HttpServer, { project, id }: { project: string; id: string }): Promise<CallDetails> {
  const response = await sendCommand(server, 'call', { project, id })
  expect(response.status).toBe(200)
  return response.json
}

test('a call is kept with its arguments and its result as the model received it, and outlives its server', async () => {
  const machine = newMachine()
  const client = await serve(machine, 'one')
  const command = 'echo first; echo "zwei ÄÖ"'
  const { text } = await call(client, 'Bash', { command })
  const failed = await call(client, 'Bash', { command: 'echo went wrong >&2; exit 3' })
  const server = await ui(machine)
  const before = await listUntil(server, 2)
  await client.close()
  const { calls, isHistoryKept, next } = await list(server)
  expect({ calls, next, isHistoryKept }).toEqual({ calls: before.calls, next: null, isHistoryKept: true })
  const [newest, oldest] = calls
  expect(oldest).toMatchObject({
    tool: 'Bash',
    about: command,
    outcome: 'ok',
    error: null,
    client: 'test 0',
    project: join(machine.home, 'one'),
    session: expect.stringMatching(/./),
  })
  expect(newest).toMatchObject({ outcome: 'error', error: expect.stringMatching(/./) })
  if (!oldest || !newest) throw new Error('no calls')
  const details = await read(server, oldest)
  expect(JSON.parse(details.input)).toEqual({ command })
  expect(details).toMatchObject({ inputOmitted: 0, blocks: [{ type: 'text', text, omitted: 0 }], rerunProblem: 'gone' })
  expect((await read(server, newest)).blocks).toMatchObject([{ type: 'text', text: failed.text }])
})

/** Whether the files of the history contain the text; before, calls are listed from the memory of the server. */
function isStored({ stateDir }: Machine, text: string): boolean {
  const files = ['history.db', 'history.db-wal'].map((name) => join(stateDir, name)).filter((file) => existsSync(file))
  return files.some((file) => readFileSync(file).includes(text))
}

test('a killed server loses nothing that was stored, and its calls are listed by a new console', async () => {
  const machine = newMachine()
  const client = await serve(machine, 'one')
  for (let n = 0; n < 5; n++) await call(client, 'Bash', { command: `echo ${n}` })
  await listUntil(await ui(machine), 5)
  await eventually(() => isStored(machine, 'echo 4'))
  await killServer(client)
  const { calls } = await list(await ui(machine))
  expect(calls.map(({ about }) => about)).toEqual(['echo 4', 'echo 3', 'echo 2', 'echo 1', 'echo 0'])
})

test('with the history off nothing is written, and the calls of running servers are read from their memory', async () => {
  const machine = newMachine()
  const env = { CALL_HISTORY: 'off' }
  const client = await serve(machine, 'one', env)
  await call(client, 'Bash', { command: 'echo in memory' })
  const server = await ui(machine, env)
  const { calls, isHistoryKept } = await listUntil(server, 1)
  expect(isHistoryKept).toBe(false)
  const details = await read(server, calls[0] ?? { project: '', id: '' })
  expect(details).toMatchObject({ blocks: [{ type: 'text', text: expect.stringContaining('in memory') }] })
  expect((await list(server, { text: 'IN MEMORY' })).calls).toHaveLength(1)
  await client.close()
  expect(readdirSync(machine.stateDir).filter((name) => name.startsWith('history'))).toEqual([])
})

test('filters select by tool, session, outcome, project and text, and pages continue', async () => {
  const machine = newMachine()
  const [one, two] = await Promise.all([serve(machine, 'one'), serve(machine, 'two')])
  await call(one, 'Bash', { command: 'echo Straße 100%_x' })
  await call(one, 'ListBgTasks', {})
  await call(two, 'Bash', { command: 'exit 4' })
  const server = await ui(machine)
  const { calls } = await listUntil(server, 3)
  const tools = async (query: Partial<CallQuery>): Promise<string[]> =>
    (await list(server, query)).calls.map(({ tool, project }) => `${project.slice(-3)} ${tool}`)
  expect(await tools({ tool: 'ListBgTasks' })).toEqual(['one ListBgTasks'])
  expect(await tools({ outcome: 'error' })).toEqual(['two Bash'])
  expect(await tools({ project: join(machine.home, 'two') })).toEqual(['two Bash'])
  expect(await tools({ session: calls[0]?.session ?? '' })).toEqual(['two Bash'])
  expect(await tools({ text: 'STRASSE 100%_' })).toEqual(['one Bash'])
  expect(await tools({ text: '100_x' })).toEqual([])
  expect(await tools({ text: "'; DROP TABLE calls" })).toEqual([])
})

test('a running call is listed and can be read', async () => {
  const machine = newMachine()
  const client = await serve(machine, 'one')
  const running = call(client, 'Bash', { command: 'sleep 600', timeout: 600_000 })
  void running.catch(() => {})
  const server = await ui(machine)
  const { calls } = await listUntil(server, 1, { outcome: 'running' })
  const details = await read(server, calls[0] ?? { project: '', id: '' })
  expect(details).toMatchObject({ call: { outcome: 'running' }, blocks: [] })
  expect(JSON.parse(details.input)).toMatchObject({ timeout: 600_000 })
})

test('the client of a modern request is known by its _meta', async () => {
  const machine = newMachine()
  const client = startServer({ cwd: newProject(machine, 'one'), env: { HOME: machine.home } })
  leftovers.push(() => client.close())
  await client.request('tools/call', {
    name: 'ListBgTasks',
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'editor', version: '7.1' },
    },
  })
  const { calls } = await listUntil(await ui(machine), 1)
  expect(calls).toMatchObject([{ client: 'editor 7.1', tool: 'ListBgTasks' }])
})

test('a person runs a call again in its server, and sees the result; the model does not', async () => {
  const machine = newMachine()
  const client = await serve(machine, 'one')
  await call(client, 'Bash', { command: 'echo run >> ran.txt; wc -l < ran.txt' })
  const server = await ui(machine)
  const console = await watchConsole(server)
  leftovers.push(console.leave)
  await console.until(({ servers }) => servers.length === 1)
  const [original] = (await listUntil(server, 1)).calls
  if (!original) throw new Error('no call')
  expect(await read(server, original)).toMatchObject({ rerunProblem: null })
  const seen = client.received.length
  const response = await sendCommand(server, 'rerun', original)
  expect(response.status).toBe(200)
  const rerun: CallDetails = response.json
  expect(rerun.call.id).not.toBe(original.id)
  const ended = await eventually(
    () => read(server, rerun.call),
    ({ call: { outcome } }) => outcome !== 'running',
  )
  expect(ended).toMatchObject({
    call: { tool: 'Bash', outcome: 'ok', session: 'board', client: expect.stringMatching(/^console /) },
    blocks: [{ type: 'text', text: expect.stringContaining('2') }],
  })
  expect(client.received.length).toBe(seen)
  await listUntil(server, 2)
  await client.close()
  const refused = await sendCommand(server, 'rerun', original)
  expect(refused).toMatchObject({ status: 409, json: { error: 'The server has exited or does not answer.' } })
})

test('tools that act on the session of a model are not run again', async () => {
  const machine = newMachine()
  const client = await serve(machine, 'one')
  await call(client, 'SetCallback', { action: 'list' })
  const server = await ui(machine)
  const console = await watchConsole(server)
  leftovers.push(console.leave)
  await console.until(({ servers }) => servers.length === 1)
  const [original] = (await listUntil(server, 1)).calls
  if (!original) throw new Error('no call')
  expect(await read(server, original)).toMatchObject({ rerunProblem: 'tool' })
  const refused = await sendCommand(server, 'rerun', original)
  expect(refused).toMatchObject({ status: 409, json: { error: expect.stringMatching(/^SetCallback sends a message/) } })
})

test('tools of views inside the chat are not run again', async () => {
  const machine = newMachine()
  const client = await serve(machine, 'one')
  // Known to clients that show views only; what is called is recorded in any case.
  for (const name of ['AnswerInView', 'ChangeTaskInView'])
    await client.request('tools/call', { name, arguments: { id: 1 } })
  const server = await ui(machine)
  const console = await watchConsole(server)
  leftovers.push(console.leave)
  await console.until(({ servers }) => servers.length === 1)
  const { calls } = await listUntil(server, 2)
  for (const each of calls) {
    expect(await read(server, each)).toMatchObject({ rerunProblem: 'tool' })
    const refused = await sendCommand(server, 'rerun', each)
    expect(refused).toMatchObject({ status: 409, json: { error: expect.stringMatching(/belongs to a view/) } })
  }
})

test('a call that is refused because of its arguments keeps them as they were sent', async () => {
  const machine = newMachine()
  const client = await serve(machine, 'one')
  const refused = await call(client, 'Bash', { command: 7, timeout: ['x', { y: null }] })
  const server = await ui(machine)
  const { calls } = await listUntil(server, 1, { outcome: 'error' })
  const details = await read(server, calls[0] ?? { project: '', id: '' })
  expect(JSON.parse(details.input)).toEqual({ command: 7, timeout: ['x', { y: null }] })
  expect(details).toMatchObject({ inputOmitted: 0, blocks: [{ type: 'text', text: refused.text }] })
})

test('a rerun that a permission rule asks about waits for the person, who may refuse it', async () => {
  const machine = newMachine()
  const client = await serve(machine, 'one')
  const project = join(machine.home, 'one')
  await call(client, 'Bash', { command: 'echo asked > asked.txt' })
  const server = await ui(machine)
  const console = await watchConsole(server)
  leftovers.push(console.leave)
  await console.until(({ servers }) => servers.length === 1)
  const [original] = (await listUntil(server, 1)).calls
  const rules = { permissions: { ask: ['Bash(echo asked:*)'] } }
  writeFileSync(join(machine.stateDir, 'permissions.json'), JSON.stringify(rules), { mode: 0o600 })
  rmSync(join(project, 'asked.txt'))
  for (const { answer, outcome } of [
    { answer: 'Do not run it', outcome: 'error' },
    { answer: 'Run it once', outcome: 'ok' },
  ]) {
    const rerun: CallDetails = (await sendCommand(server, 'rerun', original ?? {})).json
    expect(rerun.call.outcome).toBe('running')
    const { questions } = await console.until((view) => view.questions.length === 1)
    expect(questions[0]?.questions[0]?.text).toContain('echo asked > asked.txt')
    expect(existsSync(join(project, 'asked.txt'))).toBe(false)
    const replies = [{ outcome: 'answered', selected: [answer] }]
    expect((await sendCommand(server, 'answer', { project, id: questions[0]?.id, replies })).status).toBe(204)
    await eventually(async () => (await read(server, rerun.call)).call.outcome === outcome)
    await console.until((view) => view.questions.length === 0)
  }
  expect(existsSync(join(project, 'asked.txt'))).toBe(true)
})

test('tokens are replaced in what is kept, and the settings add others', async () => {
  const machine = newMachine()
  const client = await serve(machine, 'one', { CALL_HISTORY_REDACT: 'customer_number, /ACME-\\d{8}/' })
  const token = `ghp_${'a1'.repeat(18)}`
  const command = `echo GITHUB_TOKEN=${token} customer_number=123456 ACME-12345678`
  expect((await call(client, 'Bash', { command })).text).toContain(token)
  const server = await ui(machine)
  const { calls } = await listUntil(server, 1)
  await eventually(() => isStored(machine, 'customer_number'))
  for (const hidden of [token, '123456', 'ACME-']) expect(isStored(machine, hidden)).toBe(false)
  const details = await read(server, calls[0] ?? { project: '', id: '' })
  expect(details.inputOmitted).toBeGreaterThan(0)
})

test('a rerun obeys the permissions and the plan mode of now', async () => {
  const machine = newMachine()
  const client = await serve(machine, 'one', { PLAN_APPROVAL: 'model' })
  const project = join(machine.home, 'one')
  await call(client, 'Bash', { command: 'echo denied > denied.txt' })
  await call(client, 'Bash', { command: 'echo planned > planned.txt' })
  const server = await ui(machine)
  const console = await watchConsole(server)
  leftovers.push(console.leave)
  await console.until(({ servers }) => servers.length === 1)
  const { calls } = await listUntil(server, 2)
  const rules = { permissions: { deny: ['Bash(echo denied:*)'] } }
  writeFileSync(join(machine.stateDir, 'permissions.json'), JSON.stringify(rules), { mode: 0o600 })
  rmSync(join(project, 'denied.txt'))
  rmSync(join(project, 'planned.txt'))
  const rerun = async (about: string): Promise<CallDetails> => {
    const response = await sendCommand(server, 'rerun', calls.find((each) => each.about === about) ?? {})
    expect(response.status).toBe(200)
    const started: CallDetails = response.json
    return eventually(
      () => read(server, started.call),
      ({ call: { outcome } }) => outcome !== 'running',
    )
  }
  expect(await rerun('echo denied > denied.txt')).toMatchObject({
    call: { outcome: 'error', error: expect.stringMatching(/den/i) },
  })
  await call(client, 'PlanMode', { action: 'enter', goal: 'Look first' })
  await rerun('echo planned > planned.txt')
  expect(['denied.txt', 'planned.txt'].filter((name) => existsSync(join(project, name)))).toEqual([])
})

test('a message in front of a result is kept with it', async () => {
  const machine = newMachine()
  const client = await serve(machine, 'one')
  await call(client, 'SetCallback', { message: 'look at the oven', delay_seconds: 1 })
  const { content } = await eventually(
    () => call(client, 'ListBgTasks', {}),
    ({ text }) => text.includes('look at the oven'),
  )
  const server = await ui(machine)
  const { calls } = await eventually(
    () => list(server, { text: 'oven' }),
    (page) => page.calls.length === 2,
  )
  const details = await read(server, calls[0] ?? { project: '', id: '' })
  expect(details.call.tool).toBe('ListBgTasks')
  expect(details.blocks).toMatchObject(content.map(({ text }: { text: string }) => ({ type: 'text', text })))
})

test('a rerun takes no message that waits for the model', async () => {
  const machine = newMachine()
  const client = await serve(machine, 'one')
  await call(client, 'ListBgTasks', {})
  await call(client, 'SetCallback', { message: 'look at the oven', delay_seconds: 1 })
  const server = await ui(machine)
  const console = await watchConsole(server)
  leftovers.push(console.leave)
  await console.until(({ messages }) => messages.length === 1)
  const { calls } = await listUntil(server, 1, { tool: 'ListBgTasks' })
  const rerun: CallDetails = (await sendCommand(server, 'rerun', calls[0] ?? {})).json
  expect(rerun.call.outcome).toBe('ok')
  expect(JSON.stringify(rerun.blocks)).not.toContain('oven')
  expect((await call(client, 'ListBgTasks', {})).content[0].text).toContain('look at the oven')
})

test('hostile calls are kept within bounds, and a burst of many leaves the server responsive', async () => {
  const machine = newMachine()
  const client = await serve(machine, 'one')
  await client.request('tools/call', { name: `No\u001b[31m${'x'.repeat(100_000)}`, arguments: { a: '\u0000\ud800' } })
  await call(client, 'Bash', { command: `: ${'y'.repeat(3_000_000)}` })
  await call(client, 'Bash', { command: 'head -c 300000 /dev/urandom' })
  const BURST = 100_000
  for (let id = 1; id <= BURST; id++) {
    client.send({ jsonrpc: '2.0', id: `b${id}`, method: 'tools/call', params: { name: 'ListBgTasks', arguments: {} } })
    // The server works on a limited number at once.
    if (id % 1000 === 0) await client.waitFor((message) => message.id === `b${id}`)
    if (id % 1000 === 0) client.clearReceived()
  }
  const server = await ui(machine)
  await eventually(
    () => list(server, { tool: 'ListBgTasks' }),
    ({ calls }) => calls.length === 100 && calls[0]?.id.endsWith('.00100003') === true,
  )
  const hostile = await list(server, { outcome: 'error' })
  for (const { tool, error } of hostile.calls) expect(`${tool}${error}`.length).toBeLessThan(400)
  await client.close()
  expect(statSync(join(machine.stateDir, 'history.db')).size).toBeLessThan(64 * 1024 * 1024)
})

test('a history that cannot be written is a warning, and calls work and are read from memory', async () => {
  const machine = newMachine()
  mkdirSync(join(machine.stateDir, 'history.db'), { recursive: true, mode: 0o700 })
  const client = await serve(machine, 'one')
  expect((await call(client, 'Bash', { command: 'echo works' })).text).toContain('works')
  await eventually(() => client.stderr().includes('the history of calls cannot be written: '))
  rmSync(join(machine.stateDir, 'history.db'), { recursive: true })
  const server = await ui(machine)
  const { calls } = await listUntil(server, 1)
  expect(await read(server, calls[0] ?? { project: '', id: '' })).toMatchObject({ blocks: [{ type: 'text' }] })
  expect(client.stderr().split('cannot be written').length).toBe(2)
})

test('over HTTP each user sees, reads and reruns own calls only', async () => {
  const env = { HOME: emptyFolder() }
  const http = await startProgram({ env, cwd: emptyFolder() })
  leftovers.push(() => http.stop())
  const [ann, bob] = [tokenFor('ann', env), tokenFor('bob', env)]
  const created = modernCall('TaskManager', { action: 'create', text: 'of ann' })
  expect((await sendRequest(http, { ...created, token: ann })).status).toBe(200)
  const listOf = async (token: string, query: object = {}): Promise<CallPage> =>
    (await sendCommand(http, 'calls', query, token)).json
  const { calls } = await eventually(
    () => listOf(ann),
    (page) => page.calls.length === 1,
  )
  expect((await listOf(bob)).calls).toEqual([])
  expect((await listOf(bob, { text: 'of ann' })).calls).toEqual([])
  for (const verb of ['call', 'rerun'])
    expect(await sendCommand(http, verb, calls[0] ?? {}, bob)).toMatchObject({
      status: 409,
      json: { error: 'This call is no longer kept.' },
    })
  const timeline = await sendCommand(http, 'timeline', { session: calls[0]?.session }, bob)
  expect(timeline).toMatchObject({ status: 409, json: { error: 'Nothing of this session is kept.' } })
  expect((await sendCommand(http, 'call', calls[0] ?? {}, ann)).status).toBe(200)
})

test.each([
  ['calls', { outcome: 'maybe' }],
  ['calls', { text: 'x'.repeat(2000) }],
  ['calls', { tool: 7 }],
  ['call', { id: 7 }],
  ['rerun', {}],
  ['timeline', { session: null }],
])('an invalid request %s is refused with a sentence (%#)', async (verb, body) => {
  const server = await ui(newMachine())
  expect(await sendCommand(server, verb, body)).toMatchObject({
    status: 400,
    json: { error: expect.stringMatching(/must/) },
  })
})

test('the timeline still shows what has ended: jobs of a server that exited, a decided approval, fired and cancelled callbacks', async () => {
  const machine = newMachine()
  const client = await serve(machine, 'one')
  await call(client, 'BackgroundBash', { command: 'echo GITHUB_TOKEN=abcdef123' })
  await call(client, 'BackgroundBash', { command: 'sleep 600' })
  await call(client, 'SetCallback', { message: 'never fires', delay_seconds: 3600, slot: 1 })
  await call(client, 'SetCallback', { action: 'cancel', slot: 1 })
  await call(client, 'PlanMode', { action: 'enter', goal: 'Look first' })
  await call(client, 'PlanMode', { action: 'exit', plan: 'Do it' })
  await call(client, 'SetCallback', { message: 'fires soon', delay_seconds: 1, repeat_count: 1 })
  await eventually(
    () => call(client, 'ListBgTasks', {}),
    ({ text }) => text.includes('fires soon'),
  )
  await client.close()
  const server = await ui(machine)
  const { calls } = await list(server)
  const { json }: { json: SessionTimeline } = await sendCommand(server, 'timeline', { session: calls[0]?.session })
  const ended = json.entries.filter(({ kind }) => kind !== 'call' && kind !== 'message')
  expect(ended.map(({ kind, label, outcome }) => [kind, label, outcome])).toEqual([
    ['job', 'echo GITHUB_TOKEN=[secret]', 'ok'],
    ['job', 'sleep 600', 'error'],
    ['callback', 'never fires', null],
    ['approval', 'exit', null],
    ['callback', 'fires soon', null],
  ])
  for (const { from, to } of ended) expect(to).toBeGreaterThanOrEqual(from)
  expect(new Set(json.entries.map(({ kind, id }) => `${kind} ${id}`)).size).toBe(json.entries.length)
})
