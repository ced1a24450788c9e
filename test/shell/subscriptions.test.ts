// Subscriptions to jobs report output and the end at every revision: `resources/subscribe` and
// `notifications/resources/updated` on legacy revisions, `subscriptions/listen` on the modern one.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import {
  call,
  emptyFolder,
  type Json,
  killServer,
  LEGACY,
  modernMeta,
  readJob,
  resultData,
  startJob,
  startServer,
  type TestClient,
} from '../support/client.js'
import { eventually } from '../support/eventually.js'
import {
  callOf,
  type HttpServer,
  initialize,
  modern,
  modernCall,
  rpc,
  sendRequest,
  startProgram,
  stream,
} from '../support/http-client.js'

const UPDATED = 'notifications/resources/updated'
const LIST = 'scorpiox://jobs'
const uriOf = (id: number): string => `${LIST}/${id}`

const updatesOf = ({ received }: TestClient, uri: string): readonly Json[] =>
  received.filter(({ method, params }) => method === UPDATED && params.uri === uri)

/** Waits for this many notifications about a resource. */
async function waitForUpdates(client: TestClient, uri: string, count: number): Promise<void> {
  await eventually(
    () => updatesOf(client, uri),
    ({ length }) => length >= count,
  )
}

describe.concurrent.each(LEGACY)('at %s', (revision) => {
  test('a job: output soon, the end at once, and nothing after unsubscribing', async () => {
    const client = startServer()
    await client.initialize(revision)
    const capable = client.received[0].result.capabilities.resources
    expect(capable).toMatchObject({ subscribe: true })
    expect((await client.request('resources/subscribe', { uri: uriOf(1) })).result).toEqual({})
    await startJob2(client, 'until [ -e one ]; do sleep 0.02; done; echo one; until [ -e two ]; do sleep 0.02; done')
    // Of the start.
    await waitForUpdates(client, uriOf(1), 1)
    client.clearReceived()
    await client.request('tools/call', { name: 'Bash', arguments: { command: 'touch one' } })
    await waitForUpdates(client, uriOf(1), 1)
    expect(updatesOf(client, uriOf(1))[0]).toEqual({ jsonrpc: '2.0', method: UPDATED, params: { uri: uriOf(1) } })
    const { contents } = (await client.request('resources/read', { uri: uriOf(1) })).result
    expect(contents[0].text).toMatch(/^one\n\[Job 1 is running/)
    client.clearReceived()
    await client.request('tools/call', { name: 'Bash', arguments: { command: 'touch two' } })
    await waitForUpdates(client, uriOf(1), 1)
    const after = (await client.request('resources/read', { uri: uriOf(1) })).result.contents
    expect(after[0].text).toMatch(/\[Job 1 ended after .+ exit code 0\.\]$/)
    await client.request('resources/unsubscribe', { uri: uriOf(1) })
    await client.request('resources/subscribe', { uri: uriOf(2) })
    await client.request('resources/unsubscribe', { uri: uriOf(2) })
    client.clearReceived()
    await startJob2(client, 'echo two')
    await readJob2(client, 2)
    await client.request('resources/subscribe', { uri: uriOf(3) })
    await startJob2(client, 'echo three')
    await waitForUpdates(client, uriOf(3), 1)
    const others = client.received.filter(({ method, params }) => method === UPDATED && params.uri !== uriOf(3))
    expect(others).toEqual([])
    await client.close()
  })
})

describe.concurrent('over stdio', () => {
  test('the list: each start and end, and a command that becomes a job', async () => {
    const client = startServer({ env: { BASH_SOFT_LIMIT_MS: '3000' } })
    await client.initialize('2025-11-25')
    await client.request('resources/subscribe', { uri: LIST })
    await startJob(client, 'sleep 0.2')
    await waitForUpdates(client, LIST, 2)
    client.clearReceived()
    // A foreground command is not in the list, whatever it prints.
    await call(client, 'Bash', { command: 'seq 1 100000' })
    expect(updatesOf(client, LIST)).toEqual([])
    const going = call(client, 'Bash', { command: 'sleep 4' })
    await waitForUpdates(client, LIST, 1)
    const { contents } = (await client.request('resources/read', { uri: LIST })).result
    expect(contents[0].text).toMatch(/running {2}[\d.]+ s {2}sleep 4$/)
    await going
    await waitForUpdates(client, LIST, 2)
    await client.close()
  })

  test('a job that prints without end is notified at most twice a second', async () => {
    const client = startServer()
    await client.initialize('2025-11-25')
    await client.request('resources/subscribe', { uri: uriOf(1) })
    const startedAt = performance.now()
    await startJob(client, 'while :; do echo x; done')
    await waitForUpdates(client, uriOf(1), 4)
    // A slow machine only takes longer; timers may be a few milliseconds early.
    expect(performance.now() - startedAt).toBeGreaterThan(4 * 500 - 50)
    await call(client, 'KillBgTask', { task_id: 1 })
    await client.close()
  })

  test('subscriptions/listen of the modern revision', async () => {
    const client = startServer()
    const notifications = { resourceSubscriptions: [LIST, uriOf(1), 'nothing://here'] }
    client.send({
      jsonrpc: '2.0',
      id: 'ear',
      method: 'subscriptions/listen',
      params: { notifications, ...modernMeta() },
    })
    const delivered = await client.waitFor(({ method }) => method === 'notifications/subscriptions/acknowledged')
    expect(delivered.params.notifications).toEqual({ resourceSubscriptions: [LIST, uriOf(1)] })
    const marked = { _meta: { 'io.modelcontextprotocol/subscriptionId': 'ear' } }
    expect(delivered.params).toMatchObject(marked)
    const start = { name: 'BackgroundBash', arguments: { command: 'echo hello; sleep 1' }, ...modernMeta() }
    expect(resultData((await client.request('tools/call', start)).result).task_id).toBe(1)
    await waitForUpdates(client, uriOf(1), 2)
    await waitForUpdates(client, LIST, 2)
    for (const message of [...updatesOf(client, uriOf(1)), ...updatesOf(client, LIST)])
      expect(message.params).toMatchObject(marked)
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'ear' } })
    const next = { id: 'next', method: 'subscriptions/listen', params: { notifications, ...modernMeta() } }
    client.send({ jsonrpc: '2.0', ...next })
    await client.request('tools/call', start)
    const listenersOfList = (): readonly Json[] =>
      updatesOf(client, LIST).map(({ params }) => params._meta['io.modelcontextprotocol/subscriptionId'])
    await eventually(listenersOfList, ({ length }) => length >= 4)
    expect(listenersOfList()).toEqual(['ear', 'ear', 'next', 'next'])
    await client.close()
  })

  test('the server that took over a job notifies of its output and its end', async () => {
    const options = { cwd: emptyFolder(), env: { HOME: emptyFolder(), JOBS_OUTLIVE_SERVER: '1' } }
    const first = startServer(options)
    await startJob(first, 'until [ -e go ] || [ ! -d . ]; do sleep 0.02; done; echo late; sleep 1')
    await killServer(first)
    const second = startServer(options)
    await second.initialize('2025-11-25')
    for (const uri of [LIST, uriOf(1)]) await second.request('resources/subscribe', { uri })
    await readJob(second, 1)
    // Of its start, for this server.
    await waitForUpdates(second, uriOf(1), 1)
    second.clearReceived()
    await call(second, 'Bash', { command: 'touch go' })
    await waitForUpdates(second, uriOf(1), 1)
    expect((await readJob(second, 1)).text).toMatch(/^late\n/)
    await waitForUpdates(second, LIST, 1)
    expect((await readJob(second, 1)).structured).toMatchObject({ status: 'ended', exitCode: 0 })
    await second.close()
  })
})

describe('over HTTP', () => {
  let server: HttpServer

  beforeAll(async () => {
    server = await startProgram()
  })

  afterAll(async () => {
    expect(await server.stop()).toBe(0)
  })

  test('a legacy session is notified on its stream', async () => {
    const headers = { 'mcp-session-id': await initialize(server, '2025-11-25') }
    await sendRequest(server, { body: rpc('resources/subscribe', { uri: LIST }), headers })
    const listenStream = await stream(server, { method: 'GET', headers })
    const body = callOf('BackgroundBash', { command: 'echo hello' })
    expect((await sendRequest(server, { body, headers })).json.result.isError).toBe(false)
    for (const _ of ['beginning', 'end'])
      expect(await listenStream.message()).toMatchObject({ method: UPDATED, params: { uri: LIST } })
    listenStream.disconnect()
  })

  test('a modern listener is notified on its stream', async () => {
    const listenStream = await stream(
      server,
      modern('subscriptions/listen', { notifications: { resourceSubscriptions: [LIST] } }, 'e'),
    )
    expect((await listenStream.message()).method).toBe('notifications/subscriptions/acknowledged')
    await sendRequest(server, modernCall('BackgroundBash', { command: 'echo hello' }))
    for (const _ of ['beginning', 'end']) {
      expect((await listenStream.message()).params).toMatchObject({
        uri: LIST,
        _meta: { 'io.modelcontextprotocol/subscriptionId': 'e' },
      })
    }
    listenStream.disconnect()
  })
})

/** Waits for the end of a job. */
async function readJob2(client: TestClient, id: number): Promise<void> {
  const args = { task_id: id, wait_for_end: true }
  await client.request('tools/call', { name: 'ReadBgOutput', arguments: args })
}

/** Without structured content, which older revisions do not have. */
async function startJob2(client: TestClient, command: string): Promise<void> {
  const { result } = await client.request('tools/call', { name: 'BackgroundBash', arguments: { command } })
  expect(result.content[0].text).toMatch(/^Started job \d+\./)
}
