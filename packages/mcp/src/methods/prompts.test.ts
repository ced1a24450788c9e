// prompts/list, prompts/get and completion/complete, through a client in the same process.

import { describe, expect, test } from 'vitest'

import { definePrompt } from '../definitions/prompt.js'
import { defineResource, defineTemplate } from '../definitions/resource.js'
import { Failure } from '../errors.js'
import type { JsonObject } from '../json/json.js'
import { connectMemoryClient, RequestError } from '../memory/memory-client.js'
import { openMemoryTransport } from '../memory/memory-transport.js'
import type { Revision } from '../revisions/revision.js'
import { createMcpServer, type ServerDefinition } from '../server/mcp-server.js'

const many = Array.from({ length: 101 }, (_, index) => `value ${index}`)

const definition: ServerDefinition = {
  name: 'test',
  version: '0',
  pageSize: 3,
  services: { names: new Set(['disk']), open: () => ({ disk: 1 }), close: () => Promise.resolve() },
  prompts: [
    definePrompt({
      name: 'greet',
      description: 'Greets.',
      arguments: [
        { name: 'name', required: true, complete: (typed, others) => [`${typed}!`, JSON.stringify(others)] },
        { name: 'tone' },
        { name: 'many', complete: (typed) => (typed === 'exact' ? many.slice(1) : many) },
      ],
      get: (args) => [{ role: 'user', content: JSON.stringify(args) }],
    }),
    definePrompt({
      name: 'blocks',
      get: () => [
        { role: 'assistant', content: { type: 'resource_link', uri: 'x://a', name: 'a' } },
        { role: 'user', content: 'then' },
      ],
    }),
    {
      name: 'service',
      services: ['disk'],
      get: (_args, _call, services) => [{ role: 'user', content: JSON.stringify(services) }],
    },
    definePrompt({
      name: 'failure',
      get: () => {
        throw new Failure('Not today.')
      },
    }),
    // A mistake of the author.
    { name: 'wrong', get: () => 'text' as unknown as [] },
  ],
  resources: [defineResource({ uri: 'x://a', name: 'a', read: () => '' })],
  templates: [
    defineTemplate({ uriTemplate: 'a://{id}', name: 'a', complete: { id: (typed) => [`${typed}1`] }, read: () => '' }),
    defineTemplate({ uriTemplate: 'b://{id}', name: 'b', read: () => '' }),
  ],
}

function connect(revision: Revision = '2025-11-25', errors: unknown[] = []) {
  const server = createMcpServer({ ...definition, logError: (error) => errors.push(error) })
  return connectMemoryClient(openMemoryTransport(server), { revision })
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof RequestError)) throw new Error('no error answer')
  return { code: error.code, message: error.message }
}

describe('prompts', () => {
  test('are listed in pages', async () => {
    const client = await connect()
    const { prompts, nextCursor } = await client.request('prompts/list')
    expect(prompts).toEqual([
      {
        name: 'greet',
        description: 'Greets.',
        arguments: [{ name: 'name', required: true }, { name: 'tone' }, { name: 'many' }],
      },
      { name: 'blocks' },
      { name: 'service' },
    ])
    expect(await client.request('prompts/list', { cursor: nextCursor })).toEqual({
      prompts: [{ name: 'failure' }, { name: 'wrong' }],
    })
    const modern = await connect('2026-07-28')
    expect(await modern.request('prompts/list')).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' })
  })

  test.each(['2025-11-25', '2026-07-28'] as const)('receive their declared arguments, at %s', async (revision) => {
    const client = await connect(revision)
    const params = { name: 'greet', arguments: { name: 'Ann', tone: 'warm', other: 'x' } }
    expect(await client.request('prompts/get', params)).toMatchObject({
      description: 'Greets.',
      messages: [{ role: 'user', content: { type: 'text', text: '{"name":"Ann","tone":"warm"}' } }],
    })
    expect(await client.request('prompts/get', { name: 'service' })).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: '{"disk":1}' } }],
    })
  })

  test('send the blocks that the revision knows', async () => {
    const link = { type: 'resource_link', uri: 'x://a', name: 'a' }
    const then = { role: 'user', content: { type: 'text', text: 'then' } }
    const params = { name: 'blocks' }
    expect((await (await connect()).request('prompts/get', params)).messages).toEqual([
      { role: 'assistant', content: link },
      then,
    ])
    expect((await (await connect('2025-03-26')).request('prompts/get', params)).messages).toEqual([
      { role: 'assistant', content: { type: 'text', text: 'a: x://a' } },
      then,
    ])
  })

  test.each<[JsonObject, string]>([
    [{}, "Invalid params: 'name' must be a string"],
    [{ name: 'none' }, 'Unknown prompt: none'],
    [{ name: 'n'.repeat(200) }, `Unknown prompt: ${'n'.repeat(128)}`],
    [{ name: 'greet' }, "Invalid params: 'name' of prompt greet is required"],
    [{ name: 'greet', arguments: [] }, "Invalid params: 'arguments' must be an object"],
    [{ name: 'greet', arguments: { name: 5 } }, "Invalid params: 'name' of prompt greet must be a string"],
    [{ name: 'greet', arguments: { name: 'a', tone: 5 } }, "Invalid params: 'tone' of prompt greet must be a string"],
  ])('with the parameters %j are refused: %s', async (params, message) => {
    expect(await errorOf((await connect()).request('prompts/get', params))).toEqual({ code: -32602, message })
  })

  test('that fail say why; those that are wrong are logged', async () => {
    const errors: unknown[] = []
    const client = await connect('2025-11-25', errors)
    expect(await errorOf(client.request('prompts/get', { name: 'failure' }))).toEqual({
      code: -32603,
      message: 'Not today.',
    })
    expect(errors).toEqual([])
    expect(await errorOf(client.request('prompts/get', { name: 'wrong' }))).toMatchObject({ code: -32603 })
    expect(errors).toEqual([new Error('prompt wrong must return a list of messages')])
  })
})

describe('completion', () => {
  const complete = async (ref: unknown, argument: unknown, context?: unknown) => {
    const client = await connect()
    return client.request('completion/complete', { ref, argument, context })
  }
  const greet = { type: 'ref/prompt', name: 'greet' }

  test('suggests values for an argument, given the other arguments that are strings', async () => {
    const context = { arguments: { tone: 'warm', count: 5 } }
    expect(await complete(greet, { name: 'name', value: 'A' }, context)).toEqual({
      completion: { values: ['A!', '{"tone":"warm"}'], total: 2, hasMore: false },
    })
    for (const other of [undefined, 5, {}, { arguments: 5 }]) {
      expect(await complete(greet, { name: 'name', value: '' }, other)).toMatchObject({
        completion: { values: ['!', '{}'] },
      })
    }
  })

  test('sends at most a hundred values and says whether there are more', async () => {
    expect(await complete(greet, { name: 'many', value: '' })).toEqual({
      completion: { values: many.slice(0, 100), total: 101, hasMore: true },
    })
    expect(await complete(greet, { name: 'many', value: 'exact' })).toMatchObject({
      completion: { total: 100, hasMore: false },
    })
  })

  test('suggests values for a variable of a template', async () => {
    expect(await complete({ type: 'ref/resource', uri: 'a://{id}' }, { name: 'id', value: '7' })).toEqual({
      completion: { values: ['71'], total: 1, hasMore: false },
    })
  })

  test.each<[JsonObject, string]>([
    [greet, 'tone'],
    [greet, 'none'],
    [{ type: 'ref/resource', uri: 'a://{id}' }, 'toString'],
    [{ type: 'ref/resource', uri: 'b://{id}' }, 'id'],
    [{ type: 'ref/resource', uri: 'x://a' }, 'id'],
  ])('has no values for %j, %s', async (ref, name) => {
    expect(await complete(ref, { name, value: '' })).toEqual({ completion: { values: [], total: 0, hasMore: false } })
  })

  test.each([
    undefined,
    {},
    { type: 'ref/prompt', name: 'none' },
    { type: 'ref/prompt', name: 5 },
    { type: 'ref/prompt', uri: 'x://a' },
    { type: 'ref/resource', uri: 'none://a' },
    { type: 'ref/resource', name: 'greet' },
    { type: 'other', name: 'greet', uri: 'x://a' },
  ])('refuses the reference %j', async (ref) => {
    expect(await errorOf(complete(ref, { name: 'name', value: '' }))).toEqual({
      code: -32602,
      message: "Invalid params: 'ref' names no prompt and no resource of this server",
    })
  })

  test.each([undefined, {}, { name: 'name' }, { value: '' }, { name: 5, value: '' }, { name: 'name', value: 5 }])(
    'refuses the argument %j',
    async (argument) => {
      expect(await errorOf(complete(greet, argument))).toEqual({
        code: -32602,
        message: "Invalid params: 'argument' must have a 'name' and a 'value'",
      })
    },
  )
})
