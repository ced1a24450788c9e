// What each revision receives: the handshake and the fields it defines, and no others.

import { resolve } from 'node:path'

import { describe, expect, test } from 'vitest'

import { type Json, LEGACY, MODERN, modernMeta, startServer, type TestClient } from './support/client.js'

const FIXTURE = resolve(import.meta.dirname, 'fixture/server.mjs')

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

async function at(revision: string): Promise<TestClient> {
  const client = startServer({ args: [FIXTURE] })
  if (revision !== MODERN) await client.initialize(revision)
  return client
}

function ask(client: TestClient, revision: string, method: string, params: object = {}): Promise<Json> {
  return client.request(method, revision === MODERN ? { ...params, ...modernMeta() } : params)
}

const ALL = [...LEGACY, MODERN]

describe('negotiation', () => {
  test.each(LEGACY)('%s is echoed', async (revision) => {
    const client = startServer()
    expect((await client.initialize(revision)).result.protocolVersion).toBe(revision)
    await client.close()
  })

  test.each(['1999-01-01', '2024-10-07', MODERN, '2099-01-01', ''])(
    '%j is answered with the newest legacy revision',
    async (revision) => {
      const client = startServer()
      expect((await client.initialize(revision)).result.protocolVersion).toBe('2025-11-25')
      await client.close()
    },
  )

  test('an initialize without a version is served, one with a malformed version is refused', async () => {
    const client = startServer()
    expect((await client.request('initialize', {})).result.protocolVersion).toBe('2025-11-25')
    expect(await client.request('initialize', { protocolVersion: 5 })).toMatchObject({ error: { code: -32602 } })
    await client.close()
  })

  test('a request before initialize is served at the newest legacy revision', async () => {
    const client = startServer()
    const [tool] = (await client.request('tools/list')).result.tools
    expect(tool).toMatchObject({ title: expect.any(String), annotations: { readOnlyHint: false } })
    await client.close()
  })
})

describe('the modern era', () => {
  test('server/discover describes the server', async () => {
    const client = startServer()
    expect((await client.request('server/discover', modernMeta())).result).toEqual({
      resultType: 'complete',
      supportedVersions: [MODERN, ...LEGACY.toReversed()],
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        extensions: {
          'io.modelcontextprotocol/tasks': {},
          'io.modelcontextprotocol/skills': { directoryRead: true },
        },
      },
      instructions: expect.any(String),
      ttlMs: expect.any(Number),
      cacheScope: expect.stringMatching(/^(public|private)$/),
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'scorpiox-code', version: '1.0.0' } },
    })
    expect((await client.initialize('2025-06-18')).result.protocolVersion).toBe('2025-06-18')
    await client.close()
  })

  test.each(['1999-01-01', '2099-01-01', '2025-11-25'])(
    'the version %s is refused, on every request',
    async (version) => {
      const client = startServer()
      await client.request('server/discover', modernMeta())
      for (const method of ['server/discover', 'tools/list', 'nope']) {
        expect(await client.request(method, modernMeta({ [VERSION]: version }))).toMatchObject({
          error: { code: -32022, data: { supported: [MODERN, ...LEGACY.toReversed()], requested: version } },
        })
      }
      await client.close()
    },
  )

  test.each([
    ['no version', { [CAPABILITIES]: {} }],
    ['no capabilities', { [VERSION]: MODERN }],
    ['a version that is no string', { [VERSION]: 20260728, [CAPABILITIES]: {} }],
    ['capabilities that are no object', { [VERSION]: MODERN, [CAPABILITIES]: [] }],
  ])('%s in _meta is -32602', async (_, meta) => {
    const client = startServer()
    expect(await client.request('tools/list', { _meta: meta })).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('_meta') },
    })
    await client.close()
  })

  test('server/discover without _meta is -32602', async () => {
    const client = startServer()
    expect(await client.request('server/discover')).toMatchObject({ error: { code: -32602 } })
    await client.close()
  })

  test.each(['ping', 'logging/setLevel', 'resources/subscribe'])('%s no longer exists', async (method) => {
    const client = startServer()
    expect(await client.request(method, modernMeta())).toMatchObject({ error: { code: -32601 } })
    await client.close()
  })

  test('every result has resultType complete and the server info', async () => {
    const client = await at(MODERN)
    for (const [method, params] of [
      ['tools/list', {}],
      ['tools/call', { name: 'echo', arguments: { text: 'x' } }],
      ['tools/call', { name: 'echo' }],
    ] as const) {
      expect((await ask(client, MODERN, method, params)).result).toMatchObject({
        resultType: 'complete',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'fixture', version: '1.0.0' } },
      })
    }
    await client.close()
  })
})

test.each(ALL)('the name and the instructions of a server at %s', async (revision) => {
  const client = await at(revision)
  const method = revision === MODERN ? 'server/discover' : 'initialize'
  const { result } = await ask(client, revision, method, { protocolVersion: revision })
  const identity = revision === MODERN ? result._meta['io.modelcontextprotocol/serverInfo'] : result.serverInfo
  const title = revision < '2025-06-18' ? {} : { title: 'The fixture' }
  expect(identity).toEqual({ name: 'fixture', version: '1.0.0', ...title })
  expect(result.instructions).toBe('For tests only.')
  await client.close()
})

test.each(['2025-06-18', MODERN])(
  'the members of the output schema are structured, at %s, and no others',
  async (revision) => {
    const client = await at(revision)
    const chosen = await ask(client, revision, 'tools/call', { name: 'structured', arguments: { a: 1 } })
    expect(chosen.result.structuredContent).toEqual({ sum: 2 })
    const open = await ask(client, revision, 'tools/call', { name: 'open', arguments: {} })
    expect(open.result.structuredContent).toEqual({ any: 1, names: 2 })
    await client.close()
  },
)

describe('the fields of a revision', () => {
  const MEMBERS: Record<string, readonly string[]> = {
    '2024-11-05': ['name', 'description', 'inputSchema'],
    '2025-03-26': ['name', 'description', 'inputSchema', 'annotations'],
    '2025-06-18': ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
    '2025-11-25': ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
    '2026-07-28': ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
  }

  test.each(ALL)('a tool at %s', async (revision) => {
    const client = await at(revision)
    const { tools } = (await ask(client, revision, 'tools/list')).result
    expect(Object.keys(tools.find((tool: Json) => tool.name === 'structured'))).toEqual(MEMBERS[revision])
    await client.close()
  })

  test.each(ALL)('a structured result at %s', async (revision) => {
    const client = await at(revision)
    const { result } = await ask(client, revision, 'tools/call', { name: 'structured', arguments: { a: 1 } })
    expect(result).toMatchObject({ content: [{ type: 'text', text: '{"sum":2}' }], isError: false })
    expect(result.structuredContent).toEqual(revision < '2025-06-18' ? undefined : { sum: 2 })
    expect(result.resultType).toEqual(revision === MODERN ? 'complete' : undefined)
    await client.close()
  })

  test.each(ALL)('content at %s', async (revision) => {
    const client = await at(revision)
    const { result } = await ask(client, revision, 'tools/call', { name: 'blocks', arguments: { kind: 'all' } })
    expect(result.content.map(({ type }: Json) => type)).toEqual([
      'text',
      'image',
      revision < '2025-03-26' ? 'text' : 'audio',
      revision < '2025-06-18' ? 'text' : 'resource_link',
      'resource',
    ])
    if (revision < '2025-06-18') expect(result.content[3].text).toContain('file:///fixture/linked.txt')
    await client.close()
  })

  test.each(ALL)('progress messages at %s', async (revision) => {
    const client = await at(revision)
    const meta = revision === MODERN ? modernMeta({ progressToken: 7 }) : { _meta: { progressToken: 7 } }
    await client.request('tools/call', { name: 'steps', arguments: {}, ...meta })
    const first = client.received.find(({ method }) => method === 'notifications/progress')
    const message = revision < '2025-03-26' ? {} : { message: 'step 1' }
    expect(first.params).toEqual({ progressToken: 7, progress: 1, total: 5, ...message })
    await client.close()
  })
})

describe('batches', () => {
  const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' })
  const call = (id: number, text: string): object => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text } },
  })

  test('at 2025-03-26 a batch is answered as a batch', async () => {
    const client = await at('2025-03-26')
    client.send([
      ping(1),
      { jsonrpc: '2.0', method: 'notifications/x' },
      call(2, 'two'),
      5,
      { jsonrpc: '2.0', id: 3, method: 'initialize', params: {} },
    ])
    const batch = await client.waitFor(Array.isArray)
    expect(batch).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: { content: [{ text: 'two' }] } },
      { id: null, error: { code: -32600 } },
      { id: 3, error: { code: -32600 } },
    ])
    await client.close()
  })

  test('a batch of notifications gets nothing, an empty one an error', async () => {
    const client = await at('2025-03-26')
    client.send([{ jsonrpc: '2.0', method: 'notifications/x' }])
    client.send([])
    await client.request('ping')
    expect(client.received.slice(1)).toMatchObject([{ id: null, error: { code: -32600 } }, { result: {} }])
    await client.close()
  })

  test('ids beyond 2^53 are exact in batches too', async () => {
    const client = await at('2025-03-26')
    let raw = ''
    client.child.stdout.on('data', (chunk: Buffer) => (raw += chunk.toString()))
    client.write(
      '[ {"jsonrpc":"2.0","id":9007199254740993,"method":"ping"} , {"a":[1,"]"],"jsonrpc":"2.0","id":-9007199254740995,"method":"ping"}]\n',
    )
    await client.waitFor(Array.isArray)
    expect(raw).toContain('"id":9007199254740993,')
    expect(raw).toContain('"id":-9007199254740995,')
    await client.close()
  })

  test('a cancelled call is left out of the answer', async () => {
    const client = await at('2025-03-26')
    client.send([
      ping(1),
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'wait', arguments: { label: 'x' } } },
    ])
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
    expect(await client.waitFor(Array.isArray)).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
    await client.close()
  })

  test.each(['2024-11-05', '2025-06-18', '2025-11-25'])('at %s a batch is refused once', async (revision) => {
    const client = await at(revision)
    client.send([ping(1), ping(2)])
    expect(await client.waitFor(({ id }) => id === null)).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('batch') },
    })
    await client.request('ping')
    expect(client.received).toHaveLength(3)
    await client.close()
  })
})
