// subscriptions/listen and resources/subscribe: what is acknowledged, which changes are sent, and how streams end.

import { describe, expect, test, vi } from 'vitest'

import { createChangeEvents } from '../definitions/change-events.js'
import { defineTemplate, type ResourceDefinition } from '../definitions/resource.js'
import { defineTool } from '../definitions/tool.js'
import { Failure } from '../errors.js'
import type { JsonObject } from '../json/json.js'
import { getAnswerText, type MessageSink, parseMessage } from '../jsonrpc/message.js'
import { createMcpServer, type ServerDefinition } from '../server/mcp-server.js'
import { createSession } from './session.js'

const TASKS = 'io.modelcontextprotocol/tasks'
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
const resource: ResourceDefinition = { uri: 'x://a', name: 'a', read: () => '' }
const tool = defineTool({ name: 'run', taskSupport: 'sometimes', run: () => '' })

function meta(capabilities: JsonObject = {}) {
  return {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    },
  }
}

function open(definition: Partial<ServerDefinition> = {}, sink?: Partial<MessageSink>) {
  const changeEvents = createChangeEvents()
  const errors: unknown[] = []
  const logError = (error: unknown) => errors.push(error)
  const server = createMcpServer({ name: 'test', version: '0', changeEvents, logError, ...definition })
  const sent: JsonObject[] = []
  const take = (text: string): void => void sent.push(JSON.parse(text))
  const ownSink = { notify: take, send: take, ...sink }
  const session = createSession(server, { user: 'ann', session: 'one' }, { sink: ownSink })
  const ask = async (method: string, params: object = {}, id: number | string = 1): Promise<JsonObject | undefined> => {
    const message = parseMessage(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    const text = getAnswerText(await session.receive(message, ownSink))
    return text === undefined ? undefined : JSON.parse(text)
  }
  const notify = (method: string, params: object) =>
    session.receive(parseMessage(JSON.stringify({ jsonrpc: '2.0', method, params })), ownSink)
  return { changeEvents, errors, session, sent, ask, notify }
}

const everything: Partial<ServerDefinition> = {
  tools: () => [tool],
  resources: () => [resource],
  prompts: () => [],
}
const allLists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

describe('a stream', () => {
  test('acknowledges what the server supports', () => {
    const { ask, sent } = open(everything)
    const notifications = { ...allLists, resourceSubscriptions: ['x://a', 'x://none'], taskIds: ['t'] }
    void ask('subscriptions/listen', { notifications, ...meta({ extensions: { [TASKS]: {} } }) }, 'stream')
    expect(sent).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: {
          _meta: { [SUBSCRIPTION]: 'stream' },
          notifications: { ...allLists, resourceSubscriptions: ['x://a'], taskIds: ['t'] },
        },
      },
    ])
  })

  test.each<[string, Partial<ServerDefinition>, JsonObject]>([
    ['lists that do not change', { tools: [], resources: [resource], prompts: [] }, allLists],
    [
      'values that are not true',
      everything,
      { toolsListChanged: 1, promptsListChanged: 'x', resourcesListChanged: {} },
    ],
    ['resources of a server without resources', { tools: [] }, { resourceSubscriptions: ['x://a'] }],
    ['nothing', everything, {}],
  ])('does not acknowledge %s', (_name, definition, notifications) => {
    const { ask, sent } = open(definition)
    void ask('subscriptions/listen', { notifications, ...meta() })
    expect(sent).toMatchObject([{ params: { notifications: {} } }])
    expect(JSON.stringify(sent)).toContain('"notifications":{}')
  })

  test('does not acknowledge tasks of a server without tasks', () => {
    const { ask, sent } = open({ tools: [] })
    void ask('subscriptions/listen', { notifications: { taskIds: ['t'] }, ...meta({ extensions: { [TASKS]: {} } }) })
    expect(JSON.stringify(sent)).toContain('"notifications":{}')
  })

  test('sends the changes that were subscribed to, with its id', () => {
    const { ask, sent, changeEvents } = open(everything)
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['x://a'], taskIds: ['t'] }
    void ask('subscriptions/listen', { notifications, ...meta({ extensions: { [TASKS]: {} } }) }, 7)
    sent.length = 0
    changeEvents.notifyListChanged('tools')
    changeEvents.notifyListChanged('prompts')
    changeEvents.notifyListChanged('resources')
    changeEvents.notifyResourceUpdated('x://a')
    changeEvents.notifyResourceUpdated('x://b')
    changeEvents.notifyResourceUpdated('x://a', 'bob')
    changeEvents.publish({ kind: 'task', id: 't', user: 'ann', params: '"taskId":"t"' })
    changeEvents.publish({ kind: 'task', id: 't', user: 'bob', params: '"taskId":"t"' })
    changeEvents.publish({ kind: 'task', id: 'u', user: 'ann', params: '"taskId":"u"' })
    const _meta = { [SUBSCRIPTION]: 7 }
    expect(sent).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } },
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { _meta, uri: 'x://a' } },
      { jsonrpc: '2.0', method: 'notifications/tasks', params: { _meta, taskId: 't' } },
    ])
  })

  test('is answered when the server ends it, and sends nothing more', async () => {
    const { ask, sent, changeEvents, session } = open(everything)
    const answer = ask('subscriptions/listen', { notifications: allLists, ...meta() }, 7)
    session.endSubscriptions()
    expect(await answer).toMatchObject({ id: 7, result: { resultType: 'complete', _meta: { [SUBSCRIPTION]: 7 } } })
    sent.length = 0
    changeEvents.notifyListChanged('tools')
    expect(sent).toEqual([])
  })

  test('ends with abort, too', async () => {
    const { ask, session } = open(everything)
    const answer = ask('subscriptions/listen', { notifications: {}, ...meta() })
    session.abort('stopping')
    expect(await answer).toMatchObject({ result: { resultType: 'complete' } })
  })

  test('gets no answer if the client cancels it; others stay open', async () => {
    const { ask, notify, sent, changeEvents } = open(everything)
    const answer = ask('subscriptions/listen', { notifications: allLists, ...meta() }, 7)
    void ask('subscriptions/listen', { notifications: allLists, ...meta() }, 8)
    void notify('notifications/cancelled', { requestId: 7 })
    expect(await answer).toBeUndefined()
    sent.length = 0
    changeEvents.notifyListChanged('tools')
    expect(sent).toMatchObject([{ params: { _meta: { [SUBSCRIPTION]: 8 } } }])
  })

  test('does not count as work', async () => {
    const { ask, session } = open(everything)
    void ask('subscriptions/listen', { notifications: {}, ...meta() })
    expect(session.isBusy).toBe(false)
    await session.whenIdle()
  })

  test('is refused beyond a hundred', async () => {
    const { ask } = open(everything)
    for (let id = 1; id <= 100; id++) void ask('subscriptions/listen', { notifications: {}, ...meta() }, id)
    expect(await ask('subscriptions/listen', { notifications: {}, ...meta() }, 101)).toMatchObject({
      error: { code: -32603, message: 'There may be 100 listeners at once; end some of them first' },
    })
  })

  test('is refused on a connection that carries only answers', async () => {
    const { ask } = open(everything, { send: undefined })
    expect(await ask('subscriptions/listen', { notifications: {}, ...meta() })).toMatchObject({
      error: { code: -32602, message: 'This connection cannot carry a stream' },
    })
  })

  test('requires the tasks extension for task ids', async () => {
    expect(
      await open(everything).ask('subscriptions/listen', { notifications: { taskIds: [] }, ...meta() }),
    ).toMatchObject({
      error: {
        code: -32021,
        message: 'Missing required client capability',
        data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
      },
    })
  })

  test.each<[unknown, string]>([
    [5, "Invalid params: 'notifications' must be an object"],
    [
      { resourceSubscriptions: 'x' },
      "Invalid params: 'resourceSubscriptions' must be a list of at most 1000 strings, 65536 characters together",
    ],
    [
      { resourceSubscriptions: ['x', 5] },
      "Invalid params: 'resourceSubscriptions' must be a list of at most 1000 strings, 65536 characters together",
    ],
    [
      { resourceSubscriptions: Array(1001).fill('x') },
      "Invalid params: 'resourceSubscriptions' must be a list of at most 1000 strings, 65536 characters together",
    ],
    [{ taskIds: {} }, "Invalid params: 'taskIds' must be a list of at most 1000 strings, 65536 characters together"],
  ])('is refused for invalid filters (%#)', async (notifications, message) => {
    const answer = await open(everything).ask('subscriptions/listen', { notifications, ...meta() })
    expect(answer).toMatchObject({ error: { code: -32602, message } })
  })

  test('accepts a thousand names, and a missing filter', () => {
    const { ask, sent } = open(everything)
    void ask('subscriptions/listen', { notifications: { resourceSubscriptions: Array(1000).fill('x://a') }, ...meta() })
    void ask('subscriptions/listen', meta())
    expect(sent.map(({ method }) => method)).toEqual(Array(2).fill('notifications/subscriptions/acknowledged'))
  })
})

describe('a watched resource', () => {
  const watch = vi.fn()
  const services = { names: new Set(['disk']), open: () => ({ disk: 1 }), close: () => Promise.resolve() }
  const watched = { ...resource, services: ['disk'], watch }
  const template = { ...defineTemplate({ uriTemplate: 'y://{id}', name: 'y', read: () => '' }), watch }

  test.each([
    ['x://a', '2026-07-28'],
    ['y://1', '2026-07-28'],
    ['x://a', '2025-11-25'],
    ['y://1', '2025-11-25'],
  ])('%s is watched for the user who subscribes, at %s', async (uri, revision) => {
    watch.mockReset()
    const { ask } = open({ resources: [watched], templates: [template], services })
    if (revision === '2026-07-28')
      void ask('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] }, ...meta() })
    else expect(await ask('resources/subscribe', { uri })).toMatchObject({ result: {} })
    await vi.waitFor(() => expect(watch.mock.calls).toEqual([[{ disk: 1 }, 'ann']]))
  })

  test('that fails is not logged as a bug; other errors are', async () => {
    const { ask, errors } = open({ resources: [watched], services })
    watch.mockReset().mockRejectedValueOnce(new Failure('not now'))
    await ask('resources/subscribe', { uri: 'x://a' })
    watch.mockRejectedValueOnce(new Error('bug'))
    await ask('resources/subscribe', { uri: 'x://a' })
    await vi.waitFor(() => expect(errors).toEqual([new Error('bug')]))
  })
})
