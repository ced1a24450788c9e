// A server on the built package @scorpiox/mcp as a process of its own, over stdio and over HTTP: middleware, claims, icons,
// mounted servers, tools from an OpenAPI document and routes work together.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { beforeAll, describe, expect, test } from 'vitest'

import { defineTool, serveHttp } from '@scorpiox/app/library'
import { cleanEnv, type Json, startServer } from '../support/client.js'
import { onClose } from '../support/on-close.js'
import { openSession } from './http-call.js'

const GATEWAY = join(import.meta.dirname, '../fixture/gateway.mjs')
const REVISION = '2025-11-25'
const ANN = { authorization: 'Bearer key-of-ann' }
const ICONS = [{ src: 'https://example.com/icon.svg', mimeType: 'image/svg+xml', sizes: ['any'] }]

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets/{id}': {
      get: {
        operationId: 'getPet',
        summary: 'Returns a pet.',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      },
    },
  },
}

let api = ''
let far = ''

beforeAll(async () => {
  const pets = createServer((request, response) => {
    const { url, headers } = request
    const isKnown = headers.authorization === 'Bearer key-of-the-api'
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(url === '/openapi.json' ? DOCUMENT : { url, isKnown }))
  })
  pets.listen(0, '127.0.0.1')
  await once(pets, 'listening')
  api = `http://127.0.0.1:${(pets.address() as AddressInfo).port}`
  const whoami = defineTool({ name: 'whoami', run: (_input, { user }) => user })
  const served = await serveHttp({
    name: 'far',
    version: '1',
    tools: [whoami],
    http: { auth: (token) => (token === 'key-of-far' ? 'gateway' : undefined) },
  })
  far = served.url
  return async () => {
    await served.close()
    pets.close()
  }
})

type Request = (method: string, params?: Json) => Promise<Json>

/** The answer to initialize, and the function that sends requests. */
interface Connection {
  readonly initialized: Json
  readonly request: Request
}

async function overStdio(): Promise<Connection> {
  const client = startServer({ args: [GATEWAY, api, far] })
  onClose(() => client.close())
  const { result } = await client.initialize(REVISION)
  return { initialized: result, request: (method, params) => client.request(method, params) }
}

async function overHttp(): Promise<Connection & { readonly origin: string }> {
  const child = spawn(process.execPath, [GATEWAY, api, far, '--http'], { env: cleanEnv() })
  onClose(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { initialized, request } = await openSession(url, REVISION, ANN)
  return {
    initialized,
    request: async (method, params = {}) => (await request(method, params)).body,
    origin: new URL(url).origin,
  }
}

describe.each([
  ['stdio', overStdio],
  ['HTTP', overHttp],
])('over %s', (transport, open) => {
  test('everything is listed and can be called', async () => {
    const { initialized, request } = await open()
    const call = async (name: string, args: Json = {}): Promise<Json> =>
      (await request('tools/call', { name, arguments: args })).result
    expect(initialized.serverInfo).toEqual({ name: 'gateway', version: '1.0.0', icons: ICONS })

    const { tools } = (await request('tools/list')).result
    const names: string[] = tools.map(({ name }: Json) => name)
    expect(names).toEqual(
      expect.arrayContaining(['getPet', 'whoami', 'forbidden', 'near_echo', 'far_whoami', 'here_ping']),
    )
    // Over HTTP the credential lacks the scope; over stdio there is none.
    expect(names.includes('remove')).toBe(transport === 'stdio')
    expect(tools.find(({ name }: Json) => name === 'whoami').icons).toEqual(ICONS)
    expect(tools.find(({ name }: Json) => name === 'getPet').inputSchema).toMatchObject({ required: ['id'] })

    expect(await call('forbidden')).toEqual({
      content: [{ type: 'text', text: 'Refused by the middleware.' }],
      isError: true,
    })
    expect(await call('near_echo', { text: 'hi' })).toMatchObject({ content: [{ text: 'hi' }], isError: false })
    expect(await call('here_ping')).toMatchObject({ content: [{ text: 'pong' }], isError: false })
    expect(await call('far_whoami')).toMatchObject({ content: [{ text: 'gateway' }], isError: false })
    expect(JSON.parse((await call('getPet', { id: 4 })).content[0].text)).toEqual({ url: '/v1/pets/4', isKnown: true })
    expect(await call('getPet', { id: '../5' })).toMatchObject({ isError: true })
    const [{ text }] = (await call('whoami')).content
    if (transport === 'stdio') expect(text).toBe('no credential')
    else expect(JSON.parse(text)).toEqual({ user: 'ann', scopes: ['read'], claims: { tenant: 'acme' } })

    const { resources } = (await request('resources/list')).result
    expect(resources).toMatchObject([{ uri: 'gateway://about', icons: ICONS }, { uri: 'near+notes://milk' }])
    const read = async (uri: string): Promise<Json> => (await request('resources/read', { uri })).result.contents
    const reader = transport === 'stdio' ? 'the local user' : 'ann'
    expect(await read('gateway://about')).toMatchObject([{ text: `A gateway. Read by ${reader}.` }])
    expect(await read('near+notes://milk')).toMatchObject([{ text: `Buy milk. Read by ${reader}.` }])
    const { prompts } = (await request('prompts/list')).result
    expect(prompts).toMatchObject([{ name: 'ask', icons: ICONS }, { name: 'near_greet' }])
    const { messages } = (await request('prompts/get', { name: 'ask' })).result
    expect(messages.map(({ content }: Json) => content.text)).toEqual(['Ask.', 'Added to ask.'])
  })
})

test('over HTTP routes are served beside /mcp, and a call without the scope is refused', async () => {
  const { origin, request } = await overHttp()
  expect(await (await fetch(`${origin}/version`)).json()).toEqual({ version: '1.0.0' })
  const post = (headers: Record<string, string>) =>
    fetch(`${origin}/builds/7`, { method: 'POST', headers, body: 'green' })
  expect((await post({})).status).toBe(401)
  expect(await (await post(ANN)).text()).toBe('ann: green')
  expect((await request('tools/call', { name: 'remove' })).error.message).toContain('write')
})
