// Views of MCP Apps: what clients with and without the extension see of tools and resources, at each revision.

import { describe, expect, test } from 'vitest'

import { defineResource, defineTemplate } from '../definitions/resource.js'
import { defineTool } from '../definitions/tool.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { connectMemoryClient, RequestError } from '../memory/memory-client.js'
import { openMemoryTransport } from '../memory/memory-transport.js'
import { SUPPORTED_REVISIONS } from '../revisions/revision.js'
import { createMcpServer, type ServerDefinition } from '../server/mcp-server.js'

const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }
const OTHERS: readonly JsonObject[] = [
  {},
  { extensions: {} },
  { extensions: { 'io.modelcontextprotocol/ui': {} } },
  { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } } },
  { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: 'text/html;profile=mcp-app' } } },
  { extensions: ['io.modelcontextprotocol/ui'] },
]

const time = defineResource({ uri: 'x://time', name: 'time', read: () => 'twelve' })
const zone = defineTemplate({ uriTemplate: 'x://time/{zone}', name: 'zone', read: () => 'twelve' })

const plain: ServerDefinition = {
  name: 'test',
  version: '0',
  tools: [defineTool({ name: 'clock', run: () => 'twelve' })],
  resources: [time],
  templates: [zone],
  messageQueue: { takeBatch: () => ({ text: 'for the model', confirm: () => {}, release: () => {} }) },
}

const ui = { csp: { connectDomains: ['https://time.example'] }, prefersBorder: true }
const withViews: ServerDefinition = {
  ...plain,
  tools: [
    defineTool({
      name: 'clock',
      ui: { resourceUri: 'ui://clock/face' },
      run: (_input, call) => (call.clientAbilities.apps ? 'twelve, with a view' : 'twelve'),
    }),
    defineTool({ name: 'wind', ui: { visibility: ['app'] }, run: () => 'wound' }),
  ],
  resources: [
    time,
    defineResource({
      uri: 'ui://clock/face',
      name: 'face',
      mimeType: 'text/html;profile=mcp-app',
      ui,
      read: () => '<!doctype html>',
    }),
  ],
  templates: [
    zone,
    defineTemplate({ uriTemplate: 'ui://clock/data/{zone}', name: 'data', read: ({ zone: name }) => name }),
  ],
}

const LISTS = ['tools/list', 'resources/list', 'resources/templates/list'] as const

async function connect(
  definition: ServerDefinition,
  revision: (typeof SUPPORTED_REVISIONS)[number],
  capabilities: JsonObject,
) {
  return connectMemoryClient(openMemoryTransport(createMcpServer(definition)), { revision, capabilities })
}

describe.each(SUPPORTED_REVISIONS)('at %s', (revision) => {
  test.each(OTHERS)('a client that declares %j sees what a server without views has', async (capabilities) => {
    const [before, after] = await Promise.all([
      connect(plain, revision, capabilities),
      connect(withViews, revision, capabilities),
    ])
    expect(after.server).toEqual(before.server)
    for (const list of LISTS) expect(await after.request(list)).toEqual(await before.request(list))
    for (const uri of ['ui://clock/face', 'ui://clock/data/utc'])
      await expect(after.request('resources/read', { uri })).rejects.toThrow(`Resource not found: ${uri}`)
    await expect(after.request('tools/call', { name: 'wind', arguments: {} })).rejects.toThrow(
      'Unknown tool: wind (this server has clock)',
    )
    const { content } = await after.request('tools/call', { name: 'clock', arguments: {} })
    expect(content).toMatchObject([{ text: 'for the model\n\n' }, { text: 'twelve' }])
  })

  test('a client with the extension sees the views and the tools for them', async () => {
    const client = await connect(withViews, revision, APPS)
    expect(client.server.capabilities).toMatchObject({ extensions: { 'io.modelcontextprotocol/ui': {} } })
    const { tools } = await client.request('tools/list')
    expect(tools).toMatchObject([
      { name: 'clock', _meta: { ui: { resourceUri: 'ui://clock/face' } } },
      { name: 'wind', _meta: { ui: { visibility: ['app'] } } },
    ])
    const { resources } = await client.request('resources/list')
    expect(resources).toMatchObject([{ uri: 'x://time' }, { uri: 'ui://clock/face', _meta: { ui } }])
    expect(Array.isArray(resources) && isJsonObject(resources[0]) && '_meta' in resources[0]).toBe(false)
    const { resourceTemplates } = await client.request('resources/templates/list')
    expect(resourceTemplates).toMatchObject([
      { uriTemplate: 'x://time/{zone}' },
      { uriTemplate: 'ui://clock/data/{zone}' },
    ])
    const { contents } = await client.request('resources/read', { uri: 'ui://clock/face' })
    expect(contents).toEqual([
      { uri: 'ui://clock/face', mimeType: 'text/html;profile=mcp-app', text: '<!doctype html>', _meta: { ui } },
    ])
    expect(await client.request('resources/read', { uri: 'ui://clock/data/utc' })).toMatchObject({
      contents: [{ text: 'utc' }],
    })
  })

  test('messages for the model are not taken by a call of a view', async () => {
    const client = await connect(withViews, revision, APPS)
    const byView = await client.request('tools/call', { name: 'wind', arguments: {} })
    expect(byView.content).toEqual([{ type: 'text', text: 'wound' }])
    const byModel = await client.request('tools/call', { name: 'clock', arguments: {} })
    expect(byModel.content).toMatchObject([{ text: 'for the model\n\n' }, { text: 'twelve, with a view' }])
  })
})

test('a server without views does not announce the extension', async () => {
  const client = await connect(plain, '2026-07-28', APPS)
  expect(client.server.capabilities).not.toHaveProperty('extensions')
  await expect(client.request('resources/read', { uri: 'ui://clock/face' })).rejects.toThrow(RequestError)
})
