// The same definition over HTTP: the hook that identifies the user, and what it must reject.

import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'

import { afterEach, describe, expect, test, vi } from 'vitest'

import {
  connect,
  defineTool,
  type HttpOptions,
  type RunningHttpServer,
  serveHttp,
  type ServeOptions,
} from '@scorpiox/app/library'
import { type Json, MODERN, modernMeta } from '../support/client.js'

const whoami = defineTool({ name: 'whoami', run: (_input, { user }) => user })
const server: ServeOptions = { name: 'tested', version: '1', tools: [whoami] }

let serving: RunningHttpServer | undefined
afterEach(() => serving?.close())

async function call(auth: HttpOptions['auth'], headers: Record<string, string> = {}): Promise<[number, Json]> {
  await serving?.close()
  serving = await serveHttp({ ...server, ...(auth && { http: { auth } }) })
  const answer = await fetch(serving.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      'mcp-method': 'tools/call',
      'mcp-name': 'whoami',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', ...modernMeta() } }),
  })
  const body: Json = JSON.parse((await answer.text()) || '{}')
  return [answer.status, body.result?.content[0].text ?? answer.headers.get('www-authenticate')]
}

/** The stream of a session at an older revision; and when it ends. */
async function openStream(url: string, token: string): Promise<{ readonly ended: Promise<unknown> }> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${token}`,
  }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tested', version: '1' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const begun = await fetch(url, { method: 'POST', headers, body })
  await begun.text()
  const session = begun.headers.get('mcp-session-id') ?? ''
  const stream = await fetch(url, { headers: { ...headers, 'mcp-session-id': session } })
  expect(stream.status).toBe(200)
  return { ended: stream.text().catch(() => {}) }
}

const USERS: Record<string, string> = { 'key-of-ann': 'ann', 'key-of-bob': 'bob' }

describe('a function identifies the user', () => {
  test.each([
    [{ authorization: 'Bearer key-of-ann' }, 200, 'ann'],
    [{ 'x-api-key': 'key-of-bob' }, 200, 'bob'],
    [{ authorization: 'Bearer key-of-eve' }, 401, 'Bearer'],
    [{ authorization: 'key-of-ann' }, 401, 'Bearer'],
    // Two different values are invalid.
    [{ authorization: 'Bearer key-of-ann', 'x-api-key': 'key-of-bob' }, 401, 'Bearer'],
    // Names of inherited members are not users.
    [{ authorization: 'Bearer constructor' }, 401, 'Bearer'],
    [{ authorization: 'Bearer __proto__' }, 401, 'Bearer'],
    [{}, 401, 'Bearer'],
  ])('%o: %i', async (headers, status, text) => {
    expect(await call((token) => USERS[token], headers)).toEqual([status, text])
    expect(await call(async (token) => USERS[token], headers)).toEqual([status, text])
  })

  test('open streams of users that it rejects later are closed, whatever it does for others', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      let isLater = false
      const later: Readonly<Record<string, () => Promise<string | undefined>>> = {
        hangs: () => new Promise(() => {}),
        throws: () => Promise.reject(new Error('no such token')),
        gone: () => Promise.resolve(undefined),
        stays: () => Promise.resolve('stays'),
      }
      const auth = (token: string) => (isLater ? later[token]?.() : token)
      const logged: unknown[] = []
      serving = await serveHttp({ ...server, logError: (error) => logged.push(error), http: { auth } })
      const { url } = serving
      const ended: string[] = []
      for (const token of Object.keys(later)) void (await openStream(url, token)).ended.then(() => ended.push(token))
      isLater = true
      vi.advanceTimersByTime(16_000)
      await expect.poll(() => ended.toSorted()).toEqual(['gone', 'throws'])
      expect(logged.map(String)).toEqual(['Error: no such token'])
    } finally {
      vi.useRealTimers()
    }
  })

  test('by any header, and it may give the reason of a refusal', async () => {
    const auth: HttpOptions['auth'] = (_token, headers) => {
      const { 'x-user': user } = headers
      return typeof user === 'string' ? user : { status: 403, reason: 'Come by the proxy' }
    }
    expect(await call(auth, { 'x-user': 'ann' })).toEqual([200, 'ann'])
    expect(await call(auth)).toEqual([403, null])
  })

  test('one that throws denies access', async () => {
    const broken = (): never => {
      throw new Error('broken on purpose')
    }
    const logged: unknown[] = []
    serving = await serveHttp({ ...server, logError: (error) => logged.push(error), http: { auth: broken } })
    const { status } = await fetch(serving.url, { method: 'POST', body: '{}' })
    expect([status, logged.length]).toEqual([500, 1])
    expect((await call(() => ''))[0]).toBe(401)
  })
})

test('a missing token denies all access, and is reported at the start', async () => {
  await expect(serveHttp({ ...server, http: { auth: { token: '' } } })).rejects.toThrow('http.auth.token is empty')
  await expect(serveHttp({ ...server, http: { auth: { token: '7b1d…' } } })).rejects.toThrow('no client can send')
})

test.each([
  ['"open-sesame"', "http.auth must be 'none', an object with a token, or a function"],
  ['null', "http.auth must be 'none', an object with a token, or a function"],
  ['{ "token": 7 }', 'http.auth.token is empty'],
  ['{ "token": "7", "scopes": "notes:write" }', 'http.auth.scopes must be a list'],
])('auth that is %s in JavaScript is refused at the start', async (auth, message) => {
  await expect(serveHttp({ ...server, http: { auth: JSON.parse(auth) } })).rejects.toThrow(message)
})

test('an argument that cannot be repeated in a header is reported at the start', async () => {
  const input = { type: 'object', properties: { size: { type: 'number', 'x-mcp-header': 'Size' } } } as const
  const wrong = defineTool({ name: 'wrong', input, run: () => '' })
  await expect(serveHttp({ ...server, tools: [wrong] })).rejects.toThrow("x-mcp-header of 'size' of tool wrong needs")
})

test('remote access needs authentication', async () => {
  await expect(serveHttp({ ...server, http: { host: '0.0.0.0' } })).rejects.toThrow(
    'without auth only loopback addresses',
  )
})

test.each<[string, HttpOptions]>([
  ['http.host must hold host names such as', { host: 'a b' }],
  ['http.publicUrl must be a plain http or https URL such as', { publicUrl: 'mcp.example.com' }],
  ['http.allowedHosts must hold host names such as', { allowedHosts: ['https://mcp.example.com'] }],
])('a wrong option is named at the start: %s', async (message, http) => {
  await expect(serveHttp({ ...server, http: { auth: { token: 'x' }, ...http } })).rejects.toThrow(message)
})

test('a foreign Host or Origin is refused, and the message names the option', async () => {
  serving = await serveHttp(server)
  const { port } = serving
  const send = async (headers: Record<string, string>): Promise<string> => {
    const sent = request({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers })
    sent.end('{}')
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return `${answer.statusCode} ${await readText(answer)}`
  }
  expect(await send({ host: 'evil.example' })).toMatch(
    /^403 .*Host not allowed; the operator of the server can add it to http\.allowedHosts/,
  )
  expect(await send({ origin: 'https://evil.example' })).toMatch(
    /^403 .*Origin not allowed; the operator of the server can add its host to http\.allowedHosts/,
  )
})

test('the same definition is served over HTTP and in memory', async () => {
  const [status, user] = await call(undefined)
  const client = await connect(server)
  expect([status, await client.request('tools/call', { name: 'whoami' })]).toMatchObject([
    200,
    { content: [{ text: user }] },
  ])
  await client.close()
})
