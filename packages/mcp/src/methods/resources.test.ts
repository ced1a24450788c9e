// resources/list, resources/templates/list and resources/read, through a client in the same process.

import { expect, test } from 'vitest'

import { defineResource, defineTemplate } from '../definitions/resource.js'
import { Failure } from '../errors.js'
import type { JsonObject } from '../json/json.js'
import { connectMemoryClient, RequestError } from '../memory/memory-client.js'
import { openMemoryTransport } from '../memory/memory-transport.js'
import type { Revision } from '../revisions/revision.js'
import { createMcpServer, type ServerDefinition } from '../server/mcp-server.js'

const LEGACY = '2025-11-25'
const MODERN = '2026-07-28'
const NOT_FOUND = { [LEGACY]: -32002, [MODERN]: -32602 } as const

const opened: (readonly string[])[] = []

const definition: ServerDefinition = {
  name: 'test',
  version: '0',
  pageSize: 2,
  services: {
    names: new Set(['disk']),
    open: (names) => {
      opened.push(names)
      return { disk: 'opened' }
    },
    close: () => Promise.resolve(),
  },
  resources: [
    defineResource({ uri: 'x://text', name: 'text', mimeType: 'text/plain', read: () => 'hello' }),
    defineResource({ uri: 'x://bytes', name: 'bytes', read: () => new Uint8Array([1, 2, 3]) }),
    defineResource({ uri: 'x://parts', name: 'parts', read: () => [{ uri: 'x://part', text: 'one' }] }),
    {
      uri: 'x://service',
      name: 'service',
      services: ['disk'],
      read: (_call, services) => JSON.stringify(services),
    },
    defineResource({
      uri: 'x://failure',
      name: 'failure',
      read: () => {
        throw new Failure('Try again later.')
      },
    }),
    // A mistake of the author.
    { uri: 'x://wrong', name: 'wrong', read: () => 5 as unknown as string },
  ],
  templates: [
    defineTemplate({
      uriTemplate: 'a://{id}',
      name: 'a',
      mimeType: 'text/x',
      read: ({ id }) => (id === 'no' ? undefined : id),
    }),
    defineTemplate({ uriTemplate: 'b://{id}', name: 'b', read: () => 'b' }),
    defineTemplate({ uriTemplate: 'c://{id}', name: 'c', read: () => 'c' }),
  ],
}

function connect(revision: Revision) {
  return connectMemoryClient(openMemoryTransport(createMcpServer(definition)), { revision })
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof RequestError)) throw new Error('no error answer')
  return { code: error.code, message: error.message, data: error.data }
}

/** The result without the members that every modern result has. */
function withoutEnvelope({ resultType: _type, _meta, ...members }: JsonObject): JsonObject {
  return members
}

const CACHE = { [LEGACY]: {}, [MODERN]: { ttlMs: 300_000, cacheScope: 'private' } } as const
const READ_CACHE = { [LEGACY]: {}, [MODERN]: { ttlMs: 0, cacheScope: 'private' } } as const

test.each([LEGACY, MODERN] as const)('lists pages of resources, at %s', async (revision) => {
  const client = await connect(revision)
  const first = await client.request('resources/list')
  expect(withoutEnvelope(first)).toEqual({
    resources: [
      { uri: 'x://text', name: 'text', mimeType: 'text/plain' },
      { uri: 'x://bytes', name: 'bytes' },
    ],
    nextCursor: expect.any(String),
    ...CACHE[revision],
  })
  const second = await client.request('resources/list', { cursor: first.nextCursor })
  expect(second.resources).toEqual([
    { uri: 'x://parts', name: 'parts' },
    { uri: 'x://service', name: 'service' },
  ])
  const templates = await client.request('resources/templates/list')
  expect(withoutEnvelope(templates)).toEqual({
    resourceTemplates: [
      { uriTemplate: 'a://{id}', name: 'a', mimeType: 'text/x' },
      { uriTemplate: 'b://{id}', name: 'b' },
    ],
    nextCursor: expect.any(String),
    ...CACHE[revision],
  })
  const last = await client.request('resources/templates/list', { cursor: templates.nextCursor })
  expect(withoutEnvelope(last)).toEqual({
    resourceTemplates: [{ uriTemplate: 'c://{id}', name: 'c' }],
    ...CACHE[revision],
  })
  // A cursor belongs to its list.
  expect(await errorOf(client.request('resources/list', { cursor: templates.nextCursor }))).toMatchObject({
    code: -32602,
  })
})

test.each([LEGACY, MODERN] as const)('reads text, bytes, parts and templates, at %s', async (revision) => {
  const client = await connect(revision)
  const read = async (uri: string) => withoutEnvelope(await client.request('resources/read', { uri }))
  const cache = READ_CACHE[revision]
  expect(await read('x://text')).toEqual({
    contents: [{ uri: 'x://text', mimeType: 'text/plain', text: 'hello' }],
    ...cache,
  })
  expect(await read('x://bytes')).toEqual({ contents: [{ uri: 'x://bytes', blob: 'AQID' }], ...cache })
  expect(await read('x://parts')).toEqual({ contents: [{ uri: 'x://part', text: 'one' }], ...cache })
  expect(await read('a://7')).toEqual({ contents: [{ uri: 'a://7', mimeType: 'text/x', text: '7' }], ...cache })
  opened.length = 0
  expect(await read('x://service')).toMatchObject({ contents: [{ text: '{"disk":"opened"}' }] })
  expect(opened).toEqual([['disk']])
  await read('x://text')
  expect(opened).toEqual([['disk'], []])
})

test.each([LEGACY, MODERN] as const)('reports what cannot be read, at %s', async (revision) => {
  const client = await connect(revision)
  const read = (params: JsonObject) => errorOf(client.request('resources/read', params))
  for (const uri of ['x://none', 'a://no']) {
    expect(await read({ uri })).toEqual({
      code: NOT_FOUND[revision],
      message: `Resource not found: ${uri}`,
      data: { uri },
    })
  }
  expect(await read({ uri: 'y'.repeat(600) })).toMatchObject({ message: `Resource not found: ${'y'.repeat(500)}` })
  expect(await read({ uri: 'x://failure' })).toEqual({
    code: -32603,
    message: 'Try again later.',
    data: { uri: 'x://failure' },
  })
  expect(await read({ uri: 'x://wrong' })).toEqual({
    code: -32603,
    message: "Internal error in resources/read; see the server's log",
    data: undefined,
  })
  expect(await read({})).toEqual({ code: -32602, message: "Invalid params: 'uri' must be a string", data: undefined })
})

test('a resource that returns something else is logged with its URI', async () => {
  const errors: unknown[] = []
  const server = createMcpServer({ ...definition, logError: (error) => errors.push(error) })
  const client = await connectMemoryClient(openMemoryTransport(server))
  await errorOf(client.request('resources/read', { uri: 'x://wrong' }))
  expect(errors).toEqual([new Error('resource x://wrong must return text, bytes or a list of parts')])
})
