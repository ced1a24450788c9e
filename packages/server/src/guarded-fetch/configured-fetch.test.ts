import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { fetchConfiguredUrl } from './configured-fetch.js'

const asked: string[] = []
const PAGES: Record<string, RequestListener> = {
  '/text': (_, response) => response.end('hello'),
  '/moved': (_, response) => response.writeHead(302, { location: '/text' }).end(),
  '/missing': (_, response) => response.writeHead(404).end('nothing here'),
  '/empty': (_, response) => response.writeHead(204).end(),
  '/silent': () => {},
  '/drip': (_, response) => void response.write('a'),
  '/large': (_, response) => response.end('x'.repeat(100_000)),
  '/bomb': (_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_000))),
  '/cut': (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    setTimeout(() => response.destroy(), 20)
  },
  '/echo': (request, response) => {
    request.pipe(response.writeHead(200, { 'x-method': request.method, 'x-given': request.headers['x-given'] }))
  },
}
const server = createServer((request, response) => {
  asked.push(request.url ?? '')
  PAGES[request.url ?? '']?.(request, response)
})
let base = ''

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('any status is returned with the complete body', async () => {
  const { status, bytes } = await fetchConfiguredUrl(`${base}/text`)
  expect([status, bytes.toString()]).toEqual([200, 'hello'])
  expect(await fetchConfiguredUrl(new URL(`${base}/missing`))).toMatchObject({ status: 404 })
  expect((await fetchConfiguredUrl(`${base}/empty`)).bytes).toHaveLength(0)
})

test('method, headers and body are sent', async () => {
  const { headers, bytes } = await fetchConfiguredUrl(`${base}/echo`, {
    method: 'POST',
    headers: { 'x-given': 'a' },
    body: 'hi',
  })
  expect([headers.get('x-method'), headers.get('x-given'), bytes.toString()]).toEqual(['POST', 'a', 'hi'])
})

test('a redirect is returned, and followed only on request', async () => {
  asked.length = 0
  const { status, headers } = await fetchConfiguredUrl(`${base}/moved`)
  expect([status, headers.get('location'), asked]).toEqual([302, '/text', ['/moved']])
  expect((await fetchConfiguredUrl(`${base}/moved`, { followRedirects: true })).bytes.toString()).toBe('hello')
})

test.each([
  ['a response that never starts', '/silent', { timeoutMs: 100 }, 'no complete response within 100 ms'],
  ['a response that never ends', '/drip', { timeoutMs: 100 }, 'no complete response within 100 ms'],
  ['a response that is too large', '/large', { maxBytes: 99_999 }, 'the response is larger than 99999 bytes'],
  ['a response that is small until decompressed', '/bomb', {}, 'the response is larger than 1048576 bytes'],
  ['an answer that is cut', '/cut', {}, ''],
])('%s is a Failure with its reason', async (_, path, outgoing, reason) => {
  const failure = await fetchConfiguredUrl(`${base}${path}`, outgoing).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Failure)
  expect(String(failure)).toContain(`Could not fetch ${base}${path}: ${reason}`)
})

test('a body of exactly the maximum size is accepted', async () => {
  expect((await fetchConfiguredUrl(`${base}/large`, { maxBytes: 100_000 })).bytes).toHaveLength(100_000)
})

test('the caller can cancel', async () => {
  const controller = new AbortController()
  const fetched = fetchConfiguredUrl(`${base}/silent`, { signal: controller.signal })
  controller.abort()
  await expect(fetched).rejects.toThrow('Could not fetch')
})

test('a refused connection is reported without the query', async () => {
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const { port } = gone.address() as AddressInfo
  gone.close()
  await once(gone, 'close')
  const failure = await fetchConfiguredUrl(`http://127.0.0.1:${port}/a?key=secret`).catch((error: unknown) => error)
  expect(String(failure)).toMatch(/ECONNREFUSED/)
  expect(String(failure)).not.toContain('secret')
})

test.each(['file:///etc/passwd', 'data:text/plain,hi', 'ftp://a.example', 'nonsense', ''])(
  '%j is not fetched',
  async (url) => {
    await expect(fetchConfiguredUrl(url)).rejects.toThrow('only http and https URLs can be fetched')
  },
)
