// Deferred calls, which the protocol calls tasks, over stdio: a handle is durable before it is sent, can be polled,
// answered and cancelled, and is found by another process after a kill.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { describe, expect, test } from 'vitest'

import { emptyFolder, type Json, LEGACY, modernMeta, startServer, type TestClient } from './support/client.js'
import { eventually } from './support/eventually.js'

const FIXTURE = resolve(import.meta.dirname, 'fixture/everything.mjs')
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
const extensions = { 'io.modelcontextprotocol/tasks': {} }
const able = modernMeta({ [CAPABILITIES]: { elicitation: {}, extensions } })

const named = (name: string): object => ({ action: 'accept', content: { name } })
const call = (name: string, args: object = {}): object => ({ name, arguments: args, ...able })

function start(folder?: string): TestClient {
  return startServer({ args: [FIXTURE], env: { PAGE: '100', ...(folder !== undefined && { FOLDER: folder }) } })
}

async function begin(client: TestClient, name: string, args: object = {}): Promise<Json> {
  const { result } = await client.request('tools/call', call(name, args))
  expect(result).toMatchObject({ resultType: 'task', status: 'working', taskId: expect.any(String) })
  return result
}

const get = async (client: TestClient, taskId: string): Promise<Json> =>
  (await client.request('tasks/get', { taskId, ...able })).result

const getWhen = (client: TestClient, taskId: string, isFulfilled: (task: Json) => boolean): Promise<Json> =>
  eventually(() => get(client, taskId), isFulfilled)

const over = ({ status }: Json): boolean => !['working', 'input_required'].includes(status)

/** What the fixture's tools have noted, as JSON. */
const textSeen = async (client: TestClient): Promise<string> =>
  (await client.request('tools/call', call('seen'))).result.content[0].text

const update = (client: TestClient, taskId: string, inputResponses: unknown): Promise<Json> =>
  client.request('tasks/update', { taskId, inputResponses, ...able })

describe('a deferred call', () => {
  test('returns a handle first, and its outcome later', async () => {
    const client = start()
    const handle = await begin(client, 'work', { ms: 60_000 })
    expect(handle).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(/^[\w-]{24}$/),
      status: 'working',
      statusMessage: 'Begun',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastUpdatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      ttlMs: 60_000,
      pollIntervalMs: 50,
      _meta: expect.any(Object),
    })
    expect(await get(client, handle.taskId)).toMatchObject({ resultType: 'complete', status: 'working' })
    const brief = await begin(client, 'work', { ms: 100 })
    const done = await getWhen(client, brief.taskId, over)
    expect(done).toMatchObject({
      resultType: 'complete',
      status: 'completed',
      result: { content: [{ type: 'text', text: 'done, deferred: true' }], isError: false },
    })
    await client.close()
  })

  test('a failure completes it with isError, a bug fails it and is not shown', async () => {
    const client = start()
    const failing = await begin(client, 'work', { ms: 1, fail: true })
    const broken = await begin(client, 'work', { ms: 1, broken: true })
    const failed = await getWhen(client, failing.taskId, over)
    expect(failed).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(failed.result.content[0].text).toBe('It failed as expected.')
    const bug = await getWhen(client, broken.taskId, over)
    expect(bug).toMatchObject({ status: 'failed', error: { code: -32603 }, statusMessage: expect.any(String) })
    expect(JSON.stringify(bug)).not.toContain('on purpose')
    expect('result' in bug).toBe(false)
    await client.close()
    expect(client.stderr()).toContain('broken on purpose')
  })

  test('without the extension it is awaited, or refused before it runs', async () => {
    const client = start()
    const plain = modernMeta()
    const waited = await client.request('tools/call', { name: 'work', arguments: { ms: 1 }, ...plain })
    expect(waited.result.content[0].text).toBe('done, deferred: false')
    const requiredCapabilities = { extensions }
    const refused = await client.request('tools/call', { name: 'always', arguments: {}, ...plain })
    expect(refused.error).toMatchObject({ code: -32021, data: { requiredCapabilities } })
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const answer = await client.request(method, { taskId: 'x', inputResponses: {}, ...plain })
      expect(answer.error).toMatchObject({ code: -32021, data: { requiredCapabilities } })
    }
    await client.close()
  })

  test.each(LEGACY)('at %s there are no handles, whatever a client declares', async (revision) => {
    const client = start()
    await client.initialize(revision, { extensions })
    const waited = await client.request('tools/call', { name: 'work', arguments: { ms: 1 } })
    expect(waited.result.content[0].text).toBe('done, deferred: false')
    const refused = await client.request('tools/call', { name: 'always', arguments: {} })
    expect(refused.result.isError).toBe(true)
    expect(await client.request('tasks/get', { taskId: 'x' })).toMatchObject({ error: { code: -32601 } })
    await client.close()
  })

  test('only a tool call may be deferred', async () => {
    const client = start()
    const { result } = await client.request('resources/read', { uri: 'test://deferring', ...able })
    expect([result.resultType, result.contents[0].text]).toEqual(['complete', 'false'])
    await client.close()
  })

  test('is deferred once, however often it requests it', async () => {
    const client = start()
    const { taskId } = await begin(client, 'twice')
    const { result } = await getWhen(client, taskId, over)
    expect(result.content[0].text).toBe('[true,true]')
    await client.close()
  })

  test('can ask as usual before it is deferred', async () => {
    const client = start()
    const { result } = await client.request('tools/call', call('asks-then-defers'))
    expect(result.resultType).toBe('input_required')
    const { requestState } = result
    const retry = { ...call('asks-then-defers'), requestState, inputResponses: { who: named('Ann') } }
    const { taskId } = (await client.request('tools/call', retry)).result
    expect((await getWhen(client, taskId, over)).result.content[0].text).toBe('hello Ann')
    await client.close()
  })

  test('can no longer be cancelled as a request', async () => {
    const client = start()
    client.send({ jsonrpc: '2.0', id: 'w', method: 'tools/call', params: call('work', { ms: 100 }) })
    const { result } = await client.waitFor(({ id }) => id === 'w')
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'w' } })
    expect(await getWhen(client, result.taskId, over)).toMatchObject({ status: 'completed' })
    await client.close()
  })
})

describe('questions of a deferred call', () => {
  test('are shown until each has a usable answer; a key is never reused for another question', async () => {
    const client = start()
    const { taskId } = await begin(client, 'interview')
    const isAsking = ({ status }: Json): boolean => status === 'input_required'
    const keysOf = async (): Promise<string[]> => Object.keys((await getWhen(client, taskId, isAsking)).inputRequests)
    expect(await keysOf()).toEqual(['a', 'b'])
    const useless = { a: { action: 'accept', content: {} }, nope: named('x'), __proto__: named('y') }
    expect(await update(client, taskId, useless)).toMatchObject({ result: { resultType: 'complete' } })
    expect(await keysOf()).toEqual(['a', 'b'])
    await update(client, taskId, { b: named('Bob') })
    expect(await keysOf()).toEqual(['a'])
    await update(client, taskId, { a: named('Ann'), b: named('too late') })
    expect(await keysOf()).toEqual(['a-2'])
    await update(client, taskId, { a: named('wrong key') })
    expect(await keysOf()).toEqual(['a-2'])
    await update(client, taskId, { 'a-2': { action: 'decline' } })
    const done = await getWhen(client, taskId, over)
    expect(done.result.content[0].text).toBe('Ann,Bob,decline')
    expect('inputRequests' in done).toBe(false)
    expect(await update(client, taskId, { a: named('after the end') })).toMatchObject({ result: {} })
    for (const bad of [undefined, 5, []]) {
      expect(await update(client, taskId, bad)).toMatchObject({ error: { code: -32602 } })
    }
    await client.close()
  })

  test('are removed by a cancellation', async () => {
    const client = start()
    const { taskId } = await begin(client, 'interview')
    await getWhen(client, taskId, ({ status }) => status === 'input_required')
    await client.request('tasks/cancel', { taskId, ...able })
    const task = await get(client, taskId)
    expect([task.status, 'inputRequests' in task]).toEqual(['cancelled', false])
    await client.close()
    expect(client.stderr()).toBe('')
  })
})

describe('cancellation', () => {
  test('aborts the work, is final, and may be repeated', async () => {
    const client = start()
    const { taskId } = await begin(client, 'work')
    const cancel = (): Promise<Json> => client.request('tasks/cancel', { taskId, ...able })
    expect((await cancel()).result).toMatchObject({ resultType: 'complete' })
    expect(await get(client, taskId)).toMatchObject({ status: 'cancelled', statusMessage: expect.any(String) })
    await eventually(
      () => textSeen(client),
      (text) => text === '["stopped: cancelled by the client"]',
    )
    expect(await get(client, taskId)).toMatchObject({ status: 'cancelled' })
    expect(await cancel()).toMatchObject({ result: {} })
    await client.close()
    expect(client.stderr()).toBe('')
  })

  test('of a completed call changes nothing', async () => {
    const client = start()
    const { taskId } = await begin(client, 'work', { ms: 1 })
    await getWhen(client, taskId, over)
    await client.request('tasks/cancel', { taskId, ...able })
    expect(await get(client, taskId)).toMatchObject({ status: 'completed' })
    await client.close()
  })
})

test.each(['nope', '', '../../etc/passwd', 'x'.repeat(1000), 5, null, undefined])(
  'task %j is not found',
  async (taskId) => {
    const client = start(emptyFolder())
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const answer = await client.request(method, { taskId, inputResponses: {}, ...able })
      expect(answer).toMatchObject({ error: { code: -32602 } })
    }
    await client.close()
  },
)

test('the outcome is kept for the announced time', async () => {
  const client = start(emptyFolder())
  const kept = await begin(client, 'brief', { ttlMs: 60_000 })
  expect(kept).toMatchObject({ ttlMs: 60_000 })
  expect(await getWhen(client, kept.taskId, over)).toMatchObject({ status: 'completed' })
  const { taskId } = await begin(client, 'brief', { ttlMs: 150 })
  const error = async (): Promise<Json> => (await client.request('tasks/get', { taskId, ...able })).error
  await expect.poll(error).toMatchObject({ code: -32602, message: expect.stringContaining('expired') })
  expect(await get(client, kept.taskId)).toMatchObject({ status: 'completed' })
  const endless = await begin(client, 'endless')
  expect(await getWhen(client, endless.taskId, over)).toMatchObject({ status: 'completed', ttlMs: expect.any(Number) })
  await client.close()
})

describe('notified to a listener', () => {
  test('every state of its tasks, and of no others', async () => {
    const client = start()
    const after = join(emptyFolder(), 'go')
    const { taskId } = await begin(client, 'progressing', { after })
    const params = { notifications: { taskIds: [taskId, 'other'] }, ...able }
    client.send({ jsonrpc: '2.0', id: 'L', method: 'subscriptions/listen', params })
    const ack = await client.waitFor(({ method }) => method === 'notifications/subscriptions/acknowledged')
    expect(ack.params.notifications.taskIds).toContain(taskId)
    writeFileSync(after, '')
    await begin(client, 'work', { ms: 1 })
    await getWhen(client, taskId, over)
    await eventually(
      () => textSeen(client),
      (text) => text.includes('late progress'),
    )
    const delivered = client.received.filter(({ method }) => method === 'notifications/tasks')
    expect(delivered.map(({ params: { taskId: id, _meta } }) => [id, _meta])).toEqual(
      delivered.map(() => [taskId, { [SUBSCRIPTION]: 'L' }]),
    )
    expect(delivered.map(({ params: { status, statusMessage } }) => [status, statusMessage])).toEqual([
      ['working', 'step 1'],
      ['working', 'step 2'],
      ['working', 'step 3'],
      ['completed', 'step 3'],
    ])
    expect(delivered.at(-1).params.result.content[0].text).toBe('progressed')
    expect(client.received.filter(({ method }) => method === 'notifications/message')).toEqual([])
    await client.close()
  })
})

describe('another process', () => {
  test('finds killed calls as failed, and completed ones as completed', async () => {
    const folder = emptyFolder()
    const first = start(folder)
    const done = await begin(first, 'work', { ms: 1 })
    await getWhen(first, done.taskId, over)
    const killed = await begin(first, 'work')
    // Nothing between the handle and the end.
    first.child.kill('SIGKILL')
    await first.close()
    const second = start(folder)
    expect(await get(second, killed.taskId)).toMatchObject({
      taskId: killed.taskId,
      status: 'failed',
      createdAt: killed.createdAt,
      statusMessage: 'The server ended while it worked on this.',
      error: { code: -32603, message: 'The server ended while it worked on this.' },
    })
    expect(await get(second, done.taskId)).toMatchObject({ status: 'completed', result: { isError: false } })
    expect(await second.request('tasks/cancel', { taskId: killed.taskId, ...able })).toMatchObject({ result: {} })
    await second.close()
  })

  test('sees work in progress of another', async () => {
    const folder = emptyFolder()
    const [one, other] = [start(folder), start(folder)]
    const { taskId } = await begin(one, 'work')
    expect(await get(other, taskId)).toMatchObject({ status: 'working' })
    await one.request('tasks/cancel', { taskId, ...able })
    expect(await get(other, taskId)).toMatchObject({ status: 'cancelled' })
    await Promise.all([one.close(), other.close()])
  })

  test('finds calls stopped by the shutdown, and no incomplete files', async () => {
    const folder = emptyFolder()
    const first = start(folder)
    const { taskId } = await begin(first, 'work')
    expect(await first.close()).toBe(0)
    const second = start(folder)
    expect(await get(second, taskId)).toMatchObject({ status: 'failed', statusMessage: 'The server was stopped.' })
    await second.close()
    const [home = ''] = readdirSync(folder)
    const files = readdirSync(join(folder, home))
    expect(files).toEqual([`${taskId}.json`])
    expect(JSON.parse(readFileSync(join(folder, home, files[0]!), 'utf8'))).toMatchObject({ status: 'failed' })
    expect(first.stderr()).toBe('')
  })
})
