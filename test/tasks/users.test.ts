// Tasks over HTTP belong to a user: no other user sees, changes, counts or is notified of them, and numbers begin at 1
// for each.

import { afterAll, beforeAll, expect, test } from 'vitest'

import { emptyFolder, type Json, type ToolResult, toolResultOf } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import {
  type EventStream,
  type HttpServer,
  logComplaints,
  modern,
  modernCall,
  sendRequest,
  startProgram,
  stream,
  tokenFor,
} from '../support/http-client.js'

const URI = 'scorpiox://tasks'
const cwd = emptyFolder()
const env = { STATE_DIR: emptyFolder() }
let server: HttpServer
let alice: string
let bob: string

beforeAll(async () => {
  server = await startProgram({ env, cwd })
  alice = tokenFor('alice', env)
  bob = tokenFor('bob', env)
})

afterAll(async () => {
  expect(await server.stop()).toBe(0)
  expect(logComplaints(server)).toEqual([])
})

async function as(token: string, action: string, more: object = {}, at = server): Promise<ToolResult> {
  const args = { action, query: '', ...more }
  return toolResultOf((await sendRequest(at, { ...modernCall('TaskManager', args), token })).json)
}

test('each has separate tasks and numbers', async () => {
  expect((await as(alice, 'create', { text: 'Of Alice' })).structured.current_task).toBe(1)
  expect((await as(bob, 'create', { text: 'Of Bob' })).structured.current_task).toBe(1)
  await as(alice, 'add', { text: 'a step of Alice' })
  expect((await as(bob, 'list')).text).not.toContain('Alice')
  expect((await as(bob, 'list', { query: 'alice' })).structured.found).toBe(0)
  expect((await as(bob, 'complete', { step_id: 1 })).text).toMatch(/^There is no step 1\./)
  expect((await as(bob, 'pending')).structured).toMatchObject({ open_tasks: 1, open_steps: 0 })
  const read = await sendRequest(server, { ...modern('resources/read', { uri: URI }), token: bob })
  expect(read.json.result.contents[0].text).toContain('Of Bob')
  expect(read.json.result.contents[0].text).not.toContain('Alice')
})

test("a listener is notified of its user's changes only", async () => {
  const listening = modern('subscriptions/listen', { notifications: { resourceSubscriptions: [URI] } })
  const [ofAlice, ofBob] = [
    await stream(server, { ...listening, token: alice }),
    await stream(server, { ...listening, token: bob }),
  ]
  const newsIn = ({ events }: EventStream): readonly Json[] =>
    events.filter(({ json }) => json?.method === 'notifications/resources/updated')
  const untilNews = (events: EventStream, count: number): Promise<unknown> =>
    eventually(
      () => newsIn(events),
      ({ length }) => length >= count,
    )
  await as(bob, 'list')
  await as(alice, 'create', { text: 'Another of Alice' })
  await untilNews(ofAlice, 1)
  expect(newsIn(ofBob)).toEqual([])
  await as(bob, 'create', { text: 'Another of Bob' })
  await untilNews(ofBob, 1)
  // A change by another server is found by the next poll, which does not report the earlier ones again.
  const other = await startProgram({ env, cwd })
  const before = newsIn(ofAlice).length
  await as(alice, 'create', { text: 'From another server' }, other)
  await untilNews(ofAlice, before + 1)
  expect(newsIn(ofBob)).toEqual([expect.anything()])
  for (const events of [ofAlice, ofBob]) events.disconnect()
  expect(await other.stop()).toBe(0)
})
