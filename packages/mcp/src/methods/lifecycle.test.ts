// What initialize and server/discover declare, and which methods exist on which server.

import { describe, expect, test } from 'vitest'

import { definePrompt } from '../definitions/prompt.js'
import { defineResource, defineTemplate } from '../definitions/resource.js'
import { defineTool } from '../definitions/tool.js'
import type { JsonObject } from '../json/json.js'
import { connectMemoryClient, RequestError } from '../memory/memory-client.js'
import { openMemoryTransport } from '../memory/memory-transport.js'
import { createMcpServer, type ServerDefinition } from '../server/mcp-server.js'
import type { Revision } from '../revisions/revision.js'

const TASKS = 'io.modelcontextprotocol/tasks'
const SKILLS = 'io.modelcontextprotocol/skills'

const tool = defineTool({ name: 'run', run: () => 'done' })
const resource = defineResource({ uri: 'x://a', name: 'a', read: () => '' })
const prompt = definePrompt({ name: 'p', get: () => [] })
const completable = definePrompt({ name: 'c', arguments: [{ name: 'a', complete: () => [] }], get: () => [] })

async function connect(definition: Partial<ServerDefinition>, revision: Revision, capabilities: JsonObject = {}) {
  const server = createMcpServer({ name: 'test', version: '1', title: 'Test', instructions: 'Read.', ...definition })
  return connectMemoryClient(openMemoryTransport(server), { revision, capabilities })
}

test('initialize answers with the revision, the server and its instructions', async () => {
  expect((await connect({}, '2025-11-25')).server).toEqual({
    protocolVersion: '2025-11-25',
    capabilities: {},
    serverInfo: { name: 'test', version: '1', title: 'Test' },
    instructions: 'Read.',
  })
})

test('server/discover answers with all versions and may be cached', async () => {
  expect((await connect({}, '2026-07-28')).server).toEqual({
    resultType: 'complete',
    supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
    capabilities: {},
    instructions: 'Read.',
    ttlMs: 300_000,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1', title: 'Test' } },
  })
})

const DECLARED: readonly (readonly [string, Partial<ServerDefinition>, JsonObject])[] = [
  ['no tools', { tools: [] }, { tools: { listChanged: false } }],
  ['tools', { tools: [tool] }, { tools: { listChanged: false } }],
  ['tools that change', { tools: () => [tool] }, { tools: { listChanged: true } }],
  ['resources', { resources: [resource] }, { resources: { subscribe: true, listChanged: false } }],
  ['resources that change', { resources: () => [] }, { resources: { subscribe: true, listChanged: true } }],
  [
    'templates',
    { templates: [defineTemplate({ uriTemplate: 'a://{id}', name: 'a', read: () => '' })] },
    { resources: { subscribe: true, listChanged: false } },
  ],
  [
    'templates with suggestions',
    { templates: [defineTemplate({ uriTemplate: 'a://{id}', name: 'a', complete: {}, read: () => '' })] },
    { resources: { subscribe: true, listChanged: false }, completions: {} },
  ],
  ['prompts', { prompts: [prompt] }, { prompts: { listChanged: false } }],
  ['prompts that change', { prompts: () => [] }, { prompts: { listChanged: true } }],
  [
    'prompts with suggestions',
    { prompts: [prompt, completable] },
    { prompts: { listChanged: false }, completions: {} },
  ],
  ['logging', { logging: true }, { logging: {} }],
]

describe('a server declares', () => {
  test.each(DECLARED)('%s', async (_name, definition, capabilities) => {
    for (const revision of ['2025-03-26', '2025-11-25', '2026-07-28'] as const) {
      expect((await connect(definition, revision)).server.capabilities).toEqual(capabilities)
    }
    const { completions: _completions, ...oldest } = capabilities
    expect((await connect(definition, '2024-11-05')).server.capabilities).toEqual(oldest)
  })

  test('extensions, to legacy clients only if they declare extensions', async () => {
    const definition = { tools: [{ ...tool, taskSupport: 'sometimes' as const }], skills: [] }
    const tools = { listChanged: false }
    const skills = { [SKILLS]: { directoryRead: true } }
    expect((await connect(definition, '2025-11-25')).server.capabilities).toEqual({ tools })
    expect((await connect(definition, '2025-11-25', { extensions: {} })).server.capabilities).toEqual({
      tools,
      extensions: skills,
    })
    expect((await connect(definition, '2026-07-28')).server.capabilities).toEqual({
      tools,
      extensions: { [TASKS]: {}, ...skills },
    })
    expect((await connect({ tools: [] }, '2025-11-25', { extensions: {} })).server.capabilities).toEqual({ tools })
  })

  test('the channel, if it is configured and the client declares it', async () => {
    const channel = { experimental: { 'claude/channel': {} } }
    const { server } = await connect({ channelPush: 'asked' }, '2025-11-25', channel)
    expect(server.capabilities).toEqual(channel)
    expect((await connect({}, '2025-11-25', channel)).server.capabilities).toEqual({})
    expect((await connect({ channelPush: 'asked' }, '2025-11-25')).server.capabilities).toEqual({})
    expect((await connect({ channelPush: 'all' }, '2025-11-25')).server.capabilities).toEqual(channel)
  })
})

const METHODS = [
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/directory/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'skills/list',
  'skills/get',
] as const
const LEGACY_ONLY = ['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'] as const
const MODERN_ONLY = ['server/discover', 'tasks/get', 'tasks/update', 'tasks/cancel'] as const

async function existing(definition: Partial<ServerDefinition>, revision: Revision): Promise<readonly string[]> {
  const client = await connect(definition, revision)
  const names: string[] = []
  for (const method of [...METHODS, ...LEGACY_ONLY, ...MODERN_ONLY, 'toString', 'none', 'none/such']) {
    const error = await client.request(method).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    const isMissing = error instanceof RequestError && error.code === -32601
    if (isMissing) expect(error.message).toBe(`Method not found: ${method}`)
    else names.push(method)
  }
  return names
}

describe('the methods of a server', () => {
  const everything: Partial<ServerDefinition> = {
    tools: [{ ...tool, taskSupport: 'sometimes' }],
    resources: [resource],
    prompts: [completable],
    skills: [],
    logging: true,
  }

  test('with everything', async () => {
    // server/discover is modern in itself.
    expect(await existing(everything, '2025-11-25')).toEqual([...METHODS, ...LEGACY_ONLY, 'server/discover'])
    expect(await existing(everything, '2026-07-28')).toEqual([...METHODS, ...MODERN_ONLY])
  })

  test.each<[Partial<ServerDefinition>, string[]]>([
    [{}, []],
    [{ tools: [] }, ['tools/list']],
    [{ resources: () => [] }, ['resources/list', 'resources/templates/list', 'resources/read']],
    [{ prompts: () => [] }, ['prompts/list', 'prompts/get']],
    [{ skills: [] }, ['resources/directory/read', 'skills/list', 'skills/get']],
  ])('with %j', async (definition, methods) => {
    const subscriptions = methods.includes('resources/list') ? ['resources/subscribe', 'resources/unsubscribe'] : []
    expect(await existing(definition, '2025-11-25')).toEqual([...methods, 'ping', ...subscriptions, 'server/discover'])
    expect(await existing(definition, '2026-07-28')).toEqual([...methods, 'server/discover'])
  })
})

test('lists are brought up to date before they are read', async () => {
  const calls: string[] = []
  const refreshLists = async () => void calls.push('refreshed')
  const definition = { tools: () => [tool], resources: () => [resource], prompts: () => [prompt], refreshLists }
  const client = await connect(definition, '2025-11-25')
  for (const method of ['tools/list', 'resources/list', 'prompts/list']) {
    calls.length = 0
    await client.request(method)
    expect(calls).toContain('refreshed')
  }
})
