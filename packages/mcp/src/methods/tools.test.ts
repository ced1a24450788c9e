// tools/list and tools/call: which tools are found, what they require, and what their results become.

import { describe, expect, test } from 'vitest'

import { defineTool, type ToolDefinition } from '../definitions/tool.js'
import type { JsonObject } from '../json/json.js'
import { connectMemoryClient, RequestError } from '../memory/memory-client.js'
import { openMemoryTransport } from '../memory/memory-transport.js'
import type { Revision } from '../revisions/revision.js'
import { createMcpServer, type ServerDefinition } from '../server/mcp-server.js'

const TASKS = 'io.modelcontextprotocol/tasks'

interface Client {
  readonly revision?: Revision
  readonly capabilities?: JsonObject
}

async function request(definition: Partial<ServerDefinition>, method: string, params: JsonObject, client: Client = {}) {
  const errors: unknown[] = []
  const server = createMcpServer({ name: 'test', version: '0', logError: (error) => errors.push(error), ...definition })
  const connected = await connectMemoryClient(openMemoryTransport(server), client)
  const answer = await connected.request(method, params).catch((error: unknown) => {
    if (!(error instanceof RequestError)) throw error
    return { code: error.code, message: error.message, ...(error.data !== undefined && { data: error.data }) }
  })
  return { answer, errors }
}

async function call(tool: Partial<ToolDefinition>, params: JsonObject = {}, client: Client = {}) {
  const whole = { ...defineTool({ name: 'run', run: () => 'done' }), ...tool }
  return (await request({ tools: [whole] }, 'tools/call', { name: 'run', ...params }, client)).answer
}

describe('arguments that the schema does not declare', () => {
  const namesGiven = (input: object) =>
    call(
      { input: { type: 'object', ...input }, run: (given) => Object.keys(given ?? {}).join() },
      { arguments: ARGUMENTS },
    )
  const ARGUMENTS = { a: 1, b: [{}, {}], toString: 'x' }

  test.each<[string, object, string]>([
    ['are dropped', { properties: { a: {} }, required: ['a'], title: 'x' }, 'a'],
    ['are dropped beside a name that every object has', { properties: { toString: {} } }, 'toString'],
    ['reach the tool if it declares none', {}, 'a,b,toString'],
    ['reach the tool if it accepts others', { properties: { a: {} }, additionalProperties: true }, 'a,b,toString'],
    ['reach the tool if other keywords may name them', { properties: { a: {} }, minProperties: 2 }, 'a,b,toString'],
  ])('%s', async (_, schema, names) => {
    expect(await namesGiven(schema)).toMatchObject({ content: [{ text: names }] })
  })

  test('are refused if the schema says so', async () => {
    expect(await namesGiven({ properties: { a: {} }, additionalProperties: false })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("'b' is not the one allowed field: a") }],
    })
  })

  test('are not kept while the call runs', async () => {
    const seen: unknown[] = []
    const observer = {
      onStart: (_: unknown, { input }: { input: unknown }) => void seen.push(input),
      onEnd: () => {},
      onDisconnect: () => {},
    }
    const tool = defineTool({
      name: 'run',
      input: { type: 'object', properties: { a: {} } },
      run: () => JSON.stringify(seen),
    })
    const { answer } = await request({ tools: [tool], observer }, 'tools/call', { name: 'run', arguments: ARGUMENTS })
    expect(answer).toMatchObject({ content: [{ text: '[{"a":1}]' }] })
  })
})

describe('a tool', () => {
  const tools = [defineTool({ name: 'a', run: () => 'A' }), defineTool({ name: 'b', run: () => 'B' })]
  const names = Array.from({ length: 60 }, (_, index) => `tool_${index}`)
  const many = names.map((name) => defineTool({ name, run: () => name }))

  test('is found by its name', async () => {
    expect((await request({ tools }, 'tools/call', { name: 'b' })).answer).toEqual({
      content: [{ type: 'text', text: 'B' }],
      isError: false,
    })
  })

  test.each<[Partial<ServerDefinition>, JsonObject, string]>([
    [{ tools }, {}, "Invalid params: 'name' must be a string"],
    [{ tools }, { name: 'none' }, 'Unknown tool: none (this server has a, b)'],
    [{ tools }, { name: 'n'.repeat(200) }, `Unknown tool: ${'n'.repeat(128)} (this server has a, b)`],
    [
      { tools: many },
      { name: 'none' },
      `Unknown tool: none (this server has ${names.slice(0, 50).join(', ')}, others)`,
    ],
    [{ tools: [] }, { name: 'none' }, 'Unknown tool: none (this server has no tools)'],
  ])('is refused (%#)', async (definition, params, message) => {
    expect((await request(definition, 'tools/call', params)).answer).toEqual({ code: -32602, message })
  })

  test('that is disabled is refused with the reason', async () => {
    const definition = { tools, disabledTools: new Map([['c', 'Switched off.']]) }
    expect((await request(definition, 'tools/call', { name: 'c' })).answer).toEqual({
      content: [{ type: 'text', text: 'Switched off.' }],
      isError: true,
    })
  })

  test('that was added is found after one refresh', async () => {
    let current: ToolDefinition[] = []
    const refreshLists = async () => void (current = tools)
    const definition = { tools: () => current, refreshLists }
    expect((await request(definition, 'tools/call', { name: 'a' })).answer).toMatchObject({ isError: false })
    expect((await request(definition, 'tools/call', { name: 'c' })).answer).toMatchObject({ code: -32602 })
    expect(
      (await request({ tools: () => tools, refreshLists: () => undefined }, 'tools/call', { name: 'a' })).answer,
    ).toMatchObject({ isError: false })
  })

  test('is listed in pages, with cache members for modern clients', async () => {
    const first = (await request({ tools, pageSize: 1 }, 'tools/list', {})).answer
    const listed = (name: string) => ({
      name,
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    })
    expect(first).toEqual({ tools: [listed('a')], nextCursor: expect.any(String) })
    const { nextCursor: cursor } = { nextCursor: '', ...first }
    expect((await request({ tools, pageSize: 1 }, 'tools/list', { cursor })).answer).toEqual({ tools: [listed('b')] })
    const modern = await request({ tools }, 'tools/list', {}, { revision: '2026-07-28' })
    expect(modern.answer).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' })
  })
})

describe('requirements', () => {
  const missing = (names: string) => `run needs a client that declares: ${names}`
  const refused = (names: string) => ({ content: [{ type: 'text', text: missing(names) }], isError: true })

  test('of client capabilities are checked', async () => {
    const tool = { requires: { sampling: {}, roots: {} } }
    expect(await call(tool)).toEqual(refused('sampling, roots'))
    expect(await call(tool, {}, { capabilities: { sampling: {} } })).toEqual(refused('roots'))
    expect(await call(tool, {}, { capabilities: { sampling: {}, roots: {} } })).toMatchObject({ isError: false })
    expect(await call(tool, {}, { revision: '2026-07-28' })).toEqual({
      code: -32021,
      message: missing('sampling, roots'),
      data: { requiredCapabilities: { sampling: {}, roots: {} } },
    })
  })

  test('of task support are checked', async () => {
    const tool = { taskSupport: 'always' as const }
    const modern = { revision: '2026-07-28' } as const
    expect(await call(tool)).toEqual(refused('extensions'))
    expect(await call(tool, {}, modern)).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
    })
    const other = { ...tool, requires: { roots: {}, extensions: { other: {} } } }
    expect(await call(other, {}, modern)).toMatchObject({
      data: { requiredCapabilities: { roots: {}, extensions: { other: {}, [TASKS]: {} } } },
    })
    const capabilities = { extensions: { [TASKS]: {} } }
    expect(await call(tool, {}, { ...modern, capabilities })).toMatchObject({ isError: false })
    expect(await call({ taskSupport: 'sometimes' })).toMatchObject({ isError: false })
  })
})

describe('a result', () => {
  const output = { type: 'object', properties: { a: { type: 'integer' } } }

  test('has the members that the output schema names', async () => {
    expect(await call({ output, run: () => ({ a: 1, b: 2 }) })).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
      isError: false,
      structuredContent: { a: 1 },
    })
    expect(await call({ output: { type: 'object' }, run: () => ({ a: 1, b: 2 }) })).toMatchObject({
      structuredContent: { a: 1, b: 2 },
    })
    expect(await call({ output, run: () => ({ a: 1 }) }, {}, { revision: '2025-06-18' })).toHaveProperty(
      'structuredContent',
    )
    expect(await call({ output, run: () => ({ a: 1 }) }, {}, { revision: '2025-03-26' })).not.toHaveProperty(
      'structuredContent',
    )
    expect(await call({ output, run: () => ({ content: 'no', isError: true }) })).toEqual({
      content: [{ type: 'text', text: 'no' }],
      isError: true,
    })
  })

  test('that is not the promised object is a bug of the tool, logged with its name', async () => {
    const tool = { ...defineTool({ name: 'run', run: () => 'text' }), output }
    const { answer, errors } = await request({ tools: [tool] }, 'tools/call', { name: 'run' })
    expect(answer).toMatchObject({ code: -32603 })
    const [error] = errors
    if (!(error instanceof Error)) throw new Error('nothing logged')
    expect(error.message).toBe('in tool run: TypeError: output promises an object')
    expect(error.stack).toMatch(/^in tool run: TypeError: output promises an object\n/)
    expect(error.cause).toBeInstanceOf(TypeError)
  })

  test('of a tool that throws no error is logged with its name, too', async () => {
    const run = () => {
      // oxlint-disable-next-line no-throw-literal, typescript/only-throw-error -- tools of others do
      throw 'text'
    }
    const { errors } = await request({ tools: [defineTool({ name: 'run', run })] }, 'tools/call', { name: 'run' })
    expect(errors).toEqual([new Error('in tool run: text')])
  })

  test('may have data for programs', async () => {
    const tool = { run: () => 'done', meta: (value: unknown) => ({ value }) }
    expect(await call(tool)).toEqual({
      content: [{ type: 'text', text: 'done' }],
      isError: false,
      _meta: { value: 'done' },
    })
    expect(await call(tool, {}, { revision: '2026-07-28' })).toMatchObject({
      resultType: 'complete',
      _meta: { value: 'done' },
    })
  })

  test.each([
    { then: 5 },
    null,
    { content: [{ type: 'text', text: 'a' }, { type: 'none' }] },
    [{ type: 'image', data: 5, mimeType: 'image/png' }],
    [{ type: 'audio', data: 'AAAA' }],
    [{ type: 'resource', resource: { uri: 5 } }],
    [{ type: 'resource' }],
    [{ type: 'resource_link', uri: 'x://a' }],
    [{ type: 'resource_link', name: 'a' }],
    { isError: 'yes', content: [{ type: 'text', text: 'a' }] },
    [],
  ])('%j is data, sent as JSON', async (value) => {
    expect(await call({ run: () => value })).toEqual({
      content: [{ type: 'text', text: JSON.stringify(value) }],
      isError: false,
    })
  })

  test.each([
    [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }],
    [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
    [{ type: 'resource', resource: { uri: 'x://a', text: '' } }],
    [{ type: 'resource_link', uri: 'x://a', name: 'a' }],
  ])('%j is a block', async (block) => {
    expect(await call({ run: () => [block] })).toEqual({ content: [block], isError: false })
    expect(await call({ run: () => ({ content: [block] }) })).toEqual({ content: [block], isError: false })
  })

  test('is well-formed text', async () => {
    expect(await call({ run: () => 'a\ud800' })).toMatchObject({ content: [{ text: 'a\ufffd' }] })
  })
})

describe('arguments', () => {
  const input = {
    type: 'object',
    properties: { a: { type: 'integer' }, list: { type: 'array', items: { type: 'integer' } } },
    required: ['a'],
  }
  const run = (value: unknown) => JSON.stringify(value)

  test('that are missing have their defaults', async () => {
    const tool = { input, defaultArguments: { a: 5 }, run }
    expect(await call(tool)).toMatchObject({ content: [{ text: '{"a":5}' }] })
    expect(await call(tool, { arguments: { a: 6 } })).toMatchObject({ content: [{ text: '{"a":6}' }] })
    expect(await call(tool, { arguments: 7 })).toMatchObject({
      content: [{ text: 'Invalid arguments: the arguments must be an object, got 7' }],
      isError: true,
    })
  })

  test('that are invalid are explained, in the words of the tool if it has any', async () => {
    expect(await call({ input, run })).toMatchObject({
      content: [{ text: "Invalid arguments: 'a' is required" }],
      isError: true,
    })
    const argumentErrors = { a: 'Give a number.', list: 'Give numbers.' }
    const params = { arguments: { a: 'x', list: ['y'] } }
    expect(await call({ input, argumentErrors, run }, params)).toMatchObject({
      content: [{ text: 'Invalid arguments: Give a number.; Give numbers.' }],
    })
    expect(await call({ input, run }, {}, { revision: '2024-11-05' })).toEqual({
      code: -32602,
      message: "Invalid params: 'a' is required",
      data: { problems: [{ path: 'a', message: "'a' is required" }] },
    })
  })

  test('reach the tool with its services', async () => {
    const services = { names: new Set(['disk']), open: () => ({ disk: 1 }), close: () => Promise.resolve() }
    const echo = { name: 'run', run: (_input: unknown, _call: unknown, opened: unknown) => JSON.stringify(opened) }
    const { answer } = await request({ services, tools: [{ ...echo, services: ['disk'] }] }, 'tools/call', {
      name: 'run',
    })
    expect(answer).toMatchObject({ content: [{ text: '{"disk":1}' }] })
    expect((await request({ services, tools: [echo] }, 'tools/call', { name: 'run' })).answer).toMatchObject({
      content: [{ text: '{}' }],
    })
  })
})
