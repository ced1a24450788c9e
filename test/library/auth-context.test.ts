// What `auth` knows of a caller besides the name: scopes and claims in `call.auth`, tools that need scopes, and the
// refusals that clients get.

import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import {
  type AuthContext,
  connect,
  definePromptWith,
  defineResourceWith,
  defineTool,
  defineToolWith,
  type HttpOptions,
  type Middleware,
  type RunningHttpServer,
  serveHttp,
  type ServeOptions,
} from '@scorpiox/app/library'
import type { Json } from '../support/client.js'
import { openSession, postMessage, requestModern } from './http-call.js'

interface Claims {
  readonly tenant: string
}

const CREDENTIALS: Readonly<Record<string, AuthContext<Claims>>> = {
  reader: { user: 'ann', scopes: ['notes:read'], claims: { tenant: 'acme' } },
  writer: { user: 'ann', scopes: ['notes:read', 'notes:write'], claims: { tenant: 'acme' } },
  other: { user: 'bob', scopes: [], claims: { tenant: 'else' } },
}

const whoami = defineToolWith<object, Claims>()({
  name: 'whoami',
  run: (_input, { user, auth }) => `${user} of ${auth?.claims.tenant} with ${auth?.scopes.join(' ')}`,
})
const write = defineTool({ name: 'write', scopes: ['notes:read', 'notes:write'], run: () => 'written' })
const page = defineResourceWith<object, Claims>()({
  uri: 'x://page',
  name: 'page',
  read: ({ auth }) => `${auth?.claims.tenant}`,
})
const ask = definePromptWith<object, Claims>()({
  name: 'ask',
  get: (_args, { auth }) => [{ role: 'user', content: `${auth?.claims.tenant}` }],
})
const server: ServeOptions = { name: 'tested', version: '1', tools: [whoami, write], resources: [page], prompts: [ask] }

let serving: RunningHttpServer | undefined
afterEach(() => serving?.close())

async function serveWith(http: HttpOptions<Claims>, more: Partial<ServeOptions> = {}): Promise<string> {
  serving = await serveHttp<object, Claims>({ ...server, ...more, middleware: [], http })
  return serving.url
}

const auth = (token: string) => CREDENTIALS[token]
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const textOf = ({ body }: { readonly body: Json }): unknown => body.result.content[0].text
const namesOf = ({ body }: { readonly body: Json }): unknown => body.result.tools.map(({ name }: Json) => name)

describe('call.auth', () => {
  test('has the scopes and claims of the credential, in tools, resources, prompts and middleware', async () => {
    const seen: unknown[] = []
    const watch: Middleware<Claims> = {
      callTool: (call, next) => (seen.push(call.auth?.claims.tenant.toUpperCase()), next()),
    }
    serving = await serveHttp({ ...server, middleware: [watch], http: { auth: async (token) => auth(token) } })
    const { url } = serving
    const headers = bearer('reader')
    expect(textOf(await requestModern(url, 'tools/call', { name: 'whoami' }, headers))).toBe(
      'ann of acme with notes:read',
    )
    const read = await requestModern(url, 'resources/read', { uri: 'x://page' }, headers)
    expect(read.body.result.contents[0].text).toBe('acme')
    const got = await requestModern(url, 'prompts/get', { name: 'ask' }, headers)
    expect(got.body.result.messages[0].content.text).toBe('acme')
    expect(seen).toEqual(['ACME'])
  })

  test('belongs to the request, not to the session', async () => {
    const url = await serveWith({ auth })
    const { request } = await openSession(url, '2025-06-18', bearer('reader'))
    const call = (token: string, name: string) => request('tools/call', { name }, bearer(token))
    expect(textOf(await call('reader', 'whoami'))).toBe('ann of acme with notes:read')
    expect(textOf(await call('writer', 'whoami'))).toBe('ann of acme with notes:read notes:write')
    expect(textOf(await call('writer', 'write'))).toBe('written')
    expect((await call('reader', 'write')).status).toBe(403)
    expect((await call('other', 'whoami')).status).toBe(404)
  })

  test('is undefined without authentication, over stdio and in memory', async () => {
    const seen: unknown[] = []
    const look = defineTool({ name: 'look', scopes: ['any'], run: (_input, call) => (seen.push(call.auth), 'seen') })
    const open: ServeOptions = { name: 'tested', version: '1', tools: [look] }
    serving = await serveHttp(open)
    expect(namesOf(await requestModern(serving.url, 'tools/list'))).toEqual(['look'])
    expect(textOf(await requestModern(serving.url, 'tools/call', { name: 'look' }))).toBe('seen')
    const client = await connect(open)
    await client.request('tools/call', { name: 'look' })
    await client.close()
    expect(seen).toEqual([undefined, undefined])
  })

  test('has no scopes if auth returns a name; a token has those that are set', async () => {
    const seen: unknown[] = []
    const look = defineTool({ name: 'look', run: (_input, call) => (seen.push(call.auth), 'seen') })
    for (const [http, status] of [
      [{ auth: () => 'ann' }, 403],
      [{ auth: { token: 'secret' } }, 403],
      [{ auth: { token: 'secret', scopes: ['notes:read', 'notes:write'] } }, 200],
    ] as const) {
      await serving?.close()
      serving = await serveHttp({ ...server, tools: [look, write], http })
      await requestModern(serving.url, 'tools/call', { name: 'look' }, bearer('secret'))
      const answer = await requestModern(serving.url, 'tools/call', { name: 'write' }, bearer('secret'))
      expect(answer.status).toBe(status)
    }
    expect(seen).toMatchObject([
      { user: 'ann', scopes: [], claims: {} },
      { scopes: [], claims: {} },
      { scopes: ['notes:read', 'notes:write'], claims: {} },
    ])
  })

  test.each([
    ['no name', { scopes: [], claims: {} }, 401],
    ['an empty name', { user: '', scopes: [], claims: {} }, 401],
    ['a name of its prototype', Object.create({ user: 'eve', scopes: [] }), 401],
    ['scopes that are a text', { user: 'eve', scopes: 'notes:write' }, 500],
    ['a refusal', { status: 403, reason: 'Closed for today' }, 403],
  ])('%s is refused', async (_, result, status) => {
    const url = await serveWith({ auth: (): never => result as never }, { logError: () => {} })
    expect((await requestModern(url, 'tools/call', { name: 'write' }, bearer('x'))).status).toBe(status)
  })
})

test('claims have the type that is declared', () => {
  const define = defineToolWith<object, Claims>()
  // @ts-expect-error -- there is no such claim
  define({ name: 'wrong', run: (_input, call) => call.auth?.claims.plan })
  // @ts-expect-error -- the claims lack the tenant
  const wrong: HttpOptions<Claims> = { auth: () => ({ user: 'ann', scopes: [], claims: {} }) }
  expect(wrong).toHaveProperty('auth')
})

describe('a tool that needs scopes', () => {
  test.each(['2025-03-26', '2025-06-18', '2025-11-25'])('is refused with a challenge at %s', async (revision) => {
    const url = await serveWith({ auth })
    const { request } = await openSession(url, revision, bearer('reader'))
    const refused = await request('tools/call', { name: 'write' })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="notes:read notes:write"',
    ])
    expect(refused.body.error.message).toBe('write needs a credential with the scopes: notes:read notes:write')
    expect(namesOf(await request('tools/list'))).toEqual(['whoami'])
    expect(namesOf(await request('tools/list', {}, bearer('writer')))).toEqual(['whoami', 'write'])
  })

  test('is refused and hidden without a session, too', async () => {
    const url = await serveWith({ auth })
    const modern = await requestModern(url, 'tools/call', { name: 'write' }, bearer('other'))
    const body = { id: 1, method: 'tools/call', params: { name: 'write' } }
    const unversioned = await postMessage(url, body, bearer('other'))
    expect([modern.status, unversioned.status]).toEqual([403, 403])
    expect(namesOf(await requestModern(url, 'tools/list', {}, bearer('other')))).toEqual(['whoami'])
    expect(textOf(await requestModern(url, 'tools/call', { name: 'write' }, bearer('writer')))).toBe('written')
  })

  test('is an error within a batch, in which the other calls are answered', async () => {
    const url = await serveWith({ auth })
    const { request } = await openSession(url, '2025-03-26', bearer('reader'))
    await request('ping')
    const batch = ['write', 'whoami'].map((name, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name },
    }))
    const headers = { ...bearer('reader'), 'mcp-protocol-version': '2025-03-26' }
    const { status, body } = await postMessage(url, batch, headers)
    expect([status, body]).toMatchObject([
      200,
      [
        { id: 0, error: { code: -32600, message: 'write needs a credential with the scopes: notes:read notes:write' } },
        { id: 1, result: { isError: false } },
      ],
    ])
  })

  test('is an error on a WebSocket, and refused on the streams of 2024-11-05', async () => {
    const url = await serveWith({ auth })
    const socket = new WebSocket(url.replace('http', 'ws'), 'mcp', { headers: bearer('reader') })
    const answer = await new Promise<Json>((resolve, reject) => {
      socket.on('error', reject)
      socket.on('message', (data: Buffer) => resolve(JSON.parse(data.toString())))
      socket.on('open', () =>
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'write' } })),
      )
    })
    socket.close()
    expect(answer.error.code).toBe(-32600)

    const stream = await fetch(url.replace('/mcp', '/sse'), { headers: bearer('reader') })
    const reader = stream.body?.getReader()
    const endpoint = /data: (\S+)/.exec(new TextDecoder().decode((await reader?.read())?.value))?.[1]
    const message = { id: 1, method: 'tools/call', params: { name: 'write' } }
    const refused = await postMessage(new URL(endpoint ?? '', url).href, message, bearer('reader'))
    await reader?.cancel()
    expect(refused.status).toBe(403)
  })

  test('names the metadata of the resource, if a public route serves it', async () => {
    const path = '/.well-known/oauth-protected-resource/mcp'
    const metadata = { resource: 'https://x.example/mcp', authorization_servers: ['https://login.example'] }
    const url = await serveWith({
      auth,
      publicUrl: 'https://x.example',
      allowedHosts: ['127.0.0.1'],
      routes: [{ method: 'GET', path, auth: 'none', handle: () => Response.json(metadata) }],
    })
    const known = `resource_metadata="https://x.example${path}"`
    const unknown = await requestModern(url, 'tools/call', { name: 'write' })
    expect([unknown.status, unknown.headers.get('www-authenticate')]).toEqual([401, `Bearer ${known}`])
    const weak = await requestModern(url, 'tools/call', { name: 'write' }, bearer('reader'))
    expect(weak.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", scope="notes:read notes:write", ${known}`,
    )
    expect(await (await fetch(new URL(path, url))).json()).toEqual(metadata)
  })

  test('has scopes that a token can have', async () => {
    const wrong = defineTool({ name: 'wrong', scopes: ['two words'], run: () => '' })
    await expect(serveHttp({ ...server, tools: [wrong] })).rejects.toThrow(
      'tool wrong needs the scope "two words", which is not a name',
    )
  })
})
