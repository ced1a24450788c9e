// Tasks over the HTTP actions of the console: what a person can do, what invalid fields are answered with, what other users
// cannot reach, and what is bounded.

import { afterAll, beforeAll, expect, test } from 'vitest'

import { startServer, task, type TestClient } from '../support/client.js'
import {
  CURRENT_USER,
  type Machine,
  newMachine,
  newProject,
  sendCommand,
  watchConsole,
  withStore,
} from '../support/console-client.js'
import { type HttpServer, startProgram, tokenFor } from '../support/http-client.js'

const machine: Machine = newMachine()
const env = { HOME: machine.home, SANDBOX: 'off' }
let http: HttpServer
let stdio: TestClient
let project = ''

beforeAll(async () => {
  http = await startProgram({ cwd: newProject(machine, 'http'), env })
  project = newProject(machine, 'project')
  stdio = startServer({ cwd: project, env })
  await stdio.initialize('2025-11-25')
})

afterAll(async () => {
  await Promise.all([http.stop(), stdio.close()])
})

const change = (fields: object, token = http.token) =>
  sendCommand(http, 'change-task', { project, change: fields }, token)
const list = async (fields: object = {}) => (await sendCommand(http, 'tasks', { project, ...fields })).json

test('a person changes what a model has created, and each watching page is told', async () => {
  await task(stdio, 'create', { text: 'Ship it', steps: ['tag', 'publish'] })
  const page = await watchConsole(http)
  const { projects } = await page.until((view) => view.projects.length === 1)
  const revision = projects[0]?.taskRevision ?? 0
  for (const each of [
    { kind: 'rename', id: 1, name: 'Ship 1.1', before: 'Ship it' },
    { kind: 'complete-step', id: 1, step: 1 },
    { kind: 'add-steps', id: 1, steps: ['announce'] },
    { kind: 'create', name: 'Rest', steps: ['sleep'] },
    { kind: 'move', id: 1, to: 2 },
  ])
    expect((await change(each)).status).toBe(204)
  await page.until((view) => (view.projects[0]?.taskRevision ?? 0) >= revision + 5)
  page.leave()
  expect((await task(stdio, 'list')).text).toBe(
    '2 tasks, 2 open.\n* 1  Ship 1.1  (current, 1 of 3 steps done)\n  2  Rest  (0 of 1 step done)\n',
  )
  expect(await list({ text: 'announce', state: 'open' })).toMatchObject({
    tasks: [{ id: 1, name: 'Ship 1.1', isCurrent: true, completedAt: null, stepsDone: 1, stepsTotal: 3 }],
    found: 1,
    next: null,
  })
  expect((await sendCommand(http, 'task', { project, id: 2 })).json).toMatchObject({
    name: 'Rest',
    steps: [{ text: 'sleep' }],
  })
  const conflict = await change({ kind: 'rename', id: 1, name: 'x', before: 'Ship it' })
  expect(conflict.status).toBe(409)
  expect(conflict.json.error).toContain('The text of task 1 was changed to "Ship 1.1" meanwhile.')
})

test.each([
  {},
  { kind: 'explode', id: 1 },
  { kind: '__proto__', id: 1 },
  { kind: 'complete' },
  { kind: 'complete', id: '1' },
  { kind: 'complete', id: 1.5 },
  { kind: 'complete', id: 1e300 },
  { kind: 'create', name: 7 },
  { kind: 'create', name: 'x', steps: 'one' },
  { kind: 'create', name: 'x', steps: [1] },
  { kind: 'create', name: 'x', steps: Array.from({ length: 101 }, () => 'x') },
  { kind: 'rename', id: 1, name: 'x' },
  { kind: 'delete', id: 1 },
  { kind: 'delete', id: 1, seen: { name: 'Ship 1.1' } },
  { kind: 'move', id: 1, to: null },
  { kind: 'rename-step', id: 1, step: 1, text: 'x' },
  { kind: 'delete-step', id: 1, step: 1, seen: [] },
  { kind: 'complete-step', id: 1, step: {} },
])('an invalid change is refused with what is expected: %j', async (fields) => {
  const before = await list()
  const answer = await change(fields)
  expect(answer.status).toBe(400)
  expect(answer.json.error).toMatch(/ must be | none of /)
  expect(await list()).toEqual(before)
})

test('a change with a text that is too long is refused', async () => {
  const before = await list()
  const answer = await change({ kind: 'create', name: 'x'.repeat(20_001) })
  expect(answer.status).toBe(400)
  expect(answer.json.error).toContain('a text of more than 20,000 characters. Shorten it; nothing was changed.')
  expect(await list()).toEqual(before)
})

test('an invalid query is refused', async () => {
  for (const fields of [{ state: 'x' }, { text: 1 }, { after: '1' }, { after: 1.5 }, { project: 1 }])
    expect((await sendCommand(http, 'tasks', { project, ...fields })).status).toBe(400)
  const long = await sendCommand(http, 'tasks', { project, text: 'word '.repeat(40) })
  expect([long.status, long.json.error]).toEqual([409, expect.stringContaining('at most 32 are allowed')])
})

test('numbers that no task has, texts that are too long, and projects that do not exist are refused', async () => {
  for (const id of [0, -1, 99, Number.MAX_SAFE_INTEGER]) {
    const answer = await change({ kind: 'complete', id })
    expect([answer.status, answer.json.error]).toEqual([
      409,
      `There is no task ${id}: it was deleted. Nothing was changed.`,
    ])
  }
  expect((await change({ kind: 'create', name: 'x'.repeat(501) })).json.error).toContain('at most 500')
  expect((await change({ kind: 'complete-step', id: 2, step: 1 })).json.error).toContain('Task 2 "Rest" has no step 1')
  const elsewhere = { project: '/nowhere', change: { kind: 'create', name: 'x', steps: [] } }
  const answer = await sendCommand(http, 'change-task', elsewhere)
  expect([answer.status, answer.json.error]).toEqual([
    409,
    expect.stringContaining('No server is running in this project'),
  ])
  expect((await sendCommand(http, 'tasks', { project: '/nowhere' })).json).toMatchObject({ tasks: [], found: 0 })
})

test("another user reaches none of this user's tasks, and changes nothing", async () => {
  const before = await list()
  const bob = tokenFor('bob', env)
  expect((await sendCommand(http, 'tasks', { project }, bob)).json).toMatchObject({ tasks: [], found: 0 })
  expect((await sendCommand(http, 'task', { project, id: 1 }, bob)).status).toBe(409)
  for (const each of [
    { kind: 'complete', id: 1 },
    { kind: 'rename', id: 1, name: 'mine', before: 'Ship 1.1' },
    { kind: 'move', id: 1, to: 2 },
    { kind: 'create', name: 'mine' },
  ]) {
    const answer = await change(each, bob)
    expect(answer.status).toBe(409)
    expect(answer.text).not.toContain('Ship')
  }
  expect(await list()).toEqual(before)
})

test('pages have 100 tasks, and the next ones follow', async () => {
  const large = newProject(machine, 'large')
  await withStore(machine, { project: large, user: CURRENT_USER }, async ({ tasks }) => {
    for (let id = 1; id <= 250; id++) await tasks.insert(`chore ${id}`, 1)
  })
  const ids: number[] = []
  for (let after: number | null = null; ;) {
    const page: { tasks: { id: number }[]; next: number | null } = (
      await sendCommand(http, 'tasks', { project: large, state: 'open', after })
    ).json
    expect(page.tasks.length).toBeLessThanOrEqual(100)
    ids.push(...page.tasks.map(({ id }) => id))
    after = page.next
    if (after === null) break
  }
  expect(ids).toEqual(Array.from({ length: 250 }, (_, index) => 250 - index))
})
