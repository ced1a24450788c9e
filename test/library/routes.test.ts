// Routes beside /mcp: what handlers get and clients receive, authentication, limits, errors, and what is not possible.

import { once } from 'node:events'
import { request as sendRaw } from 'node:http'
import { connect as connectSocket } from 'node:net'

import { afterEach, describe, expect, test } from 'vitest'

import {
  defineTool,
  type HttpOptions,
  type HttpRoute,
  type RouteContext,
  type RunningHttpServer,
  serveHttp,
} from '@scorpiox/app/library'
import { requestModern } from './http-call.js'

let serving: RunningHttpServer | undefined
let logged: unknown[] = []
afterEach(async () => {
  await serving?.close()
  serving = undefined
  logged = []
})

interface Claims {
  readonly tenant: string
}

const auth: HttpOptions<Claims>['auth'] = (token) =>
  token === 'key' ? { user: 'ann', scopes: ['read'], claims: { tenant: 'acme' } } : undefined
const KEY = { authorization: 'Bearer key' }

async function serveRoutes(
  routes: readonly HttpRoute<Claims>[],
  more: HttpOptions<Claims> = {},
): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const echo = defineTool({ name: 'echo', run: () => 'echo' })
  const logError = (error: unknown) => logged.push(error)
  serving = await serveHttp({ name: 'tested', version: '1', tools: [echo], logError, http: { ...more, routes } })
  const { url } = serving
  return (path, init) => fetch(new URL(path, url), init)
}

const hello: HttpRoute<Claims> = { method: 'GET', path: '/hello', handle: () => new Response('Hello') }

describe('a handler', () => {
  test('gets a Request and answers with a Response', async () => {
    const ask = await serveRoutes([
      {
        method: 'PUT',
        path: '/items/*',
        async handle(request) {
          const { pathname, searchParams } = new URL(request.url)
          const headers = new Headers({ 'x-seen': request.headers.get('x-sent') ?? '', vary: 'x-sent' })
          headers.append('set-cookie', 'a=1')
          headers.append('set-cookie', 'b=2')
          const seen = [request.method, pathname, searchParams.get('q'), await request.json()]
          return Response.json(seen, { status: 201, headers })
        },
      },
    ])
    const answer = await ask('/items/7/%C3%A4?q=1', { method: 'PUT', body: '{"a":1}', headers: { 'x-sent': 'yes' } })
    expect(await answer.json()).toEqual(['PUT', '/items/7/%C3%A4', '1', { a: 1 }])
    expect([answer.status, answer.headers.get('x-seen'), answer.headers.getSetCookie()]).toEqual([
      201,
      'yes',
      ['a=1', 'b=2'],
    ])
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  })

  test('may answer without a body, and read none', async () => {
    const seen: unknown[] = []
    const ask = await serveRoutes([
      {
        method: 'DELETE',
        path: '/',
        handle(request) {
          seen.push(request.body)
          return new Response(null, { status: 204 })
        },
      },
      { method: 'POST', path: '/', handle: () => new Response('not read') },
    ])
    expect((await ask('/', { method: 'DELETE' })).status).toBe(204)
    expect(await (await ask('/', { method: 'POST', body: 'x'.repeat(100_000) })).text()).toBe('not read')
    expect(await (await ask('/', { method: 'POST' })).text()).toBe('not read')
    expect(seen).toEqual([null])
  })

  test('streams, and learns that the client has gone', async () => {
    let isCancelled = false
    let isAborted = false
    const ask = await serveRoutes([
      {
        method: 'GET',
        path: '/events',
        handle(request) {
          request.signal.addEventListener('abort', () => (isAborted = true))
          const start = (controller: ReadableStreamDefaultController): void =>
            controller.enqueue(new TextEncoder().encode('data: 1\n\n'))
          const body = new ReadableStream({ start, cancel: () => void (isCancelled = true) })
          return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
        },
      },
    ])
    const controller = new AbortController()
    const answer = await ask('/events', { signal: controller.signal })
    const chunk = await answer.body?.getReader().read()
    expect(new TextDecoder().decode(chunk?.value)).toBe('data: 1\n\n')
    controller.abort()
    await expect.poll(() => [isCancelled, isAborted]).toEqual([true, true])
    expect(logged).toEqual([])
  })

  test('is aborted when the server stops, and its stream ends', async () => {
    const ask = await serveRoutes([
      { method: 'GET', path: '/events', handle: () => new Response(new ReadableStream({})) },
    ])
    const answer = await ask('/events')
    await serving?.close()
    expect(await answer.text()).toBe('')
  })

  test('sends a large body as it is read', async () => {
    const ask = await serveRoutes([{ method: 'POST', path: '/copy', handle: (request) => new Response(request.body) }])
    const body = 'abcdefgh'.repeat(250_000)
    expect(await (await ask('/copy', { method: 'POST', body })).text()).toBe(body)
  })

  test('that fails is a 500 without details; the error is logged', async () => {
    const ask = await serveRoutes([
      {
        method: 'GET',
        path: '/throws',
        handle() {
          throw new Error('the password is 1234')
        },
      },
      { method: 'GET', path: '/rejects', handle: () => Promise.reject(new Error('the password is 1234')) },
      { method: 'GET', path: '/nothing', handle: (() => undefined) as never },
    ])
    for (const path of ['/throws', '/rejects', '/nothing']) {
      const answer = await ask(path)
      expect([answer.status, (await answer.text()).includes('1234')]).toEqual([500, false])
    }
    expect(logged).toHaveLength(3)
    expect(logged.map(String)).toEqual([
      'Error: the password is 1234',
      'Error: the password is 1234',
      'TypeError: the handler of GET /nothing must return a Response',
    ])
  })
})

describe('paths and methods', () => {
  test('HEAD is served by GET, other methods are refused with those that are possible', async () => {
    const ask = await serveRoutes([hello, { ...hello, method: 'POST' }])
    const head = await ask('/hello', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const refused = await ask('/hello', { method: 'DELETE' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })

  test('the exact path comes first, then the longest prefix; /mcp and the other paths of the server stay', async () => {
    const say = (path: string): HttpRoute<Claims> => ({ method: 'GET', path, handle: () => new Response(path) })
    const ask = await serveRoutes([say('/*'), say('/a/*'), say('/a/b'), say('/a/b/c/*')])
    const found = (path: string): Promise<string> => ask(path).then((answer) => answer.text())
    expect(await found('/a/b')).toBe('/a/b')
    expect(await found('/a/b/c')).toBe('/a/*')
    expect(await found('/a/b/c/d?e=1')).toBe('/a/b/c/*')
    expect(await found('/a')).toBe('/*')
    expect(await found('/')).toBe('/*')
    expect(await found('/healthz')).toBe('ok\n')
    expect((await ask('/mcp')).status).toBe(405)
    expect(await found('/metrics')).toContain('_requests_total')
    const called = await requestModern(serving?.url ?? '', 'tools/call', { name: 'echo' })
    expect(called.body.result.content[0].text).toBe('echo')
  })

  test('a path that a URL would change is refused', async () => {
    const seen: string[] = []
    await serveRoutes([
      { method: 'GET', path: '/files/*', handle: (request) => (seen.push(request.url), new Response('file')) },
    ])
    for (const path of ['/files/../secret', '/files/./a', '/files/%2e%2e/a', '//files/a', '/files/a\\b']) {
      const request = sendRaw({ port: serving?.port, path }).end()
      const [answer] = await once(request, 'response')
      answer.resume()
      expect([path, answer.statusCode]).toEqual([path, 404])
    }
    expect(seen).toEqual([])
  })

  test.each<[string, string, string]>([
    ['GET', '/mcp', 'the server uses this path itself'],
    ['POST', '/sse', 'the server uses this path itself'],
    ['GET', '/healthz', 'the server uses this path itself'],
    ['GET', 'hello', 'a path is as in a URL'],
    ['GET', '/a b', 'a path is as in a URL'],
    ['GET', '/a?b', 'a path is as in a URL'],
    ['GET', '/a/*/b', 'a path is as in a URL'],
    ['GET', '/a*', 'a path is as in a URL'],
    ['GET', '//a', 'a path is as in a URL'],
    ['GET', '/a/../b', 'a path is as in a URL'],
    ['GET', '/users/:id', 'a path has no parameters'],
    ['HEAD', '/a', 'the method must be GET, POST, PUT, PATCH, DELETE'],
    ['get', '/a', 'the method must be GET, POST, PUT, PATCH, DELETE'],
    ['GET', '/hello', 'it exists twice'],
  ])('%s %s is not possible', async (method, path, reason) => {
    const wrong = { method: method as never, path, handle: () => new Response() }
    await expect(serveRoutes([hello, wrong])).rejects.toThrow(`the route ${method} ${path} is not possible: ${reason}`)
  })
})

describe('access', () => {
  const seen: RouteContext<Claims>[] = []
  const who: HttpRoute<Claims> = {
    method: 'GET',
    path: '/who',
    handle(_request, context) {
      seen.push(context)
      return new Response(`${context.user} of ${context.auth?.claims.tenant}`)
    },
  }

  test('is as for /mcp by default, and open for public routes', async () => {
    const ask = await serveRoutes(
      [who, { ...who, path: '/open', auth: 'none' }, { ...who, method: 'POST', path: '/open' }],
      { auth },
    )
    const refused = await ask('/who')
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await (await ask('/who', { headers: KEY })).text()).toBe('ann of acme')
    expect(await (await ask('/open', { headers: KEY })).text()).toBe('undefined of undefined')
    expect((await ask('/open', { method: 'HEAD' })).status).toBe(200)
    // Beside it is one that is not public.
    expect((await ask('/open', { method: 'POST' })).status).toBe(401)
    expect((await ask('/open', { method: 'PUT' })).status).toBe(401)
    expect((await ask('/open', { method: 'PUT', headers: KEY })).status).toBe(405)
    expect(seen.slice(0, 2)).toEqual([
      { user: 'ann', auth: { user: 'ann', scopes: ['read'], claims: { tenant: 'acme' } } },
      { user: undefined, auth: undefined },
    ])
  })

  test('Host and Origin are checked as for /mcp; an allowed origin may read', async () => {
    const ask = await serveRoutes([{ ...hello, auth: 'none' }], { auth })
    expect((await ask('/hello', { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    const request = sendRaw({ port: serving?.port, path: '/hello', headers: { host: 'evil.example' } }).end()
    const [answer] = await once(request, 'response')
    answer.resume()
    expect(answer.statusCode).toBe(403)
    const origin = 'http://localhost:5173'
    const allowed = await ask('/hello', { headers: { origin } })
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, origin])
    const preflight = await ask('/hello', { method: 'OPTIONS', headers: { origin } })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, HEAD'])
  })

  test('counts for the rate of the user', async () => {
    const ask = await serveRoutes([hello], { auth, rate: 1, burst: 1 })
    const statuses = [await ask('/hello', { headers: KEY }), await ask('/hello', { headers: KEY })]
    expect(statuses.map(({ status }) => status)).toEqual([200, 429])
  })

  test.each(['known', 'unknown'])('a body that is too large is refused, its length being %s', async (length) => {
    const read = (request: Request): Promise<Response> => request.text().then((text) => new Response(text))
    const ask = await serveRoutes([{ method: 'POST', path: '/in', maxBodyBytes: 1000, handle: read }])
    const send = (size: number): Promise<Response> => {
      const bytes = new TextEncoder().encode('x'.repeat(size))
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue(bytes)
          controller.close()
        },
      })
      const init = length === 'known' ? { body: bytes } : { body: stream, duplex: 'half' as const }
      return ask('/in', { method: 'POST', ...init })
    }
    expect((await send(1000)).status).toBe(200)
    const refused = await send(1001)
    expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining('larger than 1000 bytes')])
    expect(logged).toEqual([])
  })

  test('a client that waits for 100 Continue gets it', async () => {
    const read = (request: Request): Promise<Response> => request.text().then((text) => new Response(text))
    await serveRoutes([{ method: 'POST', path: '/in', handle: read }])
    const socket = connectSocket(serving?.port ?? 0, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
    socket.write('POST /in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n')
    await expect.poll(() => received).toContain('HTTP/1.1 100 Continue')
    socket.write('ok')
    await expect.poll(() => received).toMatch(/HTTP\/1\.1 200 OK[^]*ok/)
    socket.destroy()
  })
})
