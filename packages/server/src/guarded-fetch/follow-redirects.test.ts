import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'

import { nextRequest } from './follow-redirects.js'
import { createGuardedFetch, type FetchRequest, type GuardedFetch } from './guarded-fetch.js'

interface ReceivedRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

const received: ReceivedRequest[] = []
const servers: Server[] = []
let [here, there] = ['', '']

/** `/301/path` redirects there with that code; `/go?to=URL` to that URL. */
async function serve(): Promise<string> {
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request
    void text(request).then((body) => {
      received.push({ method, url, headers, body })
      const [, code, path] = /^\/(\d{3})(\/.*)$/.exec(url) ?? []
      const to = new URL(url, 'http://x').searchParams.get('to')
      if (code !== undefined && path !== undefined) response.writeHead(Number(code), { location: path }).end('moved')
      else if (url === '/circle') response.writeHead(302, { location: url }).end()
      else if (to === null) response.end('here')
      else response.writeHead(307, { location: Buffer.from(to).toString('latin1') }).end('x'.repeat(to.length * 10_000))
    })
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  ;[here, there] = [await serve(), await serve()]
})

beforeEach(() => {
  received.length = 0
})

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

function guardedFetch(): GuardedFetch {
  const allow = [here, there].map((origin) => new URL(origin).host).join()
  const out = createGuardedFetch({ allow, proxies: { override: '', http: '', https: '', bypass: '' }, warn: () => {} })
  onTestFinished(() => out.close())
  return out
}

const SECRETS = {
  Authorization: 'Bearer 1',
  Cookie: 'a=1',
  'X-Api-Key': '2',
  'If-None-Match': '"3"',
  Accept: 'text/html',
}

test.each([
  [301, 'POST', 'GET', ''],
  [302, 'POST', 'GET', ''],
  [303, 'POST', 'GET', ''],
  [307, 'POST', 'POST', 'body'],
  [308, 'POST', 'POST', 'body'],
  [301, 'HEAD', 'HEAD', ''],
  [302, 'HEAD', 'HEAD', ''],
  [303, 'HEAD', 'HEAD', ''],
  [307, 'HEAD', 'HEAD', ''],
] as const)('after %d a %s becomes a %s', async (code, method, then, body) => {
  const request: FetchRequest = {
    method,
    ...(method === 'POST' && { body: 'body', headers: { 'content-type': 'text/x' } }),
  }
  const { url, redirects } = await guardedFetch().fetch(`${here}/${code}/end`, request)
  expect([url, redirects]).toEqual([`${here}/end`, [`${here}/${code}/end`]])
  expect(received.at(-1)).toMatchObject({ method: then, url: '/end', body })
  expect(received.at(-1)?.headers['content-type']).toBe(body === '' ? undefined : 'text/x')
})

test.each([300, 304, 305, 306, 399])('%d is not a redirect', async (code) => {
  expect(await guardedFetch().fetch(`${here}/${code}/end`)).toMatchObject({ status: code, redirects: [] })
})

test('within an origin all headers are sent; to another only those that describe the response', async () => {
  const headers = SECRETS
  await guardedFetch().fetch(`${here}/302/end`, { headers })
  expect(received.at(-1)?.headers).toMatchObject({ authorization: 'Bearer 1', cookie: 'a=1', 'x-api-key': '2' })
  await guardedFetch().fetch(`${here}/go?to=${there}/end`, { headers, method: 'POST', body: 'b' })
  const last = received.at(-1)
  expect(last).toMatchObject({ url: '/end', body: 'b', headers: { accept: 'text/html' } })
  for (const name of ['authorization', 'cookie', 'x-api-key', 'if-none-match']) {
    expect(last?.headers).not.toHaveProperty(name)
  }
})

test('headers that were dropped on the way are not sent after returning to the origin', async () => {
  const back = encodeURIComponent(`${there}/go?to=${here}/end`)
  await guardedFetch().fetch(`${here}/go?to=${back}`, { headers: SECRETS })
  expect(received.at(-1)).toMatchObject({ url: '/end', headers: { host: new URL(here).host } })
  expect(received.at(-1)?.headers).not.toHaveProperty('authorization')
})

test('five redirects are followed, or as many as allowed', async () => {
  const out = guardedFetch()
  expect((await out.fetch(`${here}${'/302'.repeat(5)}/end`)).redirects).toHaveLength(5)
  await expect(out.fetch(`${here}${'/302'.repeat(6)}/end`)).rejects.toMatchObject({ kind: 'redirects' })
  await expect(out.fetch(`${here}/302/end`, { maxRedirects: 0 })).rejects.toThrow(
    'it redirects again, and at most 0 redirects are followed',
  )
  await expect(out.fetch(`${here}/302/302/end`, { maxRedirects: 1 })).rejects.toMatchObject({ kind: 'redirects' })
})

test('a redirect loop ends', async () => {
  await expect(guardedFetch().fetch(`${here}/circle`)).rejects.toMatchObject({ kind: 'redirects' })
})

test('a fragment is kept unless there is another; Location is read as UTF-8', async () => {
  const out = guardedFetch()
  expect((await out.fetch(`${here}/302/end#part`)).url).toBe(`${here}/end#part`)
  expect((await out.fetch(`${here}/go?to=${encodeURIComponent('/end#other')}#part`)).url).toBe(`${here}/end#other`)
  expect((await out.fetch(`${here}/go?to=${encodeURIComponent('/grüße')}`)).url).toBe(`${here}/gr%C3%BC%C3%9Fe`)
})

test.each([
  ['file:///etc/passwd', 'bad-url'],
  ['data:text/html,x', 'bad-url'],
  ['javascript:alert(1)', 'bad-url'],
  ['gopher://127.0.0.1/', 'bad-url'],
  ['http://user:password@127.0.0.1/', 'bad-url'],
  ['http://[', 'bad-url'],
  ['http://127.0.0.1:25/', 'refused'],
  ['//localhost/', 'refused'],
])('a redirect to %s is a failure', async (to, problem) => {
  const failure = guardedFetch().fetch(`${here}/go?to=${encodeURIComponent(to)}`)
  await expect(failure).rejects.toMatchObject({ kind: problem })
  await expect(failure).rejects.toThrow(`Could not fetch ${here}/go: it was redirected once, and then `)
  await expect(failure).rejects.not.toThrow('password@')
})

test('a redirect from https to http is rejected', () => {
  const question = { url: new URL('https://example.com/a'), method: 'GET', headers: {}, body: undefined }
  expect(() => nextRequest(question, 302, 'http://example.com/b?secret')).toThrow('from https to http://example.com/b,')
  expect(nextRequest(question, 302, '//example.com/b').url.href).toBe('https://example.com/b')
  const plain = { ...question, url: new URL('http://example.com/a') }
  expect(nextRequest(plain, 302, 'https://example.com/b').url.href).toBe('https://example.com/b')
})
