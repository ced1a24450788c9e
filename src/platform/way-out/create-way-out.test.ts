import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { createWayOut, type WayOutInput } from './create-way-out.js'
import type { WayOut } from './way-out.js'

const NO_PROXY = { fixed: '', http: '', https: '', bypass: '' }

const asked: string[] = []
const PAGES: Record<string, RequestListener> = {
  '/text': (_, response) => response.end('hello'),
  '/missing': (_, response) => response.writeHead(404).end('nothing here'),
  '/empty': (_, response) => response.writeHead(204).end(),
  '/empty-gzip': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(),
  '/silent': () => {},
  '/drip': (_, response) => void response.write('a'),
  '/gzip': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed')),
  '/br': (_, response) => response.writeHead(200, { 'content-encoding': 'BR' }).end(brotliCompressSync('packed')),
  '/deflate': (_, response) => response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateSync('packed')),
  '/deflate-raw': (_, response) =>
    response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateRawSync('packed')),
  '/twice': (_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip, br' }).end(brotliCompressSync(gzipSync('packed'))),
  '/echo': (request, response) => {
    response.writeHead(200, { 'x-method': request.method, 'x-headers': JSON.stringify(request.headers) })
    request.pipe(response)
  },
}

let base = ''
let port = 0

function serve(listener: RequestListener): Promise<Server> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  return once(server, 'listening').then(() => server)
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function wayOut(input: Partial<WayOutInput> = {}): WayOut {
  const made = createWayOut({ allow: `127.0.0.1:${port}`, proxies: NO_PROXY, warn: () => {}, ...input })
  onTestFinished(() => made.close())
  return made
}

let server: Server
beforeAll(async () => {
  server = await serve((request, response) => {
    asked.push(request.url ?? '')
    const page = PAGES[request.url ?? '']
    if (page) page(request, response)
    else response.writeHead(500).end()
  })
  port = portOf(server)
  base = `http://127.0.0.1:${port}`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('an answer comes back whole, whatever its status', async () => {
  const { fetch } = wayOut()
  const { status, bytes, url, redirects } = await fetch(`${base}/text`)
  expect([status, bytes.toString(), url, redirects]).toEqual([200, 'hello', `${base}/text`, []])
  expect(await fetch(new URL(`${base}/missing`))).toMatchObject({ status: 404 })
  for (const path of ['/empty', '/empty-gzip']) expect((await fetch(base + path)).bytes).toHaveLength(0)
})

test.each(['/gzip', '/br', '/deflate', '/deflate-raw', '/twice'])('%s is unpacked', async (path) => {
  expect((await wayOut().fetch(base + path)).bytes.toString()).toBe('packed')
})

test('method, headers and body are sent; what is ours to say is not theirs', async () => {
  const { headers, bytes } = await wayOut().fetch(`${base}/echo`, {
    method: 'POST',
    headers: { 'X-Given': 'a', Host: 'elsewhere', 'Proxy-Authorization': 'x', 'Transfer-Encoding': 'chunked' },
    body: 'grüß',
  })
  expect([headers.get('x-method'), bytes.toString()]).toEqual(['POST', 'grüß'])
  const sent = JSON.parse(headers.get('x-headers') ?? '')
  expect(sent).toMatchObject({ 'x-given': 'a', host: `127.0.0.1:${port}`, 'content-length': '6' })
  expect(sent).not.toHaveProperty('proxy-authorization')
})
