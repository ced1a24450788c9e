// What a legacy session remembers: the revision, the log level, subscriptions; and what it sends on its own.

import { describe, expect, test } from 'vitest'

import type { CallContext } from '../definitions/call-context.js'
import { createChangeEvents, type PushMessage } from '../definitions/change-events.js'
import { defineResource } from '../definitions/resource.js'
import { defineTool } from '../definitions/tool.js'
import type { JsonObject } from '../json/json.js'
import { getAnswerText, parseMessage } from '../jsonrpc/message.js'
import type { MessageSink } from '../jsonrpc/message-sink.js'
import { createMcpServer, type ServerDefinition } from '../server/mcp-server.js'
import { createSession } from './session.js'

const CHANNEL = { experimental: { 'claude/channel': {} } }

function open(definition: Partial<ServerDefinition> = {}, sinkMembers: Partial<MessageSink> = {}) {
  const changeEvents = createChangeEvents()
  let call: CallContext | undefined
  const tool = defineTool({
    name: 'run',
    run: (_input, context) => {
      call = context
      context.log('info', { a: 1 }, 'logger')
      context.log('error', undefined)
      return ''
    },
  })
  const server = createMcpServer({ name: 'test', version: '0', tools: () => [tool], changeEvents, ...definition })
  const [sent, dropped]: [JsonObject[], JsonObject[]] = [[], []]
  const sink: MessageSink = {
    notify: (text) => void dropped.push(JSON.parse(text)),
    send: (text) => void sent.push(JSON.parse(text)),
    onWritten: (done) => done(),
    ...sinkMembers,
  }
  const session = createSession(server, { user: 'ann', session: 'one' }, { sink })
  const ask = async (method: string, params: unknown = {}): Promise<JsonObject> => {
    const message = parseMessage(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return JSON.parse(getAnswerText(await session.receive(message, sink)) ?? '{}')
  }
  return { session, changeEvents, sent, dropped, ask, lastCall: () => call }
}

describe('initialize', () => {
  test('negotiates the revision; before it there is none', async () => {
    const { session, ask } = open()
    expect(session.negotiatedRevision).toBeUndefined()
    await ask('ping')
    expect(session.negotiatedRevision).toBeUndefined()
    expect(await ask('initialize', { protocolVersion: '2025-03-26' })).toMatchObject({
      result: { protocolVersion: '2025-03-26' },
    })
    expect(session.negotiatedRevision).toBe('2025-03-26')
  })

  test('refuses a version that is not a string; a missing one means the newest', async () => {
    const { session, ask } = open()
    expect(await ask('initialize', { protocolVersion: 1 })).toMatchObject({
      error: { code: -32602, message: "Invalid params: 'protocolVersion' must be a string" },
    })
    expect(session.negotiatedRevision).toBeUndefined()
    expect(await ask('initialize')).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
  })

  test('keeps the name and the capabilities of the client', async () => {
    const { ask, lastCall } = open()
    await ask('tools/call', { name: 'run' })
    expect([lastCall()?.client, lastCall()?.clientAbilities.roots]).toEqual(['', false])
    await ask('initialize', { clientInfo: { name: 'editor' }, capabilities: { roots: {} } })
    await ask('tools/call', { name: 'run' })
    expect([lastCall()?.client, lastCall()?.clientAbilities.roots]).toEqual(['editor', true])
    expect(lastCall()?.clientAbilities.push).toBe(false)
    await ask('initialize', { capabilities: 5 })
    await ask('tools/call', { name: 'run' })
    expect(lastCall()?.clientAbilities.roots).toBe(false)
  })

  test('with the setting `all` every client has the channel, and keeps other experiments', async () => {
    const { ask, lastCall } = open({ channelPush: 'all' })
    for (const capabilities of [{}, { experimental: 5 }, { experimental: { other: {} }, roots: {} }]) {
      await ask('initialize', { capabilities })
      await ask('tools/call', { name: 'run' })
      expect(lastCall()?.clientAbilities).toMatchObject({ push: true, roots: 'roots' in capabilities })
    }
  })

  test('params must be an object', async () => {
    expect(await open().ask('initialize', [])).toMatchObject({
      error: { code: -32602, message: "Invalid params: 'params' must be an object" },
    })
  })
})

describe('the log level', () => {
  const levels = (messages: readonly JsonObject[]) =>
    messages.map(({ method, params }) => [method, params]).filter(([method]) => method === 'notifications/message')

  test('is info at first and can be set', async () => {
    const { ask, dropped } = open({ logging: true })
    await ask('tools/call', { name: 'run' })
    expect(levels(dropped)).toEqual([
      ['notifications/message', { level: 'info', logger: 'logger', data: { a: 1 } }],
      ['notifications/message', { level: 'error', data: null }],
    ])
    expect(await ask('logging/setLevel', { level: 'error' })).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    dropped.length = 0
    await ask('tools/call', { name: 'run' })
    expect(levels(dropped)).toEqual([['notifications/message', { level: 'error', data: null }]])
  })

  test('must be a known one, and needs a server that logs', async () => {
    expect(await open({ logging: true }).ask('logging/setLevel', { level: 'loud' })).toMatchObject({
      error: { code: -32602, message: "Invalid params: 'level' is not a log level" },
    })
    const { ask, dropped } = open()
    expect(await ask('logging/setLevel', { level: 'info' })).toMatchObject({ error: { code: -32601 } })
    await ask('tools/call', { name: 'run' })
    expect(dropped).toEqual([])
  })
})

describe('changes', () => {
  const resource = defineResource({ uri: 'x://a', name: 'a', read: () => '' })
  const dynamic = { resources: () => [resource], prompts: () => [] }

  test('of lists are sent after initialize, once', async () => {
    const { ask, sent, changeEvents } = open(dynamic)
    changeEvents.notifyListChanged('tools')
    expect(sent).toEqual([])
    await ask('initialize')
    await ask('initialize')
    for (const list of ['tools', 'prompts', 'resources'] as const) changeEvents.notifyListChanged(list)
    expect(sent).toEqual(
      ['tools', 'prompts', 'resources'].map((list) => ({
        jsonrpc: '2.0',
        method: `notifications/${list}/list_changed`,
        params: {},
      })),
    )
  })

  test('go to notify where nothing else can be sent', async () => {
    const { ask, sent, dropped, changeEvents } = open(dynamic, { send: undefined })
    await ask('initialize')
    changeEvents.notifyListChanged('tools')
    expect([sent, dropped.length]).toEqual([[], 1])
  })

  test('of resources are sent to subscribers, until they unsubscribe or disconnect', async () => {
    const { ask, sent, changeEvents, session } = open(dynamic)
    await ask('initialize')
    changeEvents.notifyResourceUpdated('x://a')
    expect(await ask('resources/subscribe', { uri: 'x://a' })).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    changeEvents.notifyResourceUpdated('x://a')
    changeEvents.notifyResourceUpdated('x://a', 'ann')
    changeEvents.notifyResourceUpdated('x://a', 'bob')
    changeEvents.notifyResourceUpdated('x://b')
    changeEvents.publish({ kind: 'task', id: 't', user: 'ann', params: '' })
    const updated = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'x://a' } }
    expect(sent).toEqual([updated, updated])
    expect(await ask('resources/unsubscribe', { uri: 'x://a' })).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    changeEvents.notifyResourceUpdated('x://a')
    expect(sent).toHaveLength(2)
    session.disconnect('gone')
    changeEvents.notifyListChanged('tools')
    expect(sent).toHaveLength(2)
  })

  test('cannot be subscribed to for resources that do not exist', async () => {
    const { ask } = open(dynamic)
    expect(await ask('resources/subscribe', { uri: 'y'.repeat(600) })).toMatchObject({
      error: { code: -32002, message: `Resource not found: ${'y'.repeat(500)}`, data: { uri: 'y'.repeat(600) } },
    })
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      expect(await ask(method, { uri: 5 })).toMatchObject({
        error: { code: -32602, message: "Invalid params: 'uri' must be a string" },
      })
    }
  })
})

describe('a message for the session', () => {
  const message = (outcomes: string[], members: Partial<PushMessage> = {}): PushMessage => ({
    kind: 'message',
    user: 'ann',
    session: 'one',
    content: 'It is done.',
    meta: { id: '1' },
    claim: () => outcomes.push('claimed') > 0,
    onWritten: () => outcomes.push('written'),
    ...members,
  })
  const logged = {
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { level: 'notice', logger: 'scorpiox-code', data: 'It is done.' },
  }
  const pushed = {
    jsonrpc: '2.0',
    method: 'notifications/claude/channel',
    params: { content: 'It is done.', meta: { id: '1' } },
  }

  async function publish(
    definition: Partial<ServerDefinition>,
    { capabilities = {}, members = {}, sink = {}, level = '' }: PublishOptions = {},
  ) {
    const outcomes: string[] = []
    const { ask, changeEvents, sent, dropped } = open(definition, sink)
    await ask('initialize', { capabilities })
    if (level) await ask('logging/setLevel', { level })
    changeEvents.publish(message(outcomes, members))
    return { sent, dropped, outcomes }
  }

  interface PublishOptions {
    readonly capabilities?: JsonObject
    readonly members?: Partial<PushMessage>
    readonly sink?: Partial<MessageSink>
    readonly level?: string
  }

  test('is logged for the user and pushed to the model', async () => {
    expect(await publish({ logging: true, channelPush: 'asked' }, { capabilities: CHANNEL })).toEqual({
      sent: [logged, pushed],
      dropped: [],
      outcomes: ['claimed', 'written'],
    })
  })

  test.each<[string, Partial<ServerDefinition>, PublishOptions, object[]]>([
    ['without logging', { channelPush: 'asked' }, { capabilities: CHANNEL }, [pushed]],
    [
      'above its log level',
      { logging: true, channelPush: 'asked' },
      { capabilities: CHANNEL, level: 'error' },
      [pushed],
    ],
    ['without the setting', { logging: true }, { capabilities: CHANNEL }, [logged]],
    ['of a client without the channel', { logging: true, channelPush: 'asked' }, {}, [logged]],
    ['of a client without the channel, with the setting `all`', { channelPush: 'all' }, {}, [pushed]],
    ['that is delivered otherwise', { channelPush: 'all' }, { members: { claim: () => false } }, []],
    ['of another user', { logging: true, channelPush: 'all' }, { members: { user: 'bob' } }, []],
    ['of another session', { logging: true, channelPush: 'all' }, { members: { session: 'two' } }, []],
    [
      'whose write cannot be confirmed',
      { logging: true, channelPush: 'all' },
      { sink: { onWritten: undefined as never } },
      [logged],
    ],
    [
      'on a connection that carries only answers',
      { logging: true, channelPush: 'all' },
      { sink: { send: undefined } },
      [],
    ],
  ])('%s', async (_name, definition, options, expected) => {
    const { sent, dropped } = await publish(definition, options)
    expect([sent, dropped]).toEqual([expected, []])
  })
})
