// Resources, prompts, completion, pagination, log messages and change notifications at every revision, tested with raw
// lines.

import { resolve } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Json, LEGACY, MODERN, modernMeta, startServer, type TestClient } from './support/client.js'

const FIXTURE = resolve(import.meta.dirname, 'fixture/everything.mjs')
const ALL = [...LEGACY, MODERN]
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

const start = (): TestClient => startServer({ args: [FIXTURE] })

/** One client for each revision; tests without changes share them. */
const clients = new Map<string, TestClient>()

beforeAll(async () => {
  for (const revision of ALL) {
    const client = start()
    if (revision !== MODERN) await client.initialize(revision)
    clients.set(revision, client)
  }
})

afterAll(() => Promise.all([...clients.values()].map((client) => client.close())))

function ask(revision: string, method: string, params: object = {}, client = clients.get(revision)!): Promise<Json> {
  return client.request(method, revision === MODERN ? { ...params, ...modernMeta() } : params)
}

const call = (name: string, args: object = {}): object => ({ name, arguments: args })

describe.each(ALL)('at %s', (revision) => {
  const isModern = revision === MODERN
  const notFound = isModern ? -32602 : -32002

  test('the server declares its capabilities', async () => {
    const method = isModern ? 'server/discover' : 'initialize'
    const { capabilities } = (await ask(revision, method, { protocolVersion: revision })).result
    expect(capabilities).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
      ...(revision >= '2025-03-26' && { completions: {} }),
      ...(isModern && { extensions: { 'io.modelcontextprotocol/tasks': {} } }),
    })
  })

  test.each([
    ['test://text', [{ uri: 'test://text', mimeType: 'text/plain', text: 'words and half a character \ufffd' }]],
    ['test://bytes', [{ uri: 'test://bytes', mimeType: 'application/octet-stream', blob: 'AP+A' }]],
    [
      'test://parts',
      [
        { uri: 'test://parts/1', text: 'one \ufffd' },
        { uri: 'test://parts/2', blob: 'AA==', mimeType: 'image/png' },
      ],
    ],
    ['test://note/a%20b', [{ uri: 'test://note/a%20b', mimeType: 'text/plain', text: 'note a b' }]],
    ['test://tree/a/b/c', [{ uri: 'test://tree/a/b/c', text: '"a/b/c"' }]],
  ])('%s is read', async (uri, contents) => {
    const { result } = await ask(revision, 'resources/read', { uri })
    expect(result.contents).toEqual(contents)
    expect(result.resultType).toBe(isModern ? 'complete' : undefined)
    expect('ttlMs' in result && 'cacheScope' in result).toBe(isModern)
  })

  test.each([
    'test://nothing',
    'test://note/none',
    'test://note/a/b',
    'test://note/a%2Fb',
    'test://note/%ZZ',
    'test://note/',
    '',
    `test://note/${'x'.repeat(9000)}`,
  ])('%s is not found', async (uri) => {
    expect(await ask(revision, 'resources/read', { uri })).toMatchObject({
      error: { code: notFound, message: expect.stringContaining('not found'), data: { uri } },
    })
  })

  test('a failure is explained, a bug is not, and a URI must be a string', async () => {
    const { error } = await ask(revision, 'resources/read', { uri: 'test://failing' })
    expect(error).toMatchObject({ code: -32603, message: 'The shelf is empty.' })
    expect((await ask(revision, 'resources/read', { uri: 'test://broken' })).error.message).toMatch(/see the server's/)
    expect(await ask(revision, 'resources/read', { uri: 7 })).toMatchObject({ error: { code: -32602 } })
  })

  test('the format of resources and prompts', async () => {
    const [resource] = (await ask(revision, 'resources/list')).result.resources
    expect(resource).toEqual({
      uri: 'test://text',
      name: 'text',
      description: 'What is at test://text.',
      mimeType: 'text/plain',
      size: 5,
      ...(revision >= '2025-06-18' && { title: 'Text' }),
    })
    const [prompt] = (await ask(revision, 'prompts/list')).result.prompts
    expect(prompt).toEqual({
      name: 'greet',
      description: 'Greets.',
      arguments: [{ name: 'who', required: true }, { name: 'where' }],
      ...(revision >= '2025-06-18' && { title: 'Greet' }),
    })
  })

  test('a prompt is filled in, in the format of the revision', async () => {
    const { result } = await ask(revision, 'prompts/get', call('greet', { who: 'Ann', unknown: 5 }))
    expect(result.description).toBe('Greets.')
    expect(result.messages.map(({ content }: Json) => content.type)).toEqual([
      'text',
      revision < '2025-03-26' ? 'text' : 'audio',
      revision < '2025-06-18' ? 'text' : 'resource_link',
    ])
    expect(result.messages[0]).toEqual({ role: 'user', content: { type: 'text', text: 'Greet Ann here' } })
    const broken = await ask(revision, 'prompts/get', call('broken-text'))
    expect(broken.result.messages[0].content.text).toBe('half \ufffd')
  })

  test.each([
    ['an argument that is missing', call('greet'), "'who'"],
    ['an argument that is no string', call('greet', { who: 5 }), "'who'"],
    ['arguments that are no object', { name: 'greet', arguments: [] }, "'arguments'"],
    ['an unknown prompt', call('nope'), 'nope'],
    ['a prototype name', call('__proto__'), '__proto__'],
    ['no name', {}, "'name'"],
  ])('%s is -32602', async (_, params, word) => {
    const { error } = await ask(revision, 'prompts/get', params)
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(word) })
  })

  test('completion: at most 100 values, with the total', async () => {
    const ref = { type: 'ref/resource', uri: 'test://note/{id}' }
    const complete = async (value: string): Promise<Json> =>
      (await ask(revision, 'completion/complete', { ref, argument: { name: 'id', value } })).result.completion
    expect(await complete('')).toMatchObject({ total: 250, hasMore: true })
    expect((await complete('')).values).toHaveLength(100)
    expect(await complete('n24')).toMatchObject({ total: 11, hasMore: false, values: { length: 11 } })
    expect(await complete('zzz')).toEqual({ values: [], total: 0, hasMore: false })
  })

  test('completion of a prompt gets the other arguments; unknown arguments have no values', async () => {
    const ref = { type: 'ref/prompt', name: 'greet' }
    const complete = (name: string, more: object = {}): Promise<Json> =>
      ask(revision, 'completion/complete', { ref, argument: { name, value: 'A' }, ...more })
    expect((await complete('who')).result.completion.values).toEqual(['A-anywhere'])
    const context = { arguments: { where: 'home', other: 5 } }
    expect((await complete('who', { context })).result.completion.values).toEqual(['A-home'])
    for (const name of ['where', 'nope', 'constructor']) {
      expect((await complete(name)).result.completion.values).toEqual([])
    }
  })

  test.each([
    ['an unknown prompt', { ref: { type: 'ref/prompt', name: 'nope' }, argument: { name: 'a', value: '' } }],
    ['an unknown template', { ref: { type: 'ref/resource', uri: 'nope://x' }, argument: { name: 'a', value: '' } }],
    ['an unknown kind', { ref: { type: 'ref/other', name: 'greet' }, argument: { name: 'a', value: '' } }],
    ['no reference', { argument: { name: 'a', value: '' } }],
    ['no argument', { ref: { type: 'ref/prompt', name: 'greet' } }],
    ['a value that is no string', { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'a', value: 1 } }],
  ])('completion of %s is -32602', async (_, params) => {
    expect(await ask(revision, 'completion/complete', params)).toMatchObject({ error: { code: -32602 } })
  })

  const LISTS = [
    ['tools/list', 'tools'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
    ['prompts/list', 'prompts'],
  ] as const

  test.each(LISTS)('%s is listed in pages, each entry once', async (method, member) => {
    const pages = await walk(revision, method, member)
    expect(pages.length).toBeGreaterThan(2)
    expect(pages.slice(0, -1).map(({ length }) => length)).toEqual(pages.slice(0, -1).map(() => 3))
    const names = pages.flat().map(({ name }) => name)
    expect([...new Set(names)]).toEqual(names)
  })

  test('a cursor of another list is -32602, never the first page', async () => {
    const cursors = await Promise.all(LISTS.map(async ([method]) => (await ask(revision, method)).result.nextCursor))
    for (const [index, [method]] of LISTS.entries()) {
      const own: string = cursors[index]
      const mangled = [
        `${own}=`,
        own.slice(0, -1),
        `${own}A`,
        own.toUpperCase(),
        ` ${own}`,
        `${own}\n`,
        '',
        '*',
        'AAAA',
      ]
      const foreign = cursors.filter((cursor) => cursor !== own)
      for (const cursor of [...mangled, ...foreign, 5, null, true, {}, [own]]) {
        expect([cursor, (await ask(revision, method, { cursor })).error?.code]).toEqual([cursor, -32602])
      }
    }
  })
})

async function walk(revision: string, method: string, member: string): Promise<Json[][]> {
  const pages: Json[][] = []
  for (let cursor: string | undefined; pages.length < 100;) {
    const { result } = await ask(revision, method, cursor === undefined ? {} : { cursor })
    pages.push(result[member])
    cursor = result.nextCursor
    if (cursor === undefined) return pages
  }
  throw new Error('the list does not end')
}

test('methods without a declared capability do not exist', async () => {
  const client = startServer({ env: { TOOLS: '0' } })
  await client.initialize('2025-11-25')
  for (const method of [
    'resources/list',
    'resources/read',
    'resources/subscribe',
    'resources/unsubscribe',
    'prompts/list',
    'completion/complete',
    'tasks/get',
    'skills/list',
    'skills/get',
    'resources/directory/read',
  ]) {
    expect([method, (await client.request(method, { uri: 'x', level: 'info' })).error?.code]).toEqual([method, -32601])
  }
  await client.close()
})

describe('log messages', () => {
  const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
  const levelsOf = (client: TestClient): string[] =>
    client.received
      .filter(({ method, params }) => method === 'notifications/message' && params.logger === 'chatter')
      .map(({ params }) => params.level)

  test.each(LEGACY)('at %s, of the configured level and above', async (revision) => {
    const client = start()
    await client.initialize(revision)
    await client.request('tools/call', call('chatter'))
    expect(levelsOf(client)).toEqual(LEVELS.slice(1))
    for (const level of ['debug', 'warning', 'emergency']) {
      expect(await client.request('logging/setLevel', { level })).toMatchObject({ result: {} })
      client.clearReceived()
      await client.request('tools/call', call('chatter'))
      expect(levelsOf(client)).toEqual(LEVELS.slice(LEVELS.indexOf(level)))
    }
    const bare = client.received.find(({ params }) => params?.level === 'emergency' && params.logger === undefined)
    expect(bare.params).toEqual({ level: 'emergency', data: null })
    for (const level of ['loud', 5, undefined, 'constructor']) {
      expect(await client.request('logging/setLevel', { level })).toMatchObject({ error: { code: -32602 } })
    }
    await client.close()
  })

  test('modern ones are requested per call, and without a level none are sent', async () => {
    const client = start()
    await client.initialize('2025-11-25')
    await client.request('logging/setLevel', { level: 'debug' })
    await client.request('tools/call', { ...call('chatter'), ...modernMeta() })
    expect(levelsOf(client)).toEqual([])
    await client.request('tools/call', { ...call('chatter'), ...modernMeta({ [LOG_LEVEL]: 'error' }) })
    expect(levelsOf(client)).toEqual(LEVELS.slice(4))
    const bad = await client.request('tools/call', { ...call('chatter'), ...modernMeta({ [LOG_LEVEL]: 'loud' }) })
    expect(bad).toMatchObject({ error: { code: -32602 } })
    await client.close()
  })
})

describe('changes', () => {
  const LISTS = ['tools', 'resources', 'prompts'] as const
  const notifications = (client: TestClient): Json[] => client.received.filter(({ method }) => method !== undefined)

  test.each(LEGACY)('of lists are notified to a client at %s, and visible', async (revision) => {
    const client = start()
    await client.request('tools/call', call('change', { list: 'tools' }))
    expect(notifications(client)).toEqual([])
    await client.initialize(revision)
    for (const list of LISTS) {
      await client.request('tools/call', call('change', { list }))
      const method = `notifications/${list}/list_changed`
      expect(notifications(client).at(-1)).toEqual({ jsonrpc: '2.0', method, params: {} })
    }
    expect((await client.request('tools/call', call('visitor-3'))).error.code).toBe(-32602)
    expect(await client.request('tools/call', call('visitor-1'))).toMatchObject({ result: { isError: false } })
    expect(await client.request('resources/read', { uri: 'test://visitor/1' })).toMatchObject({ result: {} })
    await client.close()
  })

  test.each(LEGACY)('of a resource are notified to subscribers, at %s', async (revision) => {
    const client = start()
    await client.initialize(revision)
    const update = (uri: string): Promise<Json> => client.request('tools/call', call('update', { uri }))
    await update('test://text')
    expect(await client.request('resources/subscribe', { uri: 'test://text' })).toMatchObject({ result: {} })
    expect(await client.request('resources/subscribe', { uri: 'test://note/1' })).toMatchObject({ result: {} })
    for (const uri of ['test://text', 'test://bytes', 'test://note/1', 'test://note/2']) await update(uri)
    await client.request('resources/unsubscribe', { uri: 'test://text' })
    await update('test://text')
    expect(notifications(client)).toEqual(
      ['test://text', 'test://note/1'].map((uri) => ({
        jsonrpc: '2.0',
        method: 'notifications/resources/updated',
        params: { uri },
      })),
    )
    expect(await client.request('resources/subscribe', { uri: 'x://y' })).toMatchObject({ error: { code: -32002 } })
    expect(await client.request('resources/subscribe', {})).toMatchObject({ error: { code: -32602 } })
    expect(await client.request('resources/unsubscribe', { uri: 'x://y' })).toMatchObject({ result: {} })
    await client.close()
  })
})

describe('subscriptions/listen', () => {
  const open = (client: TestClient, id: string | number, notifications: unknown): void =>
    client.send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { notifications, ...modernMeta() } })
  const of = (client: TestClient, id: string | number): Json[] =>
    client.received.filter(({ params }) => params?._meta?.[SUBSCRIPTION] === id)
  const acknowledged = (client: TestClient, id: string | number): Promise<Json> =>
    client.waitFor(
      ({ method, params }) =>
        method === 'notifications/subscriptions/acknowledged' && params._meta[SUBSCRIPTION] === id,
    )
  const modern = (client: TestClient, name: string, args: object): Promise<Json> =>
    client.request('tools/call', { ...call(name, args), ...modernMeta() })

  test('each listener receives what it requested, under its own id, after the acknowledgement', async () => {
    const client = start()
    open(client, 1, { toolsListChanged: true, resourceSubscriptions: ['test://text', 'x://y'], nonsense: true })
    open(client, '1', { promptsListChanged: true, toolsListChanged: false })
    open(client, 'none', undefined)
    expect((await acknowledged(client, 1)).params.notifications).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['test://text'],
    })
    expect((await acknowledged(client, '1')).params.notifications).toEqual({ promptsListChanged: true })
    expect((await acknowledged(client, 'none')).params.notifications).toEqual({})
    for (const list of ['tools', 'resources', 'prompts']) await modern(client, 'change', { list })
    for (const uri of ['test://text', 'test://bytes']) await modern(client, 'update', { uri })
    const ack = 'notifications/subscriptions/acknowledged'
    expect(of(client, 1).map(({ method }) => method)).toEqual([
      ack,
      'notifications/tools/list_changed',
      'notifications/resources/updated',
    ])
    expect(of(client, 1)[2].params).toEqual({ _meta: { [SUBSCRIPTION]: 1 }, uri: 'test://text' })
    expect(of(client, '1').map(({ method }) => method)).toEqual([ack, 'notifications/prompts/list_changed'])
    expect(of(client, 'none').map(({ method }) => method)).toEqual([ack])
    await client.close()
  })

  test.each(['EOF', 'SIGTERM'])('%s ends it with its result', async (end) => {
    const client = start()
    for (const id of [7, 'seven']) {
      open(client, id, { toolsListChanged: true })
      await acknowledged(client, id)
    }
    if (end === 'SIGTERM') client.child.kill('SIGTERM')
    expect(await client.close()).toBe(0)
    for (const id of [7, 'seven']) {
      const answers = client.received.filter((message) => message.id === id)
      expect(answers).toEqual([
        {
          jsonrpc: '2.0',
          id,
          result: {
            resultType: 'complete',
            _meta: {
              [SUBSCRIPTION]: id,
              'io.modelcontextprotocol/serverInfo': { name: 'everything', version: '1.0.0' },
            },
          },
        },
      ])
    }
  })

  test('a cancellation ends it without a message', async () => {
    const client = start()
    open(client, 1, { toolsListChanged: true })
    open(client, 2, { toolsListChanged: true })
    await Promise.all([acknowledged(client, 1), acknowledged(client, 2)])
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    await modern(client, 'change', { list: 'tools' })
    expect(of(client, 1)).toHaveLength(1)
    expect(of(client, 2)).toHaveLength(2)
    expect(await client.close()).toBe(0)
    expect(client.received.filter(({ id }) => id === 1)).toEqual([])
    expect(client.received.filter(({ id }) => id === 2)).toEqual([expect.anything()])
  })

  test.each([
    ['a filter that is no object', [], -32602],
    ['names that are no list', { resourceSubscriptions: 'test://text' }, -32602],
    ['a name that is no text', { resourceSubscriptions: [5] }, -32602],
    ['too many names', { resourceSubscriptions: Array.from({ length: 1001 }, () => 'x') }, -32602],
    ['tasks without the extension', { taskIds: [] }, -32021],
  ])('%s is refused', async (_, notifications, code) => {
    const client = clients.get(MODERN)!
    expect(await client.request('subscriptions/listen', { notifications, ...modernMeta() })).toMatchObject({
      error: { code },
    })
  })

  test('a hundred are allowed, and more after some have ended', async () => {
    const client = start()
    for (let id = 1; id <= 100; id++) open(client, id, {})
    await acknowledged(client, 100)
    const refused = await client.request('subscriptions/listen', modernMeta())
    expect(refused.error).toMatchObject({ code: -32603, message: expect.stringContaining('100') })
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 50 } })
    open(client, 101, {})
    await acknowledged(client, 101)
    await client.close()
  })

  test('is refused in a batch, and delays no other request', async () => {
    const client = start()
    await client.initialize('2025-03-26')
    client.send([
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 2, method: 'subscriptions/listen', params: modernMeta() },
    ])
    expect(await client.waitFor(Array.isArray)).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32600 } },
    ])
    await client.close()
  })
})
