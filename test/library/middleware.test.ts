// Middleware around tools, resources and prompts: what it sees, what it can change, and that questions, progress, tasks
// and cancellation work through it.

import { afterEach, describe, expect, test } from 'vitest'

import {
  connect,
  definePrompt,
  defineResource,
  defineTemplate,
  defineTool,
  Failure,
  type JsonObject,
  type Middleware,
  type RunningHttpServer,
  serveHttp,
  type ServeOptions,
} from '@scorpiox/app/library'
import { LEGACY, MODERN } from '../support/client.js'
import { requestModern } from './http-call.js'

const REVISIONS = [...LEGACY, MODERN] as const

const greet = defineTool({
  name: 'greet',
  hints: { readOnly: true },
  input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  run({ name }) {
    if (name === 'nobody') throw new Failure('Nobody is not a name.')
    if (name === 'bug') throw new TypeError('broken on purpose')
    return `Hello, ${name}`
  },
  meta: () => ({ 'com.example/kind': 'greeting' }),
})
const measure = defineTool({
  name: 'measure',
  output: { type: 'object', properties: { size: { type: 'number' } }, required: ['size'] },
  run: () => ({ size: 4 }),
})

function serverWith(middleware: readonly Middleware[], more: Partial<ServeOptions> = {}): ServeOptions {
  return { name: 'tested', version: '1', tools: [greet, measure], middleware, logError: () => {}, ...more }
}

async function callWith(
  middleware: readonly Middleware[],
  params: JsonObject = { name: 'greet', arguments: { name: 'Ann' } },
  more: Partial<ServeOptions> = {},
): Promise<JsonObject> {
  const client = await connect(serverWith(middleware, more), { revision: '2025-11-25' })
  try {
    return await client.request('tools/call', params)
  } finally {
    await client.close()
  }
}

const textOf = (result: JsonObject): unknown => [result.content, result.isError]
const answered = (text: string, isError = false): unknown => [[{ type: 'text', text }], isError]

describe.each(REVISIONS)('at %s', (revision) => {
  test('sees the call and the result, and changes nothing by itself', async () => {
    const seen: unknown[] = []
    const watch: Middleware = {
      async callTool(call, next) {
        const { tool, user, client } = call
        seen.push([tool.name, tool.hints, call.arguments, user !== '', client, call.auth])
        const result = await next()
        seen.push(result)
        return result
      },
    }
    const params = { name: 'greet', arguments: { name: 'Ann' } }
    const results: unknown[] = []
    for (const middleware of [[], [watch]]) {
      const client = await connect(serverWith(middleware), { revision })
      results.push(await client.request('tools/call', params))
      await client.close()
    }
    expect(results[1]).toEqual(results[0])
    expect(seen).toEqual([
      ['greet', { readOnly: true }, { name: 'Ann' }, true, expect.any(String), undefined],
      {
        content: [{ type: 'text', text: 'Hello, Ann' }],
        isError: false,
        meta: { 'com.example/kind': 'greeting' },
      },
    ])
  })

  test('asks the client before the tool runs', async () => {
    const confirm: Middleware = {
      async callTool(call, next) {
        if (!call.clientAbilities.form) return next()
        const schema = { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] } as const
        const { sure } = await call.ask({ sure: { kind: 'form', message: 'Sure?', schema } })
        if (sure.action !== 'accept' || !sure.content.sure) throw new Failure('The user declined.')
        return next()
      },
    }
    const questions: unknown[] = []
    const client = await connect(serverWith([confirm]), {
      revision,
      answers: {
        'elicitation/create': ({ message }) => {
          questions.push(message)
          return { action: 'accept', content: { sure: questions.length > 1 } }
        },
      },
    })
    const call = () => client.request('tools/call', { name: 'greet', arguments: { name: 'Ann' } })
    if (revision < '2025-06-18') expect(textOf(await call())).toEqual(answered('Hello, Ann'))
    else {
      expect(textOf(await call())).toEqual(answered('The user declined.', true))
      expect(textOf(await call())).toEqual(answered('Hello, Ann'))
      expect(questions).toEqual(['Sure?', 'Sure?'])
    }
    await client.close()
  })
})

describe('the call of a tool', () => {
  test('passes the layers in order, and back in the opposite one', async () => {
    const order: string[] = []
    const layer = (name: string): Middleware => ({
      async callTool(_call, next) {
        order.push(`${name} in`)
        const result = await next()
        order.push(`${name} out`)
        return result
      },
    })
    await callWith([layer('a'), {}, layer('b')])
    expect(order).toEqual(['a in', 'b in', 'b out', 'a out'])
  })

  test('gets other arguments, which are validated, and which the next layer sees', async () => {
    const rename = (to: unknown): Middleware => ({ callTool: (call, next) => next({ ...call.arguments, name: to }) })
    const shout: Middleware = {
      callTool: (call, next) => next({ name: String(call.arguments.name).toUpperCase() }),
    }
    expect(textOf(await callWith([rename('Bob'), shout]))).toEqual(answered('Hello, BOB'))
    expect(textOf(await callWith([rename(1)]))).toEqual(
      answered("Invalid arguments: 'name' must be a string, got 1", true),
    )
    // Arguments that no schema names are dropped from a copy.
    const shared = Object.freeze({ name: 'Eve', extra: true })
    expect(textOf(await callWith([{ callTool: (_call, next) => next(shared) }]))).toEqual(answered('Hello, Eve'))
    expect(shared).toEqual({ name: 'Eve', extra: true })
  })

  test('without usable arguments has none, and is refused as without middleware', async () => {
    const seen: unknown[] = []
    const watch: Middleware = { callTool: (call, next) => (seen.push(call.arguments), next()) }
    const refused = await callWith([watch], { name: 'greet', arguments: 'Ann' })
    expect(refused).toEqual(await callWith([], { name: 'greet', arguments: 'Ann' }))
    expect(seen).toEqual([{}])
  })

  test.each<[string, Middleware['callTool'], unknown]>([
    ['a text', () => 'short', answered('short')],
    ['blocks', () => [{ type: 'text', text: 'block' }], answered('block')],
    ['an error', () => ({ content: 'no', isError: true }), answered('no', true)],
    ['a failure', () => Promise.reject(new Failure('Not on Sundays.')), answered('Not on Sundays.', true)],
    [
      'other blocks',
      async (_call, next) => {
        const result = await next()
        return { ...result, content: [...result.content, { type: 'text', text: '!' }] }
      },
      [
        [
          { type: 'text', text: 'Hello, Ann' },
          { type: 'text', text: '!' },
        ],
        false,
      ],
    ],
  ])('is answered with %s', async (_, callTool, expected) => {
    expect(textOf(await callWith([{ ...(callTool && { callTool }) }]))).toEqual(expected)
  })

  test('has its failures as results, also those of inner layers; bugs are thrown', async () => {
    const seen: unknown[] = []
    const watch: Middleware = {
      async callTool(_call, next) {
        try {
          const { content, isError } = await next()
          seen.push([content, isError])
          return { content, isError }
        } catch (error) {
          seen.push(error)
          throw error
        }
      },
    }
    const refuse: Middleware = {
      callTool() {
        throw new Failure('Closed.')
      },
    }
    const logged: unknown[] = []
    const logError = (error: unknown) => logged.push(error)
    await callWith([watch], { name: 'greet', arguments: { name: 'nobody' } })
    await callWith([watch], { name: 'greet', arguments: {} })
    expect(textOf(await callWith([watch, refuse]))).toEqual(answered('Closed.', true))
    const bug = callWith([watch, {}], { name: 'greet', arguments: { name: 'bug' } }, { logError })
    await expect(bug).rejects.toMatchObject({ code: -32603 })
    expect(seen).toEqual([
      answered('Nobody is not a name.', true),
      answered("Invalid arguments: 'name' is required", true),
      answered('Closed.', true),
      new TypeError('broken on purpose'),
    ])
    expect(logged.map(String)).toEqual(['Error: in tool greet: TypeError: broken on purpose'])
  })

  test('returns nothing usable: the log says what a layer returns', async () => {
    for (const value of [undefined, null, 5, {}, { content: 7 }]) {
      const logged: unknown[] = []
      const lacksReturn: Middleware = { callTool: () => value as never }
      const call = callWith([lacksReturn], undefined, { logError: (error) => logged.push(error) })
      await expect(call).rejects.toMatchObject({ code: -32603 })
      expect(String(logged[0])).toContain('callTool of a middleware must return what next() resolved with')
    }
  })

  test('keeps structured content; a text in its place is a bug', async () => {
    const pass: Middleware = { callTool: (_call, next) => next() }
    expect(await callWith([pass], { name: 'measure' })).toEqual(await callWith([], { name: 'measure' }))
    const wrong: Middleware = { callTool: () => 'four' }
    await expect(callWith([wrong], { name: 'measure' })).rejects.toMatchObject({ code: -32603 })
  })

  test('is observed as it ends', async () => {
    const outcomes: string[] = []
    const observer = {
      onStart() {},
      onDisconnect() {},
      onEnd: (_: unknown, end: { outcome: string }) => outcomes.push(end.outcome),
    }
    await callWith([{ callTool: () => ({ content: 'no', isError: true }) }], undefined, { observer })
    await callWith([{ callTool: () => 'yes' }], { name: 'greet', arguments: { name: 'nobody' } }, { observer })
    expect(outcomes).toEqual(['error', 'ok'])
  })

  test('goes on as a task, whose outcome has passed it', async () => {
    const bake = defineTool({
      name: 'bake',
      taskSupport: 'sometimes',
      run: async (_input, { continueAsTask }) => `Bread (${await continueAsTask()})`,
    })
    const slice: Middleware = {
      callTool: async (_call, next) => (await next()).content.concat({ type: 'text', text: 'sliced' }),
    }
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const client = await connect(serverWith([slice], { tools: [bake] }), { revision: MODERN, capabilities })
    const { taskId } = await client.request('tools/call', { name: 'bake' })
    await expect
      .poll(() => client.request('tasks/get', { taskId }))
      .toMatchObject({
        status: 'completed',
        result: { content: [{ text: 'Bread (true)' }, { text: 'sliced' }] },
      })
    await client.close()
  })

  test('is cancelled through it', async () => {
    const reasons: string[] = []
    const wait = defineTool({
      name: 'wait',
      run: (_input, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
    })
    const watch: Middleware = {
      callTool: (call, next) => {
        call.signal.addEventListener('abort', () => reasons.push('aborted'))
        controller.abort()
        return next()
      },
    }
    const controller = new AbortController()
    const client = await connect(serverWith([watch], { tools: [wait] }))
    const called = client.request('tools/call', { name: 'wait' }, { signal: controller.signal })
    await expect(called).rejects.toThrow()
    await expect.poll(() => reasons).toEqual(['aborted'])
    await client.close()
  })
})

describe('resources and prompts', () => {
  const page = defineResource({ uri: 'x://page', name: 'page', mimeType: 'text/plain', read: () => 'secret text' })
  const note = defineTemplate({
    uriTemplate: 'x://note/{id}',
    name: 'note',
    read({ id }) {
      if (id === 'locked') throw new Failure('It is locked.')
      return id === 'none' ? undefined : new Uint8Array([1, 2])
    },
  })
  const ask = definePrompt({
    name: 'ask',
    arguments: [{ name: 'about', required: true }],
    get: ({ about }) => [{ role: 'user', content: `Ask about ${about}` }],
  })
  const offers = { resources: [page], templates: [note], prompts: [ask] }

  test('are read through it', async () => {
    const seen: unknown[] = []
    const redact: Middleware = {
      async readResource({ uri }, next) {
        seen.push(uri)
        const parts = await next()
        return parts.map((part) => ('text' in part ? { ...part, text: part.text.replace('secret', '***') } : part))
      },
    }
    const close: Middleware = {
      readResource({ uri }, next) {
        if (uri === 'x://note/closed') throw new Failure('Closed.')
        return uri === 'x://note/short' ? 'short' : next()
      },
    }
    const client = await connect(serverWith([redact, close], offers))
    const read = (uri: string) => client.request('resources/read', { uri })
    expect(await read('x://page')).toMatchObject({ contents: [{ mimeType: 'text/plain', text: '*** text' }] })
    expect(await read('x://note/1')).toMatchObject({ contents: [{ uri: 'x://note/1', blob: 'AQI=' }] })
    expect(await read('x://note/short')).toMatchObject({ contents: [{ uri: 'x://note/short', text: 'short' }] })
    await expect(read('x://note/closed')).rejects.toMatchObject({ code: -32603, message: 'Closed.' })
    await expect(read('x://note/locked')).rejects.toMatchObject({ code: -32603, message: 'It is locked.' })
    await expect(read('x://note/none')).rejects.toMatchObject({ code: -32002 })
    expect(seen).toHaveLength(6)
    await client.close()
  })

  test('are got through it', async () => {
    const shout: Middleware = {
      async getPrompt(call, next) {
        const messages = await next({ about: `${call.arguments.about} (${call.prompt})` })
        return [...messages, { role: 'assistant', content: 'Yes?' }]
      },
    }
    const client = await connect(serverWith([{}, shout], offers))
    expect(await client.request('prompts/get', { name: 'ask', arguments: { about: 'tea' } })).toMatchObject({
      messages: [{ content: { text: 'Ask about tea (ask)' } }, { role: 'assistant', content: { text: 'Yes?' } }],
    })
    await client.close()
  })
})

describe('over HTTP', () => {
  let serving: RunningHttpServer | undefined
  afterEach(() => serving?.close())

  test('progress is sent while the layers wait', async () => {
    const steps = defineTool({
      name: 'steps',
      async run(_input, { progress }) {
        progress(1, { total: 2 })
        await new Promise(setImmediate)
        return 'done'
      },
    })
    const pass: Middleware = {
      callTool(call, next) {
        call.progress(0.5, { message: 'checked' })
        return next()
      },
    }
    serving = await serveHttp(serverWith([pass], { tools: [steps] }))
    const params = { name: 'steps', _meta: { progressToken: 'p' } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2025-06-18' }
    const text = await (await fetch(serving.url, { method: 'POST', headers, body })).text()
    const messages = [...text.matchAll(/^data: (.+)$/gm)].map(([, json = '']): unknown => JSON.parse(json))
    expect(messages).toMatchObject([
      { params: { progress: 0.5, message: 'checked' } },
      { params: { progress: 1 } },
      { result: { content: [{ text: 'done' }] } },
    ])
  })

  test('a call at the newest revision passes it', async () => {
    serving = await serveHttp(
      serverWith([
        {
          callTool: async ({ user }, next) => [
            ...(await next()).content,
            { type: 'text', text: user === '' ? 'nobody' : 'known' },
          ],
        },
      ]),
    )
    const { body } = await requestModern(serving.url, 'tools/call', { name: 'greet', arguments: { name: 'Ann' } })
    expect(body.result.content.map(({ text }: { text: string }) => text)).toEqual(['Hello, Ann', 'known'])
  })
})
