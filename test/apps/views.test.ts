// Views of MCP Apps through the program: what clients with and without the extension see over stdio and HTTP at each
// revision, and the data that views read and change. judges/apps.mjs shows the views themselves in a browser.

import { gzipSync } from 'node:zlib'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import {
  call,
  HAS_PROC,
  type Json,
  LEGACY,
  MODERN,
  modernMeta,
  outputOf,
  readJob,
  startJob,
  startServer,
  type TestClient,
} from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { type HttpServer, sendRequest, startProgram } from '../support/http-client.js'
import { canRun, type Requirement, requires } from '../support/requirements.js'
import { onClose } from '../support/on-close.js'

const TERMINALS: Requirement = {
  isMet: HAS_PROC && canRun('script'),
  reason: 'script of util-linux is not installed, or there is no /proc',
}

const MIME_TYPE = 'text/html;profile=mcp-app'
const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [MIME_TYPE] } } }
const OTHER = { sampling: {}, elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }
const LISTS = ['tools/list', 'resources/list', 'resources/templates/list'] as const
const VIEWS: Readonly<Record<string, string>> = {
  ReadImage: 'image',
  TaskManager: 'tasks',
  PlanMode: 'plan',
  AskUserQuestion: 'question',
  BackgroundBash: 'job',
  ReadBgOutput: 'job',
}

/** Sends a request with the capabilities of a client. */
type Ask = (method: string, params?: object) => Promise<Json>

async function overStdio(revision: string, capabilities: object): Promise<Ask> {
  const client = startServer()
  onClose(() => client.close())
  if (revision === MODERN)
    return async (method, params = {}) => (await client.request(method, toModern(params, capabilities))).result
  await client.initialize(revision, capabilities)
  return async (method, params = {}) => (await client.request(method, params)).result
}

function toModern(params: object, capabilities: object): object {
  return { ...params, ...modernMeta({ 'io.modelcontextprotocol/clientCapabilities': capabilities }) }
}

async function overHttp(server: HttpServer, revision: string, capabilities: object): Promise<Ask> {
  const post = (method: string, params: object, headers: Readonly<Record<string, string>>) =>
    sendRequest(server, { headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })
  if (revision === MODERN)
    return async (method, params = {}) => {
      const name: Json = params
      const headers = {
        'mcp-protocol-version': MODERN,
        'mcp-method': method,
        ...(name.uri && { 'mcp-name': name.uri }),
      }
      return (await post(method, toModern(params, capabilities), headers)).json.result
    }
  const clientInfo = { name: 'test', version: '0' }
  const opened = await post('initialize', { protocolVersion: revision, capabilities, clientInfo }, {})
  const session = String(opened.headers['mcp-session-id'])
  return async (method, params = {}) =>
    (await post(method, params, { 'mcp-session-id': session, 'mcp-protocol-version': revision })).json.result
}

/** What is left of a list for a client without the extension. */
function withoutViews(list: Json): Json {
  const drop = ({ _meta: meta, ...rest }: Json): Json => ({
    ...rest,
    ...(meta?.ui === undefined && meta && { _meta: meta }),
  })
  const isForOthers = ({ uri, uriTemplate, _meta: meta }: Json): boolean =>
    !(uri ?? uriTemplate ?? '').startsWith('ui://') && !meta?.ui?.visibility
  return Object.fromEntries(
    Object.entries(list).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.filter(isForOthers).map(drop) : value,
    ]),
  )
}

async function checkLists(apps: Ask, other: Ask): Promise<void> {
  for (const method of LISTS) {
    const [shown, hidden] = [await apps(method), await other(method)]
    expect(JSON.stringify(hidden)).toBe(JSON.stringify(withoutViews(shown)))
    expect(JSON.stringify(hidden)).not.toMatch(/ui:\/\/|"ui":/)
  }
  const { tools } = await apps('tools/list')
  const views = tools.flatMap(({ name, _meta: meta }: Json) =>
    meta?.ui?.resourceUri ? [[name, meta.ui.resourceUri]] : [],
  )
  expect(Object.fromEntries(views)).toEqual(
    Object.fromEntries(Object.entries(VIEWS).map(([tool, view]) => [tool, `ui://scorpiox-code/${view}`])),
  )
  expect((await other('tools/list')).tools).toHaveLength(13)
  const { contents } = await apps('resources/read', { uri: 'ui://scorpiox-code/question' })
  expect(contents).toMatchObject([{ mimeType: MIME_TYPE, _meta: { ui: { prefersBorder: true } } }])
  expect(contents[0].text).toMatch(/^<!doctype html>/)
  expect(await other('resources/read', { uri: 'ui://scorpiox-code/question' })).toBeUndefined()
}

describe.concurrent('over stdio', () => {
  test.each([...LEGACY, MODERN])('views are for clients that declare them, at %s', async (revision) => {
    await checkLists(await overStdio(revision, APPS), await overStdio(revision, OTHER))
  })
})

test.concurrent('over HTTP views are for sessions and requests that declare them', async () => {
  const server = await startProgram()
  onClose(() => server.stop())
  for (const revision of [...LEGACY.slice(1), MODERN])
    await checkLists(await overHttp(server, revision, APPS), await overHttp(server, revision, OTHER))
})

test.concurrent('the extension is announced to clients that declare it', async () => {
  for (const [capabilities, expected] of [
    [APPS, { 'io.modelcontextprotocol/ui': {} }],
    [OTHER, undefined],
  ] as const) {
    const client = startServer()
    onClose(() => client.close())
    const { result } = await client.initialize('2025-11-25', capabilities)
    expect(result.capabilities.extensions?.['io.modelcontextprotocol/ui']).toEqual(
      expected?.['io.modelcontextprotocol/ui'],
    )
  }
})

test.concurrent('a disabled tool has no view, no data and no tool for its view', async () => {
  const client = startServer({ env: { TOOL_ASKUSERQUESTION: '0', TOOL_TASKMANAGER: '0' } })
  onClose(() => client.close())
  await client.initialize('2025-11-25', APPS)
  const { tools } = (await client.request('tools/list')).result
  const { resources } = (await client.request('resources/list')).result
  expect(tools.filter(({ _meta: meta }: Json) => meta?.ui?.visibility)).toEqual([])
  expect(resources.map(({ uri }: Json) => uri)).not.toContain('ui://scorpiox-code/question')
})

async function startWithViews(env: NodeJS.ProcessEnv = {}): Promise<TestClient> {
  const client = startServer({ env })
  onClose(() => client.close())
  await client.initialize('2025-11-25', APPS)
  return client
}

async function readData(client: TestClient, path: string): Promise<Json> {
  const { result } = await client.request('resources/read', { uri: `ui://scorpiox-code/data/${path}` })
  return result && JSON.parse(result.contents[0].text)
}

test.concurrent('a view reads the output of a job, and the model still reads all of it', async () => {
  const client = await startWithViews()
  const id = await startJob(client, 'printf "one\\ntwo\\nthr"; sleep 60')
  const first = await eventually(
    () => readData(client, `jobs/${id}`),
    ({ open }) => open === 'thr',
  )
  expect(first).toMatchObject({ id, text: 'one\ntwo\n', next: 8, missing: 0, ending: null, isScreen: false })
  expect(await readData(client, `jobs/${id}?from=4`)).toMatchObject({ text: 'two\n', open: 'thr', next: 8 })
  expect(outputOf(await readJob(client, id))).toBe('one\ntwo\nthr\n')
  expect(await readData(client, 'jobs/99')).toBeUndefined()
  expect(await readData(client, `jobs/${id}?from=x`)).toBeUndefined()
})

test.concurrent('colours stay, and other control sequences do not', async () => {
  const client = await startWithViews()
  const id = await startJob(client, "printf '\\033[31mred\\033[0m\\033[2K\\033]0;title\\007\\n10%%\\r20%%'; sleep 60")
  const { text } = await eventually(
    () => readData(client, `jobs/${id}`),
    ({ open }) => open === '20%',
  )
  // The line was erased after it was printed.
  expect(text).toBe('\n')
  const coloured = await startJob(client, "printf '\\033[31mred\\033[0m\\033]0;title\\007 plain\\n'")
  const shown = await eventually(
    () => readData(client, `jobs/${coloured}`),
    ({ ending }) => ending === 'exit',
  )
  expect(shown.text.replaceAll('\u001B', 'ESC')).toMatch(/^ESC\[[\d;]+mredESC\[0?m plain\n$/)
})

test.concurrent('a view of a terminal reads its screen', requires(TERMINALS), async () => {
  const client = await startWithViews()
  const command = "printf 'first\\033[2J\\033[3;5Hsecond'; sleep 60"
  const { structured } = await call(client, 'BackgroundBash', { command, tty: true, cols: 40, rows: 10 })
  const shown = await eventually(
    () => readData(client, `jobs/${structured.task_id}`),
    ({ text }) => text.includes('second'),
  )
  expect(shown).toMatchObject({ isScreen: true, open: '', ending: null })
  expect(shown.text.split('\n')[2]).toBe('    second')
  expect(shown.text).not.toContain('\u001B')
})

test.concurrent(
  'a view of a terminal reads its colours, row by row, and nothing else',
  requires(TERMINALS),
  async () => {
    const client = await startWithViews()
    const command =
      "printf '\\033]0;title\\007\\033[1;31mred 한\\033[0m  plain \\033[48;5;200m  \\r\\n\\033[38;2;1;2;3mrest\\033[0m end'; sleep 60"
    const { structured } = await call(client, 'BackgroundBash', { command, tty: true, cols: 40, rows: 10 })
    const { text } = await eventually(
      () => readData(client, `jobs/${structured.task_id}`),
      (shown) => shown.text.includes('end'),
    )
    const [first, second] = text.replaceAll('\u001B', 'ESC').split('\n')
    expect(first).toBe('ESC[1;31mred 한ESC[m  plain ESC[48;5;200m  ESC[m')
    expect(second).toBe('ESC[38;2;1;2;3;48;5;200mrestESC[m end')
  },
)

test.concurrent('a view of long output begins at a line near its end', async () => {
  const client = await startWithViews()
  const id = await startJob(client, 'seq 100000')
  const { text, missing, next } = await eventually(
    () => readData(client, `jobs/${id}`),
    ({ ending }) => ending === 'exit',
  )
  expect(text).toMatch(/^\d+\n[^]*\n100000\n$/)
  expect(text.length).toBeLessThanOrEqual(65_536)
  expect(missing).toBeGreaterThan(500_000)
  expect(next).toBe(588_895)
})

const QUESTIONS = JSON.stringify({ questions: [{ text: 'Which?', options: ['A', 'B'] }] })

test.concurrent('at 2026-07-28 each request says that it is from a client with views', async () => {
  const client = startServer()
  onClose(() => client.close())
  const send = (method: string, params: object, id: string): Promise<Json> =>
    client.request(method, toModern(params, APPS), id)
  const asked = send('tools/call', { name: 'AskUserQuestion', arguments: { questions_json: QUESTIONS } }, 'asked')
  const uri = 'ui://scorpiox-code/data/questions'
  let reads = 0
  const { questions } = await eventually(
    async () => JSON.parse((await send('resources/read', { uri }, `read ${++reads}`)).result.contents[0].text),
    ({ questions: open }) => open.length > 0,
  )
  const input = { id: questions[0].id, replies: [['A']] }
  await send('tools/call', { name: 'AnswerInView', arguments: input }, 'answer')
  expect((await asked).result).toMatchObject({
    resultType: 'complete',
    _meta: { 'io.github.scorpiox/result': { surface: 'view' } },
  })
})

test.concurrent('an answer in the view is recorded as such, and the waiting call returns it', async () => {
  const client = await startWithViews()
  const asked = call(client, 'AskUserQuestion', { questions_json: QUESTIONS })
  const { questions } = await eventually(
    () => readData(client, 'questions'),
    ({ questions: open }) => open.length > 0,
  )
  const [{ id, waiting }] = questions
  expect(waiting).toBe(true)
  const refused = await call(client, 'AnswerInView', { id, replies: [['A', 'B']] })
  expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('takes one choice')])
  expect((await call(client, 'AnswerInView', { id, replies: [['B']] })).structured).toEqual({ id, waiting: true })
  const { content, structured } = await asked
  expect(structured).toMatchObject({ rung: 'board', surface: 'view', id, answers: [{ selected: ['B'] }] })
  expect(content[1].text).toBe(`Answered in the form in the chat (question ${id}).\n`)
  expect(await readData(client, 'questions')).toEqual({ questions: [] })
  const again = await call(client, 'AnswerInView', { id, replies: [['A']] })
  expect(again.text).toMatch(/was already answered[^]*Nothing was changed/)
})

test.concurrent('a view that appears after the call has returned answers it', async () => {
  const client = await startWithViews()
  const first = await call(client, 'AskUserQuestion', { questions_json: QUESTIONS })
  expect(first.text).toContain('Neither the console page nor the terminal inbox is open.')
  const { id } = first.structured
  // The model gets the answer with its next result.
  expect((await call(client, 'AnswerInView', { id, replies: [['A']] })).text).toBe(`Question ${id} is answered.\n`)
  const next = await client.request('tools/call', { name: 'TaskManager', arguments: { action: 'list' } })
  expect(next.result.content[0].text).toMatch(/"selected":"A"/)
})

test.concurrent('the board has the tasks, and a view completes steps', async () => {
  const client = await startWithViews()
  await call(client, 'TaskManager', { action: 'create', text: 'Ship', steps: ['Tag', 'Push'] })
  const { open } = await readData(client, 'tasks')
  expect(open).toMatchObject([
    { id: 1, name: 'Ship', isCurrent: true, stepsTotal: 2, steps: [{ text: 'Tag' }, { text: 'Push' }] },
  ])
  await call(client, 'ChangeTaskInView', { action: 'complete', task_id: 1, step_id: open[0].steps[0].id })
  expect((await readData(client, 'tasks?query=ship')).open).toMatchObject([{ stepsDone: 1, steps: [{ text: 'Push' }] }])
  await call(client, 'ChangeTaskInView', { action: 'complete', task_id: 1 })
  expect(await readData(client, 'tasks')).toMatchObject({ open: [], done: [{ id: 1 }], openTasks: 0 })
  expect((await call(client, 'ChangeTaskInView', { action: 'complete', task_id: 7 })).isError).toBe(true)
  await call(client, 'ChangeTaskInView', { action: 'reopen', task_id: 1 })
  await call(client, 'ChangeTaskInView', { action: 'create', name: 'Celebrate' })
  expect(await readData(client, 'tasks')).toMatchObject({ open: [{ name: 'Ship' }, { name: 'Celebrate' }], done: [] })
  expect((await call(client, 'ChangeTaskInView', { action: 'create' })).isError).toBe(true)
  expect((await call(client, 'ChangeTaskInView', { action: 'reopen' })).text).toContain('task_id')
})

test.concurrent('the plan has its changes and its state', async () => {
  const client = await startWithViews({ PLAN_APPROVAL: 'person', ASK_WAIT: '1' })
  expect(await readData(client, 'plan')).toEqual({ state: 'none', goal: '', text: null, changes: [] })
  await call(client, 'PlanMode', { action: 'enter', goal: 'Ship it', plan: 'one\ntwo\n' })
  expect(await readData(client, 'plan')).toMatchObject({
    state: 'writing',
    goal: 'Ship it',
    text: 'one\ntwo\n',
    changes: [],
  })
  await call(client, 'PlanMode', { action: 'exit', plan: 'one\nthree\n' })
  expect(await readData(client, 'plan')).toMatchObject({
    state: 'waiting',
    text: 'one\nthree\n',
    changes: [
      { mark: ' ', text: 'one' },
      { mark: '-', text: 'two' },
      { mark: '+', text: 'three' },
    ],
  })
})

test('each view is at most 60 KB and names no other origin', ({ task }) => {
  const sizes = [...new Set(Object.values(VIEWS))].map((name) => {
    const html = readFileSync(join(import.meta.dirname, `../../dist/apps/${name}.html`), 'utf8')
    expect(html.replaceAll('http://www.w3.org/', '')).not.toMatch(/https?:\/\//)
    expect(html).not.toMatch(/<(link|iframe)|\ssrc=|@import|url\((?!['"]?data:)/)
    return [name, gzipSync(html).length] as const
  })
  task.meta.says = [
    `views of MCP Apps, gzipped: ${sizes.map(([name, bytes]) => `${name} ${bytes}`).join(', ')}, at most 60,000`,
  ]
  for (const [name, bytes] of sizes) expect(bytes, name).toBeLessThanOrEqual(60_000)
})
