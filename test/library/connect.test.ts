// The in-memory client as authors use it to test their servers: every revision, questions in both directions,
// notifications, cancellation and close.

import { describe, expect, test } from 'vitest'

import {
  type CallContext,
  connect,
  createMemoryTransport,
  defineTool,
  defineToolWith,
  Failure,
  type JsonObject,
  type ServeOptions,
} from '@scorpiox/app/library'
import { LEGACY, MODERN } from '../support/client.js'

const REVISIONS = [...LEGACY, MODERN] as const

const text = { type: 'string' } as const
const named = { type: 'object', properties: { name: text }, required: ['name'] } as const

function serverWith(run: (call: CallContext) => unknown, more: Partial<ServeOptions> = {}): ServeOptions {
  return {
    name: 'tested',
    version: '1',
    tools: [defineTool({ name: 'do', run: (_input, call) => run(call) })],
    ...more,
  }
}

const DO = { name: 'do' }

describe.each(REVISIONS)('at %s', (revision) => {
  test('it initializes, lists and calls', async () => {
    const client = await connect(
      serverWith(() => 'done'),
      { revision },
    )
    expect(client.server).toMatchObject({ capabilities: { tools: { listChanged: false } } })
    expect(revision === MODERN || client.server.protocolVersion).toBe(revision === MODERN ? true : revision)
    expect(await client.request('tools/list')).toMatchObject({ tools: [{ name: 'do' }] })
    expect(await client.request('tools/call', DO)).toMatchObject({ content: [{ type: 'text', text: 'done' }] })
    await client.close()
  })

  test('an error has its code, its message and its data', async () => {
    const add = defineTool({ name: 'add', input: named, run: ({ name }) => name })
    const client = await connect({ name: 'tested', version: '1', tools: [add] }, { revision })
    await expect(client.request('nothing/here')).rejects.toMatchObject({
      name: 'Failure',
      code: -32601,
      message: 'Method not found: nothing/here',
    })
    const called = client.request('tools/call', { name: 'add', arguments: {} })
    if (revision === '2024-11-05') {
      await expect(called).rejects.toMatchObject({ code: -32602, data: { problems: [{ path: 'name' }] } })
    } else expect(await called).toMatchObject({ isError: true })
    await client.close()
  })

  test('it supports sampling', async () => {
    const client = await connect(
      serverWith(async (call) => {
        const question = { kind: 'sample', messages: [{ role: 'user', content: 'Hi' }], maxTokens: 9 } as const
        const { first } = await call.ask({ first: question })
        const { second } = await call.ask({ second: question })
        return `${first.text} ${second.text}`
      }),
      {
        revision,
        answers: {
          'sampling/createMessage': ({ messages }) => {
            expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Hi' } }])
            const content = [{ type: 'text', text: 'Hello' }, { type: 'image' }, { type: 'text', text: '!' }]
            return { role: 'assistant', model: 'm', content }
          },
        },
      },
    )
    expect(await client.request('tools/call', DO)).toMatchObject({
      content: [{ text: 'Hello! Hello!' }],
      isError: false,
    })
    await client.close()
  })

  test('a client without capabilities is not asked, and a handler that throws is a refusal', async () => {
    const server = serverWith(async (call) => (await call.ask({ where: { kind: 'roots' } })).where.roots.length)
    const unresponsive = await connect(server, { revision })
    expect(await unresponsive.request('tools/call', DO)).toMatchObject({
      isError: true,
      content: [{ text: 'This client does not support roots.' }],
    })
    await unresponsive.close()
    const answers = { 'roots/list': () => Promise.reject(new Failure('not today')) }
    const stubborn = await connect(server, { revision, answers })
    const refused = stubborn.request('tools/call', DO)
    if (revision === MODERN) await expect(refused).rejects.toThrow('not today')
    else expect(await refused).toMatchObject({ isError: true, content: [{ text: 'The client refused: not today' }] })
    await stubborn.close()
  })

  test('progress is kept, in order', async () => {
    const client = await connect(
      serverWith(({ progress }) => {
        for (const step of [1, 2, 3]) progress(step)
        return 'done'
      }),
      { revision },
    )
    await client.request('tools/call', { ...DO, _meta: { progressToken: 't' } })
    expect(client.notifications).toEqual(
      [1, 2, 3].map((progress) => ({
        method: 'notifications/progress',
        params: { progressToken: 't', progress },
      })),
    )
    await client.close()
  })

  test('a cancelled call is stopped, and others continue', async () => {
    const stopped: unknown[] = []
    const client = await connect(
      serverWith(
        ({ signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              stopped.push(signal.reason)
              resolve('late')
            })
          }),
      ),
      { revision },
    )
    const controller = new AbortController()
    const calls = [client.request('tools/call', DO, { signal: controller.signal }), client.request('tools/call', DO)]
    controller.abort(new Error('no longer'))
    await expect(calls[0]).rejects.toThrow('no longer')
    await client.request('tools/list')
    expect(stopped).toHaveLength(1)
    const ended = expect(calls[1]).rejects.toMatchObject({ code: -32000 })
    await client.close()
    await ended
    expect(stopped).toHaveLength(2)
    await expect(client.request('tools/list')).rejects.toThrow('closed')
  })
})

test.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
  'choices in a form have the type that clients expect, at %s',
  async (revision) => {
    const properties = {
      tea: { enum: ['green', 'black'] },
      size: { oneOf: [{ const: 's', title: 'Small' }] },
      cups: { enum: [1, 2] },
      name: { type: 'string' },
      ...(revision > '2025-06-18' && { with: { type: 'array', items: { enum: ['milk'] } } }),
    } as const
    const brew = defineTool({
      name: 'brew',
      run: async (_input, { ask }) =>
        (await ask({ order: { kind: 'form', message: 'What?', schema: { type: 'object', properties } } })).order.action,
    })
    const asked: JsonObject[] = []
    const decline = (params: JsonObject) => {
      asked.push(params)
      return { action: 'decline' }
    }
    const client = await connect(
      { name: 'tested', version: '1', tools: [brew] },
      { revision, answers: { 'elicitation/create': decline } },
    )
    await client.request('tools/call', { name: 'brew' })
    await client.close()
    const string = { type: 'string' }
    expect(asked).toMatchObject([{ requestedSchema: { properties: { tea: string, size: string, name: string } } }])
    expect(asked).toMatchObject([{ requestedSchema: { properties: { cups: { enum: [1, 2] } } } }])
    if (revision > '2025-06-18')
      expect(asked).toMatchObject([{ requestedSchema: { properties: { with: { items: string } } } }])
    expect(JSON.stringify(asked)).not.toContain('"type":"string","enum":[1')
  },
)

test('a form is typed by its schema, and invalid answers are rejected', async () => {
  const server = serverWith(async (call) => {
    const { who } = await call.ask({ who: { kind: 'form', message: 'Who?', schema: named } })
    return who.action === 'accept' ? who.content.name : who.action
  })
  for (const [answer, content] of [
    [{ action: 'accept', content: { name: 'Ann' } }, 'Ann'],
    [{ action: 'decline' }, 'decline'],
    [{ action: 'accept', content: { name: 5 } }, "The client's answer cannot be used: 'name' must be a string, got 5."],
  ] as const) {
    const client = await connect(server, { answers: { 'elicitation/create': () => answer } })
    expect(await client.request('tools/call', DO)).toMatchObject({ content: [{ text: content }] })
    await client.close()
  }
})

test('a server that asks without end is stopped', async () => {
  let round = 0
  const server = serverWith(async (call) => {
    for (;;) await call.ask({ [`r${++round}`]: { kind: 'roots' } })
  })
  const client = await connect(server, { revision: MODERN, answers: { 'roots/list': () => ({ roots: [] }) } })
  await expect(client.request('tools/call', DO)).rejects.toThrow('still requests input after 20 rounds')
  await client.close()
})

test('services are opened by the first call and closed with the connection, even if a tool does not stop', async () => {
  const events: string[] = []
  const server: ServeOptions<{ diary: { close(): void } }> = {
    name: 'tested',
    version: '1',
    services: {
      diary: () => {
        events.push('opened')
        return { close: () => events.push('closed') }
      },
    },
    tools: [defineToolWith<{ diary: object }>()({ name: 'do', services: ['diary'], run: () => new Promise(() => {}) })],
  }
  const client = await connect(server)
  expect(events).toEqual([])
  const called = expect(client.request('tools/call', DO)).rejects.toMatchObject({ code: -32000 })
  await client.request('tools/list')
  await client.close()
  await called
  expect(events).toEqual(['opened', 'closed'])
})

test('two clients of one definition are independent', async () => {
  const server = serverWith(({ session }) => session)
  const [one, other] = await Promise.all([connect(server), connect(server)])
  const [a, b] = await Promise.all([one.request('tools/call', DO), other.request('tools/call', DO)])
  expect(a).not.toEqual(b)
  await one.close()
  expect(await other.request('tools/list')).toBeTruthy()
  await other.close()
})

/** The transport interface of the official SDK 1.x; that of 2.x allows more. */
interface OfficialTransport {
  start(): Promise<void>
  send(message: OfficialMessage, options?: { relatedRequestId?: string | number }): Promise<void>
  close(): Promise<void>
  onclose?: () => void
  onerror?: (error: Error) => void
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- copied from the SDK
  onmessage?: <T extends OfficialMessage>(message: T, extra?: { authInfo?: object }) => void
  sessionId?: string
  setProtocolVersion?: (version: string) => void
}

type OfficialMessage =
  | { jsonrpc: '2.0'; id: string | number; method: string; params?: { [key: string]: unknown } }
  | { jsonrpc: '2.0'; method: string; params?: { [key: string]: unknown } }
  | { jsonrpc: '2.0'; id: string | number; result: { [key: string]: unknown } }
  | { jsonrpc: '2.0'; id: string | number; error: { code: number; message: string; data?: unknown } }

test('the linked transport is accepted by the official SDK', async () => {
  const transport: OfficialTransport = await createMemoryTransport(serverWith(() => 'done'))
  const messages: object[] = []
  const errors: Error[] = []
  transport.onmessage = (message) => {
    messages.push(message)
    throw new Error('I do not like it')
  }
  transport.onerror = (error) => errors.push(error)
  await transport.start()
  const sent = transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
  expect(messages).toEqual([])
  await sent
  await Promise.resolve()
  expect(messages).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
  expect(errors).toMatchObject([{ message: 'I do not like it' }])
  let closings = 0
  transport.onclose = () => closings++
  await Promise.all([transport.close(), transport.close()])
  expect(closings).toBe(1)
  await expect(transport.send({ jsonrpc: '2.0', id: 2, method: 'ping' })).rejects.toThrow('closed')
})
