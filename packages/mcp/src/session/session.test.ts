// Several users and sessions on one server, and race conditions, which stdio with its single client cannot show.

import { describe, expect, onTestFinished, test, vi } from 'vitest'

import { eventually } from '../../../../test/support/eventually.js'
import type { CallContext } from '../definitions/call-context.js'
import { createChangeEvents } from '../definitions/change-events.js'
import { defineResource } from '../definitions/resource.js'
import { defineTool } from '../definitions/tool.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { getAnswerText, parseMessage } from '../jsonrpc/message.js'
import { createInMemoryTaskHandleStore } from '../protocol-tasks/task-handle-store.js'
import { createMcpServer, type McpServer, type ServerDefinition } from '../server/mcp-server.js'
import { createSession, type SessionOptions } from './session.js'

const hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const extensions = { 'io.modelcontextprotocol/tasks': {} }
const form = { kind: 'form', message: 'Who?', schema: { type: 'object' } } as const
const meta = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, sampling: {}, extensions },
  },
}

function serve(run: (call: CallContext) => unknown, more: Partial<ServerDefinition> = {}) {
  const errors: unknown[] = []
  const tool = defineTool({
    name: 'run',
    title: 'Run',
    description: 'Runs.',
    hints,
    taskSupport: 'sometimes',
    input: { type: 'object' },
    run: (_input, call) => run(call),
    format: String,
  })
  const changeEvents = createChangeEvents()
  const description = { name: 'test', version: '0', tools: [tool], changeEvents, ...more }
  const server = createMcpServer({ ...description, logError: (error) => errors.push(error) })
  return { server, changeEvents, errors }
}

function connect(server: McpServer, user = 'ann', options: SessionOptions = {}) {
  const sent: JsonObject[] = []
  const take = (text: string): void => void sent.push(JSON.parse(text))
  const sink = { notify: take, send: take }
  const session = createSession(server, { user, session: user }, { sink, ...options })
  const say = async (message: object): Promise<JsonObject | undefined> => {
    const text = getAnswerText(
      await session.receive(parseMessage(JSON.stringify({ jsonrpc: '2.0', ...message })), sink),
    )
    return text === undefined ? undefined : JSON.parse(text)
  }
  const ask = async (method: string, params: object = {}, id = 1): Promise<JsonObject | undefined> =>
    say({ id, method, params })
  const methods = (): unknown[] => sent.map(({ method }) => method)
  return { session, sent, say, ask, methods }
}

const run = { name: 'run', arguments: {}, ...meta }

/** A promise that the test resolves. */
function createGate() {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open: () => open(), opened }
}

function resultOf(answer: JsonObject | undefined): JsonObject {
  if (!isJsonObject(answer?.result)) throw new Error(`no result: ${JSON.stringify(answer)}`)
  return answer.result
}

describe('users', () => {
  test('cannot see, answer or cancel the tasks of others and receive no events about them', async () => {
    const gate = createGate()
    const { server } = serve(async (call) => {
      await call.continueAsTask()
      await gate.opened
      call.progress(1, { message: 'halfway' })
      return 'done'
    })
    const [ann, bob] = [connect(server, 'ann'), connect(server, 'bob')]
    const { taskId } = resultOf(await ann.ask('tools/call', run))
    for (const { ask } of [ann, bob]) {
      void ask('subscriptions/listen', { notifications: { taskIds: [taskId] }, ...meta }, 9)
    }
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const answer = await bob.ask(method, { taskId, inputResponses: {}, ...meta })
      expect(answer).toMatchObject({ error: { code: -32602 } })
    }
    gate.open()
    const states = (): unknown[] =>
      ann.sent.flatMap(({ method, params }) =>
        method === 'notifications/tasks' && isJsonObject(params) ? [params.status] : [],
      )
    await eventually(states, (each) => each.includes('completed'))
    expect(states()).toEqual(['working', 'completed'])
    // Answered after all that was sent to bob before.
    expect(await bob.ask('tasks/get', { taskId, ...meta }, 10)).toMatchObject({ error: { code: -32602 } })
    expect(bob.methods()).not.toContain('notifications/tasks')
    expect(resultOf(await ann.ask('tasks/get', { taskId, ...meta }))).toMatchObject({ status: 'completed' })
  })

  test('receive no events about resources of others and cannot continue their calls', async () => {
    const resource = defineResource({ uri: 'x://a', name: 'a', description: 'A.', read: () => 'a' })
    const { server, changeEvents } = serve((call) => call.ask({ name: form }), { resources: [resource] })
    const [ann, bob, eve] = [connect(server, 'ann'), connect(server, 'bob'), connect(server, 'eve')]
    await ann.ask('initialize', { protocolVersion: '2025-11-25' })
    await bob.ask('initialize', { protocolVersion: '2025-11-25' })
    for (const { ask } of [ann, bob]) await ask('resources/subscribe', { uri: 'x://a' })
    void eve.ask('subscriptions/listen', { notifications: { resourceSubscriptions: ['x://a'] }, ...meta }, 9)
    changeEvents.notifyResourceUpdated('x://a', 'ann')
    expect([ann, bob, eve].map(({ sent }) => sent.length)).toEqual([1, 0, 1])
    changeEvents.notifyResourceUpdated('x://a')
    expect([ann, bob, eve].map(({ sent }) => sent.length)).toEqual([2, 1, 2])

    const { requestState } = resultOf(await ann.ask('tools/call', run))
    const retry = { ...run, requestState, inputResponses: { name: { action: 'cancel' } } }
    expect(await bob.ask('tools/call', retry)).toMatchObject({ error: { code: -32602 } })
    expect(await ann.ask('tools/call', retry)).toMatchObject({ result: { resultType: 'complete' } })
  })
})

describe('shutdown', () => {
  test('a stream opened after streams were ended is ended at once, with its answer', async () => {
    const { server } = serve(() => '')
    const { session, ask, methods } = connect(server)
    session.endSubscriptions()
    const answer = await ask('subscriptions/listen', { notifications: {}, ...meta })
    expect(resultOf(answer)).toMatchObject({ resultType: 'complete' })
    expect(methods()).toEqual(['notifications/subscriptions/acknowledged'])
  })

  test('a disconnected client receives nothing, and its streams get no answer', async () => {
    const { server, changeEvents } = serve((call) => new Promise((_, reject) => onAbort(call, reject)), {
      tools: () => [],
    })
    const { session, ask, sent } = connect(server)
    await ask('initialize', { protocolVersion: '2025-11-25' })
    const streams = ask('subscriptions/listen', { notifications: { toolsListChanged: true }, ...meta }, 9)
    await Promise.resolve()
    session.disconnect('gone')
    const before = sent.length
    changeEvents.notifyListChanged('tools')
    expect([await streams, sent.length]).toEqual([undefined, before])
  })

  test('a call aborted before it defers is not deferred', async () => {
    const saved: string[] = []
    const memory = createInMemoryTaskHandleStore()
    const taskHandleStore = () => ({
      ...memory,
      async save(record: Parameters<typeof memory.save>[0]) {
        saved.push(record.status)
        await memory.save(record)
      },
    })
    const gate = createGate()
    const { server } = serve(
      async (call) => {
        await gate.opened
        return call.continueAsTask()
      },
      { taskHandleStore },
    )
    const { session, ask } = connect(server)
    const due = ask('tools/call', run)
    session.abort('stopping')
    gate.open()
    expect(resultOf(await due)).toMatchObject({ content: [{ text: 'false' }] })
    expect(saved).toEqual([])
  })

  test('a call cancelled while its task handle is created gets no answer, and the task ends', async () => {
    const { taskHandles: taskHandleStore, statuses, written } = slowStore()
    const { server, errors } = serve((call) => call.continueAsTask(), { taskHandleStore })
    const { session, ask, say } = connect(server)
    const due = ask('tools/call', run)
    await eventually(() => statuses.length > 0)
    await say({ method: 'notifications/cancelled', params: { requestId: 1 } })
    written()
    expect(await due).toBeUndefined()
    await session.whenIdle()
    expect([statuses, errors]).toEqual([['working', 'failed'], []])
  })

  function slowStore() {
    const memory = createInMemoryTaskHandleStore()
    const statuses: string[] = []
    let written: () => void = () => {}
    const saving = new Promise<void>((resolve) => (written = resolve))
    const taskHandles = () => ({
      ...memory,
      async save(record: Parameters<typeof memory.save>[0]) {
        statuses.push(record.status)
        await saving
        await memory.save(record)
      },
    })
    return { taskHandles, statuses, written: () => written() }
  }
})

function onAbort({ signal }: CallContext, reject: (reason: unknown) => void): void {
  signal.addEventListener('abort', () => reject(signal.reason))
}

test('a tool that continues although the client must be asked leaves no task behind', async () => {
  const saved: unknown[] = []
  const taskHandleStore = () => ({
    ...createInMemoryTaskHandleStore(),
    save: async (record: unknown) => void saved.push(record),
  })
  const { server, errors } = serve(
    async (call) => {
      await call.ask({ name: form }).catch(() => undefined)
      return call.continueAsTask()
    },
    { taskHandleStore },
  )
  expect(resultOf(await connect(server).ask('tools/call', run))).toMatchObject({ resultType: 'input_required' })
  expect([saved, errors]).toEqual([[], []])
})

test('nothing is lost, whichever is first, the outcome or the task handle', async () => {
  const hop = async (times: number): Promise<void> => {
    for (let count = 0; count < times; count++) await Promise.resolve()
  }
  const kinds = new Set<unknown>()
  for (let hops = 0; hops < 60; hops++) {
    const memory = createInMemoryTaskHandleStore()
    const taskHandleStore = () => ({
      ...memory,
      async save(record: Parameters<typeof memory.save>[0]) {
        await hop(20)
        await memory.save(record)
      },
    })
    const late = async (call: CallContext): Promise<string> => {
      void call.continueAsTask()
      await hop(hops)
      return 'done'
    }
    const { server } = serve(late, { taskHandleStore })
    await server.taskHandles()
    const { ask } = connect(server)
    const result = resultOf(await ask('tools/call', run))
    kinds.add(result.resultType)
    const readOutcome = (): unknown =>
      result.resultType === 'task' ? ask('tasks/get', { taskId: result.taskId, ...meta }) : result
    await eventually(readOutcome, (outcome) => JSON.stringify(outcome).includes('"text":"done"'))
  }
  expect(kinds).toEqual(new Set(['complete', 'task']))
})

test('an outcome that cannot be stored is logged, and the task is reported as failed', async () => {
  const memory = createInMemoryTaskHandleStore()
  const taskHandleStore = () => ({
    ...memory,
    async save(record: Parameters<typeof memory.save>[0]) {
      if (record.status !== 'working') throw new Error('disk full')
      await memory.save(record)
    },
  })
  const { server, errors } = serve(
    async (call) => {
      await call.continueAsTask()
      return 'done'
    },
    { taskHandleStore },
  )
  const { ask } = connect(server)
  const { taskId } = resultOf(await ask('tools/call', run))
  const read = async (): Promise<JsonObject> => resultOf(await ask('tasks/get', { taskId, ...meta }))
  await eventually(read, ({ status }) => status === 'failed')
  expect(errors).toEqual([new Error('disk full')])
})

test('a task store that failed to open is opened again, and does not prevent services from closing', async () => {
  let tries = 0
  let isClosed = false
  const taskHandleStore = () => {
    if (++tries !== 2) throw new Error('no such disk')
    return createInMemoryTaskHandleStore()
  }
  const services = { names: new Set<string>(), open: () => ({}), close: async () => void (isClosed = true) }
  const { server } = serve((call) => call.continueAsTask(), { taskHandleStore, services })
  const { ask } = connect(server)
  expect(await ask('tools/call', run)).toMatchObject({ error: { code: -32603 } })
  expect(await ask('tools/call', run)).toMatchObject({ result: { resultType: 'task' } })
  const other = serve((call) => call.continueAsTask(), { taskHandleStore, services })
  await connect(other.server).ask('tools/call', run)
  await other.server.close()
  expect(isClosed).toBe(true)
})

test('a tool added later can defer, and its tasks are found after it was removed', async () => {
  let isHere = false
  const later = defineTool({
    name: 'later',
    title: 'Later',
    description: 'Defers.',
    hints,
    taskSupport: 'always',
    input: { type: 'object' },
    run: (_input, call) => call.continueAsTask(),
    format: String,
  })
  const { server, changeEvents } = serve(() => '', { tools: () => (isHere ? [later] : []) })
  const { ask } = connect(server)
  expect(await ask('tasks/get', { taskId: 'x', ...meta })).toMatchObject({ error: { code: -32601 } })
  isHere = true
  changeEvents.notifyListChanged('tools')
  const { taskId } = resultOf(await ask('tools/call', { name: 'later', ...meta }))
  isHere = false
  changeEvents.notifyListChanged('tools')
  expect(resultOf(await ask('tasks/get', { taskId, ...meta }))).toMatchObject({ status: 'completed' })
})

test('a change of a static list is not sent', async () => {
  const { server } = serve((call) => call.notifyListChanged('tools'))
  const { ask, sent } = connect(server)
  await ask('initialize', { protocolVersion: '2025-11-25' })
  await ask('tools/call', { name: 'run' })
  expect(sent).toEqual([])
})

test('allows a thousand subscriptions; one can be renewed and all can be ended', async () => {
  const items = Array.from({ length: 1001 }, (_, index) => `x://${index}`)
  let uris = items
  const resources = () =>
    uris.map((uri) => defineResource({ uri, name: uri, description: 'One of many.', read: () => uri }))
  const { server, changeEvents } = serve(() => '', { resources })
  const { ask } = connect(server)
  await ask('initialize', { protocolVersion: '2025-11-25' })
  for (const uri of items.slice(0, 1000)) await ask('resources/subscribe', { uri })
  expect(await ask('resources/subscribe', { uri: 'x://1000' })).toMatchObject({ error: { code: -32602 } })
  expect(await ask('resources/subscribe', { uri: 'x://5' })).toMatchObject({ result: {} })
  uris = ['x://1000']
  changeEvents.notifyListChanged('resources')
  expect(await ask('resources/unsubscribe', { uri: 'x://5' })).toMatchObject({ result: {} })
  expect(await ask('resources/subscribe', { uri: 'x://1000' })).toMatchObject({ result: {} })
})

test('runs at most 2000 requests at once', async () => {
  const { server } = serve((call) => new Promise((_, reject) => onAbort(call, reject)))
  const { session, ask } = connect(server)
  const dues = Array.from({ length: 2000 }, (_, id) => ask('tools/call', { name: 'run' }, id))
  expect(await ask('tools/call', { name: 'run' }, 5000)).toMatchObject({ error: { code: -32603 } })
  session.abort('enough')
  const answers = await Promise.all(dues)
  expect(new Set(answers.map((answer) => JSON.stringify(answer?.error)))).toEqual(
    new Set(['{"code":-32603,"message":"Not finished: enough"}']),
  )
  await session.whenIdle()
})

test('caps the timeout of a question at the longest timer', async () => {
  const { server } = serve((call) => call.ask({ name: form }, { timeoutMs: Infinity }))
  const legacy = connect(server)
  await legacy.ask('initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } })
  // A timer that is too long for the runtime expires after 1 ms, also a fake one.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  void legacy.ask('tools/call', { name: 'run' }, 7)
  await vi.waitFor(() => expect(legacy.methods()).toContain('elicitation/create'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(legacy.methods()).toEqual(['elicitation/create'])
  vi.useRealTimers()
  await legacy.say({ method: 'notifications/cancelled', params: { requestId: 7 } })

  const { ask } = connect(server)
  const { requestState } = resultOf(await ask('tools/call', run))
  const retry = { ...run, requestState, inputResponses: { name: { action: 'cancel' } } }
  expect(await ask('tools/call', retry)).toMatchObject({ result: { resultType: 'complete' } })
})

test('an aborted call does not ask the client', async () => {
  const gate = createGate()
  const { server } = serve(async (call) => {
    await gate.opened
    return call.ask({ name: form })
  })
  const { session, ask, methods } = connect(server)
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } })
  const due = ask('tools/call', { name: 'run' })
  session.abort('stopping')
  gate.open()
  expect(await due).toMatchObject({ error: { message: 'Not finished: stopping' } })
  expect(methods()).toEqual([])
})
