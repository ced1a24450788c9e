// HTTP users with jobs of the same ids: none can read, list, kill, subscribe to or count another user's jobs.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { emptyFolder, type Json, type ToolResult, toolResultOf } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import {
  callOf,
  type HttpServer,
  initialize,
  logComplaints,
  modern,
  modernCall,
  rpc,
  sendRequest,
  startProgram,
  stream,
  tokenFor,
} from '../support/http-client.js'

const LIST = 'scorpiox://jobs'
let server: HttpServer
let alice: string
let bob: string

beforeAll(async () => {
  const env = { STATE_DIR: emptyFolder(), MAX_JOBS: '3' }
  server = await startProgram({ env })
  alice = tokenFor('alice', env)
  bob = tokenFor('bob', env)
})

afterAll(async () => {
  expect(await server.stop()).toBe(0)
  expect(logComplaints(server)).toEqual([])
})

async function as(token: string, name: string, args: object = {}): Promise<ToolResult> {
  return toolResultOf((await sendRequest(server, { ...modernCall(name, args), token })).json)
}

async function startAs(token: string, command: string): Promise<number> {
  return (await as(token, 'BackgroundBash', { command })).structured.task_id
}

async function resourceAs(token: string, uri: string): Promise<Json> {
  return (await sendRequest(server, { ...modern('resources/read', { uri }), token })).json
}

test('the same ids are different jobs', async () => {
  const ids = [await startAs(alice, 'echo of alice; sleep 60'), await startAs(bob, 'echo of bob; sleep 60')]
  expect(ids).toEqual([1, 1])
  expect((await as(alice, 'ReadBgOutput', { task_id: 1, wait_for_pattern: 'of' })).text).toMatch(/^of alice\n/)
  expect((await as(bob, 'ReadBgOutput', { task_id: 1, wait_for_pattern: 'of' })).text).toMatch(/^of bob\n/)
  expect((await as(alice, 'ListBgTasks')).text).toMatch(/^1 {2}running {2}[\d.]+ s {2}echo of alice; sleep 60\n$/)
  expect((await resourceAs(bob, LIST)).result.contents[0].text).toMatch(/echo of bob; sleep 60$/)
  expect((await resourceAs(alice, `${LIST}/1`)).result.contents[0].text).toMatch(/^of alice\n/)
  // Ending one does not end the other.
  await as(bob, 'KillBgTask', { task_id: 1 })
  expect((await as(alice, 'ListBgTasks')).structured.tasks).toMatchObject([{ task_id: 1, status: 'running' }])
  await as(alice, 'KillBgTask', { task_id: 1 })
})

test('a job of another user does not exist', async () => {
  const id = await startAs(alice, 'echo secret; sleep 60')
  expect(id).toBe(2)
  for (const [name, args] of [
    ['ReadBgOutput', { task_id: id }],
    ['ReadBgOutput', { task_id: id, tail: 5 }],
    ['KillBgTask', { task_id: id }],
  ] as const) {
    const { text, isError } = await as(bob, name, args)
    expect(text).toBe(`There is no job ${id}. Existing jobs: 1.\n`)
    expect(isError).toBe(true)
  }
  expect((await resourceAs(bob, `${LIST}/${id}`)).error.code).toBe(-32_602)
  expect(JSON.stringify(await resourceAs(bob, LIST))).not.toContain('secret')
  expect((await as(bob, 'ListBgTasks')).text).not.toContain('secret')
  expect((await as(alice, 'ListBgTasks')).structured.tasks.at(-1)).toMatchObject({ task_id: id, status: 'running' })
  await as(alice, 'KillBgTask', { task_id: id })
})

test('the long output of a command belongs to its user', async () => {
  const { uri } = (await as(alice, 'Bash', { command: 'seq 1 100000' })).structured
  expect((await resourceAs(alice, uri)).result.contents[0].text).toMatch(/^1\n2\n/)
  expect((await resourceAs(bob, uri)).error.code).toBe(-32_602)
})

test('running jobs are counted per user', async () => {
  for (let count = 0; count < 3; count++) await startAs(alice, 'sleep 60')
  expect((await as(alice, 'BackgroundBash', { command: 'sleep 60' })).text).toMatch(/^3 jobs are running/)
  expect((await as(bob, 'BackgroundBash', { command: 'true' })).isError).toBe(false)
  const { structured } = await as(alice, 'ListBgTasks')
  const running = structured.tasks.filter(({ status }: Json) => status === 'running')
  expect(running, JSON.stringify(structured.tasks)).toHaveLength(3)
  await Promise.all(running.map(({ task_id: id }: Json) => as(alice, 'KillBgTask', { task_id: id })))
})

describe('notifications about a job', () => {
  test('reach its owner only, on any kind of stream', async () => {
    const session = await initialize(server, '2025-11-25', { token: bob })
    const headers = { 'mcp-session-id': session }
    const next = (await as(alice, 'ListBgTasks')).structured.tasks.at(-1).task_id + 1
    const uris = [LIST, `${LIST}/${next}`]
    for (const uri of uris) {
      const { json } = await sendRequest(server, { body: rpc('resources/subscribe', { uri }), headers, token: bob })
      // The existence of a job is not disclosed.
      expect(json.result).toEqual({})
    }
    const wanted = modern('subscriptions/listen', { notifications: { resourceSubscriptions: uris } }, 'ear')
    const bobStreams = [
      await stream(server, { ...wanted, token: bob }),
      await stream(server, { method: 'GET', headers, token: bob }),
    ]
    const aliceStream = await stream(server, { ...wanted, token: alice })
    await aliceStream.message()
    expect(await startAs(alice, 'echo hers')).toBe(next)
    const received = new Set([(await aliceStream.message()).params.uri, (await aliceStream.message()).params.uri])
    expect([...received].filter((uri) => !uris.includes(uri))).toEqual([])
    await as(alice, 'ReadBgOutput', { task_id: next, wait_for_end: true })
    // The start and the end of a job of his own come after whatever was sent before.
    expect(await startAs(bob, 'true')).not.toBe(next)
    for (const { events } of bobStreams) {
      const updates = (): readonly unknown[] =>
        events.flatMap(({ json }) => (json?.method === 'notifications/resources/updated' ? [json.params.uri] : []))
      await eventually(updates, ({ length }) => length >= 2)
      expect(updates()).toEqual([LIST, LIST])
    }
    for (const events of [...bobStreams, aliceStream]) events.disconnect()
  })
})

test('sessions of one user share jobs, and each has its own read position', async () => {
  const sessions = [
    await initialize(server, '2025-11-25', { token: bob }),
    await initialize(server, '2025-11-25', { token: bob }),
  ]
  const within = async (session: string | undefined, name: string, args: object): Promise<ToolResult> =>
    toolResultOf(
      (
        await sendRequest(server, {
          body: callOf(name, args),
          headers: { 'mcp-session-id': session ?? '' },
          token: bob,
        })
      ).json,
    )
  const id = (await within(sessions[0], 'BackgroundBash', { command: 'echo one; sleep 60' })).structured.task_id
  for (const session of sessions) {
    const { text } = await within(session, 'ReadBgOutput', { task_id: id, wait_for_pattern: 'one' })
    expect(text).toMatch(/^one\n/)
    expect((await within(session, 'ReadBgOutput', { task_id: id })).text).toMatch(/^\[No new output\./)
  }
  expect((await within(sessions[1], 'KillBgTask', { task_id: id })).text).toContain('Killed job')
  expect((await within(sessions[0], 'ReadBgOutput', { task_id: id })).text).toContain('killed')
})
