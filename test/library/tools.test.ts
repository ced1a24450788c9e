// Optional members of a tool, their defaults, and the errors of an invalid definition.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { connect, defineTool, type JsonObject, type Revision, type ToolDefinition } from '@scorpiox/app/library'
import { TOOLS } from '@scorpiox/server/tool-list'
import { LEGACY, MODERN } from '../support/client.js'

const REVISIONS = [...LEGACY, MODERN] as const

async function ask(
  tools: readonly ToolDefinition[],
  method: string,
  params?: JsonObject,
  revision?: Revision,
): Promise<JsonObject> {
  const client = await connect({ name: 'tested', version: '1', tools }, revision && { revision })
  try {
    return await client.request(method, params)
  } finally {
    await client.close()
  }
}

async function resultText(run: () => unknown, more: Partial<ToolDefinition> = {}): Promise<JsonObject> {
  return ask([{ ...defineTool({ name: 'x', run }), ...more }], 'tools/call', { name: 'x' })
}

test.each(REVISIONS)(
  'a tool with a name and a function is listed without invented members, at %s',
  async (revision) => {
    const { tools } = await ask([defineTool({ name: 'x', run: () => '' })], 'tools/list', {}, revision)
    const inputSchema = { type: 'object', properties: {}, additionalProperties: false }
    expect(tools).toEqual([{ name: 'x', inputSchema }])
  },
)

test.each([
  [{ readOnly: true }, { readOnlyHint: true }],
  [
    { readOnly: false, destructive: false },
    { readOnlyHint: false, destructiveHint: false },
  ],
  [
    { idempotent: true, openWorld: false },
    { idempotentHint: true, openWorldHint: false },
  ],
  // The defaults that the protocol defines.
  [{ idempotent: false, openWorld: true }, undefined],
  [{}, undefined],
])('the hints %o are sent as %o', async (hints, annotations) => {
  const { tools } = await ask([defineTool({ name: 'x', hints, run: () => '' })], 'tools/list')
  expect(tools).toMatchObject([annotations ? { annotations } : { name: 'x' }])
  expect(JSON.stringify(tools).includes('annotations')).toBe(annotations !== undefined)
})

test('each of the thirteen tools says all there is to say', () => {
  const all = ['title', 'description', 'hints', 'input']
  // The protocol gives `idempotentHint` a meaning only for tools that change something.
  const hintNames = (tool: ToolDefinition): string[] =>
    tool.hints?.readOnly === true
      ? ['readOnly', 'destructive', 'openWorld']
      : ['readOnly', 'destructive', 'idempotent', 'openWorld']
  const isMissing = (tool: ToolDefinition): boolean =>
    all.some((part) => !(part in tool)) ||
    !('load' in tool || 'format' in tool) ||
    hintNames(tool).some((name) => !(name in (tool.hints ?? {})))
  const gaps = TOOLS.filter(isMissing)
  expect([TOOLS.length, gaps.map(({ name }) => name)]).toEqual([13, []])
})

test('a tool without input takes no arguments', async () => {
  const tool = defineTool({ name: 'x', run: () => 'done' })
  expect(await ask([tool], 'tools/call', { name: 'x', arguments: {} })).toMatchObject({ isError: false })
  expect(await ask([tool], 'tools/call', { name: 'x', arguments: { y: 1 } })).toMatchObject({ isError: true })
})

describe('without a format function', () => {
  test('a tool returns strings unchanged', () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        expect(await resultText(() => text)).toEqual({ content: [{ type: 'text', text }], isError: false })
      }),
      { numRuns: 30 },
    ))

  test('a tool returns data as JSON', () =>
    fc.assert(
      fc.asyncProperty(
        fc.jsonValue().filter((value) => typeof value !== 'string'),
        async (value) => {
          const { content, isError } = await resultText(() => Promise.resolve(value))
          const [block] = Array.isArray(content) ? content : []
          expect([block.type, JSON.parse(block.text), isError]).toEqual([
            'text',
            JSON.parse(JSON.stringify(value)),
            false,
          ])
        },
      ),
      { numRuns: 60 },
    ))

  test.each([
    [[{ type: 'text', text: 'a' }], false],
    [
      [
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'text', text: 'b' },
      ],
      false,
    ],
    [[{ type: 'resource', resource: { uri: 'x://y', text: 'z' } }], false],
    [[{ type: 'resource_link', uri: 'x://y', name: 'y' }], false],
  ])('content blocks are returned unchanged: %o', async (content, isError) => {
    expect(await resultText(() => content)).toEqual({ content, isError })
    expect(await resultText(() => ({ content, isError: true }))).toEqual({ content, isError: true })
    expect(await resultText(() => ({ content }))).toEqual({ content, isError: false })
  })

  test('a text can be an error for the model', async () => {
    const content = [{ type: 'text', text: 'no' }]
    expect(await resultText(() => ({ content: 'no', isError: true }))).toEqual({ content, isError: true })
  })

  test.each([
    [[]],
    [[{ type: 'text' }]],
    [[{ type: 'text', text: 5 }]],
    [[{ type: 'image', data: 'AAAA' }]],
    [[{ type: 'video', data: 'AAAA' }]],
    [{ content: 'c' }],
    [{ content: 5, isError: false }],
    [{ type: 'text', text: 'alone' }],
  ])('data that resembles content blocks is data: %o', async (value) => {
    expect(await resultText(() => value)).toEqual({
      content: [{ type: 'text', text: JSON.stringify(value) }],
      isError: false,
    })
  })

  test('a tool that returns nothing has an empty result', async () => {
    expect(await resultText(() => undefined)).toEqual({ content: [], isError: false })
  })

  test('data that cannot be serialized is a bug, and its details are not sent', async () => {
    const errors: unknown[] = []
    const logError = (error: unknown) => errors.push(error)
    const tools = [defineTool({ name: 'counter', run: () => 5n })]
    const client = await connect({ name: 'tested', version: '1', tools, logError })
    await expect(client.request('tools/call', { name: 'counter' })).rejects.toMatchObject({
      code: -32603,
      message: "Internal error in tools/call; see the server's log",
    })
    expect(errors).toMatchObject([{ message: expect.stringContaining('tool counter') }])
    await client.close()
  })

  test('with an output schema the declared part is sent as text and as structured content', async () => {
    const output = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const
    const add = defineTool({ name: 'x', output, run: () => ({ sum: 3, secret: 'kept' }) })
    expect(await ask([add], 'tools/call', { name: 'x' })).toEqual({
      content: [{ type: 'text', text: '{"sum":3}' }],
      isError: false,
      structuredContent: { sum: 3 },
    })
  })

  test('with an output schema an error for the model is still sent', async () => {
    const output = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const
    const content = [{ type: 'text', text: 'no' }]
    expect(await resultText(() => ({ content: 'no', isError: true }), { output })).toEqual({ content, isError: true })
  })

  test('an output with such a member itself is data', async () => {
    const output = {
      type: 'object',
      properties: { content: { type: 'string' }, isError: { type: 'boolean' } },
    } as const
    const value = { content: 'no', isError: true }
    expect(await resultText(() => value, { output })).toMatchObject({ isError: false, structuredContent: value })
  })
})

describe('a bug of a tool is reported with its name', () => {
  const output = { type: 'object', properties: { sum: { type: 'number' } } } as const

  test.each<[string, Partial<ToolDefinition>]>([
    ['promises an object and gives a text', { output, run: () => 'three' }],
    ['promises an object and gives nothing', { output, run: () => undefined }],
    ['promises an object and gives a list', { output, run: () => [3] }],
    ['gives what is no JSON', { output, run: () => ({ sum: 3n }) }],
    ['renders nothing', { run: () => 3, format: () => JSON.parse('5') }],
    [
      'throws a string',
      {
        run() {
          throw JSON.parse('"word"')
        },
      },
    ],
    ['has no run', JSON.parse('{ "run": null }')],
    ['has an invalid schema', { input: { type: 'object', properties: { a: { type: 'txt' } } } }],
    ['has a larger invalid schema', { input: { type: 'object', anyOf: [{ type: 'txt' }] } }],
  ])('one that %s', async (_what, more) => {
    const errors: unknown[] = []
    const tools = [{ ...defineTool({ name: 'adder', run: () => '' }), ...more }]
    const client = await connect({ name: 'tested', version: '1', tools, logError: (error) => errors.push(error) })
    await expect(client.request('tools/call', { name: 'adder' })).rejects.toMatchObject({ code: -32603 })
    expect(errors).toMatchObject([{ message: expect.stringContaining('tool adder') }])
    await client.close()
  })
})

describe('argument errors', () => {
  const tool = defineTool({
    name: 'x',
    input: {
      type: 'object',
      properties: {
        verb: { enum: ['eat', 'go'] },
        place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        verbose: { type: 'boolean' },
      },
      required: ['verb'],
    },
    argumentErrors: { verb: 'read grammar://verbs first', place: 'where?' },
    run: ({ verb }) => verb,
  })

  test.each([
    [{ verb: 'fly' }, 'read grammar://verbs first'],
    [{}, 'read grammar://verbs first'],
    [{ verb: 'eat', place: {} }, 'where?'],
    [{ verb: 'eat', place: { city: 5 } }, 'where?'],
    [{ verb: 'fly', place: 5 }, 'read grammar://verbs first; where?'],
    // Its name starts with that of another.
    [{ verb: 'eat', verbose: 5 }, "'verbose' must be a boolean, got 5"],
    [5, 'the arguments must be an object, got 5'],
  ])('%o is answered with %s', async (args, text) => {
    expect(await ask([tool], 'tools/call', { name: 'x', arguments: args })).toEqual({
      content: [{ type: 'text', text: `Invalid arguments: ${text}` }],
      isError: true,
    })
    const oldest = ask([tool], 'tools/call', { name: 'x', arguments: args }, '2024-11-05')
    await expect(oldest).rejects.toMatchObject({
      code: -32602,
      message: `Invalid params: ${text}`,
      data: {
        problems: [{ message: expect.not.stringContaining('grammar://') }, ...(text.includes(';') ? [{}] : [])],
      },
    })
  })
})

test.each(['{}', '{ "name": "x" }', '{ "name": "x", "version": "" }'])('%s is an invalid server', async (text) => {
  await expect(connect(JSON.parse(text))).rejects.toThrow('needs a name and a version')
})

test('a server without tools does not declare them', async () => {
  const client = await connect({ name: 'tested', version: '1', prompts: [{ name: 'p', get: () => [] }] })
  expect(client.server.capabilities).toEqual({ prompts: { listChanged: false } })
  await expect(client.request('tools/list')).rejects.toMatchObject({ code: -32601 })
  await client.close()
})

test('logging is declared by servers that use it', async () => {
  const tools = [
    defineTool({
      name: 'x',
      run(_input, { log }) {
        log('error', 'logged')
      },
    }),
  ]
  for (const logging of [true, false]) {
    const client = await connect({ name: 'tested', version: '1', tools, logging })
    await client.request('tools/call', { name: 'x' })
    expect([client.server.capabilities, client.notifications]).toMatchObject([
      logging ? { logging: {} } : {},
      logging ? [{ method: 'notifications/message', params: { level: 'error', data: 'logged' } }] : [],
    ])
    await client.close()
  }
})
