import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createRawServer } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { eventually } from '../../../../test/support/eventually.js'
import { FetchFailure } from './fetch-failure.js'
import { createGuardedFetch, type FetchRequest, type GuardedFetch, type GuardedFetchOptions } from './guarded-fetch.js'

const NO_PROXY = { override: '', http: '', https: '', bypass: '' }

const BOMB = gzipSync(Buffer.alloc(50_000_000))
const EMPTY_MEMBERS = Array.from<Buffer>({ length: 100_000 }).fill(gzipSync(''))

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
  '/thrice-and-more': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip,gzip,gzip,gzip' }).end('x'),
  '/odd': (_, response) => response.writeHead(200, { 'content-encoding': 'rot13' }).end('x'),
  '/not-gzip': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain'),
  '/short-gzip': (_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(randomBytes(100_000)).subarray(0, 60_000)),
  '/large': (_, response) => response.end('x'.repeat(100_000)),
  '/bomb': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
  '/bomb-in-bomb': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(gzipSync(BOMB)),
  '/empty-members': (_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(gzipSync(Buffer.concat(EMPTY_MEMBERS))),
  '/cut': (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    setTimeout(() => response.destroy(), 20)
  },
  '/cut-gzip': (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync(randomBytes(100_000)).subarray(0, 60_000))
    setTimeout(() => response.destroy(), 50)
  },
  '/dripping': (_, response) => {
    const timer = setInterval(() => response.write('a'), 10)
    response.on('close', () => clearInterval(timer))
  },
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

function guardedFetch(input: Partial<GuardedFetchOptions> = {}): GuardedFetch {
  const made = createGuardedFetch({ allow: `127.0.0.1:${port}`, proxies: NO_PROXY, warn: () => {}, ...input })
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

test('any status is returned with the complete body', async () => {
  const { fetch } = guardedFetch()
  const { status, bytes, url, redirects } = await fetch(`${base}/text`)
  expect([status, bytes.toString(), url, redirects]).toEqual([200, 'hello', `${base}/text`, []])
  expect(await fetch(new URL(`${base}/missing`))).toMatchObject({ status: 404 })
  for (const path of ['/empty', '/empty-gzip']) expect((await fetch(base + path)).bytes).toHaveLength(0)
})

test.each(['/gzip', '/br', '/deflate', '/deflate-raw', '/twice'])('%s is decompressed', async (path) => {
  expect((await guardedFetch().fetch(base + path)).bytes.toString()).toBe('packed')
})

test('method, headers and body are sent, except reserved headers', async () => {
  const { headers, bytes } = await guardedFetch().fetch(`${base}/echo`, {
    method: 'POST',
    headers: { 'X-Given': 'a', Host: 'elsewhere', 'Proxy-Authorization': 'x', 'Transfer-Encoding': 'chunked' },
    body: 'grüß',
  })
  expect([headers.get('x-method'), bytes.toString()]).toEqual(['POST', 'grüß'])
  const sent = JSON.parse(headers.get('x-headers') ?? '')
  expect(sent).toMatchObject({ 'x-given': 'a', host: `127.0.0.1:${port}`, 'content-length': '6' })
  expect(sent).not.toHaveProperty('proxy-authorization')
})

test('an invalid header is a failure that does not contain its value', async () => {
  for (const [name, value] of [
    ['x-key', 'secret\nx: y'],
    ['x key', 'secret'],
    ['x-key', 'secret\0'],
  ]) {
    const failure = await failureOf(guardedFetch().fetch(`${base}/text`, { headers: { [`${name}`]: `${value}` } }))
    expect(failure.message).toContain(`the header "${name}" cannot be sent`)
    expect(failure.message).not.toContain('secret')
  }
})

async function failureOf(fetched: Promise<unknown>): Promise<FetchFailure> {
  const failure = await fetched.then(
    () => 'it was fetched',
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(FetchFailure)
  return failure as FetchFailure
}

test.each<[string, FetchRequest, string, string]>([
  ['/silent', { timeoutMs: 100 }, 'timeout', 'there was no complete response within 100 ms.'],
  ['/drip', { timeoutMs: 100 }, 'timeout', 'there was no complete response within 100 ms.'],
  ['/dripping', { timeoutMs: 200 }, 'timeout', 'there was no complete response within 200 ms.'],
  ['/large', { maxBytes: 99_999 }, 'too-large', 'its body is larger than 99999 bytes.'],
  ['/bomb', { maxBytes: 100_000 }, 'too-large', 'its body is larger than 100000 bytes.'],
  ['/bomb-in-bomb', { maxBytes: 100_000 }, 'too-large', 'its body is larger than 100000 bytes.'],
  ['/empty-members', { maxBytes: 100_000 }, 'too-large', 'its body is larger than 100000 bytes.'],
  ['/cut', {}, 'broken', 'the connection was closed before the end of the response.'],
  ['/cut-gzip', {}, 'broken', 'the connection was closed before the end of the response.'],
  ['/short-gzip', {}, 'broken', 'its body cannot be decompressed (unexpected end of file).'],
  ['/not-gzip', {}, 'broken', 'its body cannot be decompressed (incorrect header check).'],
  ['/odd', {}, 'broken', 'its body is compressed as "rot13", which is not supported.'],
  ['/thrice-and-more', {}, 'broken', 'its body has too many layers of compression.'],
])('%s is a failure that says why', async (path, request, problem, why) => {
  const failure = await failureOf(guardedFetch().fetch(`${base}${path}?secret=1`.replace('?secret=1', ''), request))
  expect([failure.kind, failure.message]).toEqual([problem, `Could not fetch ${base}${path}: ${why}`])
})

test.each<[string, FetchRequest, string, number]>([
  ['/large', { maxBytes: 1000 }, 'size', 1000],
  ['/bomb', { maxBytes: 1000 }, 'size', 1000],
  ['/drip', { timeoutMs: 150 }, 'time', 1],
  ['/cut', {}, 'broken', 4],
])('a part of %s can be accepted', async (path, request, cut, size) => {
  const response = await guardedFetch().fetch(base + path, { ...request, acceptsPartial: true })
  expect([response.truncatedBy, response.bytes.length]).toEqual([cut, size])
})

test.each(['/cut-gzip', '/short-gzip'])('a part of %s can be accepted, decompressed', async (path) => {
  const { truncatedBy, bytes } = await guardedFetch().fetch(base + path, { acceptsPartial: true })
  expect(truncatedBy).toBe('broken')
  expect(bytes.length).toBeGreaterThan(50_000)
})

test('a complete body is not truncated, and one of exactly the maximum size is accepted', async () => {
  const response = await guardedFetch().fetch(`${base}/large`, { maxBytes: 100_000, acceptsPartial: true })
  expect([response.bytes.length, response.truncatedBy]).toEqual([100_000, undefined])
})

test('without a response there is no partial body', async () => {
  const failure = await failureOf(guardedFetch().fetch(`${base}/silent`, { timeoutMs: 100, acceptsPartial: true }))
  expect(failure.kind).toBe('timeout')
})

test('the caller can cancel, before and after the response starts', async () => {
  const out = guardedFetch()
  const controller = new AbortController()
  const paths = ['/silent', '/drip', '/dripping']
  asked.splice(0)
  const fetches = paths.map((path) =>
    failureOf(out.fetch(base + path, { signal: controller.signal, acceptsPartial: true })),
  )
  await eventually(
    () => paths.filter((path) => !asked.includes(path)),
    (missing) => missing.length === 0,
  )
  controller.abort()
  for (const failure of await Promise.all(fetches)) expect(failure.kind).toBe('aborted')
  expect((await failureOf(out.fetch(`${base}/text`, { signal: controller.signal }))).kind).toBe('aborted')
})

test('many concurrent requests of one caller cause no leak warning', async () => {
  const warnings: string[] = []
  const warn = (warning: Error): void => void warnings.push(warning.name)
  process.on('warning', warn)
  onTestFinished(() => void process.off('warning', warn))
  const out = guardedFetch()
  const { signal } = new AbortController()
  await Promise.all(Array.from({ length: 40 }, () => out.fetch(`${base}/text`, { signal })))
  await new Promise((resolve) => setImmediate(resolve))
  expect(warnings).toEqual([])
})

test('closing aborts running requests', async () => {
  const out = guardedFetch()
  asked.splice(0)
  const fetched = failureOf(out.fetch(`${base}/drip`))
  await eventually(() => asked.includes('/drip'))
  await out.close()
  expect((await fetched).message).toContain('the server is stopping')
  expect((await failureOf(out.fetch(`${base}/text`))).kind).toBe('aborted')
})

test('a connection is reused, and a stale one is replaced', async () => {
  const ports = new Set<number | undefined>()
  const other = await serve((request, response) => {
    ports.add(request.socket.remotePort)
    response.end('hi')
    // The next request uses a connection that has just been closed.
    if (request.url === '/last') setImmediate(() => request.socket.destroy())
  })
  onTestFinished(() => void other.close())
  const destination = `127.0.0.1:${portOf(other)}`
  const out = guardedFetch({ allow: destination })
  for (let round = 0; round < 3; round++) await out.fetch(`http://${destination}/`)
  expect([...ports]).toHaveLength(1)
  for (let round = 0; round < 20; round++) {
    await out.fetch(`http://${destination}/last`)
    expect((await out.fetch(`http://${destination}/`)).status).toBe(200)
  }
})

/** A server that sends these bytes on every connection. */
async function rawServer(answer: string, isOpenEnded = false): Promise<string> {
  const raw = createRawServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => (isOpenEnded ? socket.write(answer, 'latin1') : socket.end(answer, 'latin1')))
  })
  raw.listen(0, '127.0.0.1')
  await once(raw, 'listening')
  onTestFinished(() => void raw.close())
  return `127.0.0.1:${(raw.address() as AddressInfo).port}`
}

test.each([
  ['nothing', ''],
  ['HTTP/0.9', 'hello, this is a page'],
  ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['a bad status', 'HTTP/1.1 abc OK\r\n\r\n'],
  ['half a head', 'HTTP/1.1 200 OK\r\ncontent-type: text/ht'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!'],
  ['both framings', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['a bad chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n'],
  ['an open chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nhello'],
  ['an endless header', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(300_000)}\r\n\r\n`],
  ['endless headers', `HTTP/1.1 200 OK\r\n${'x-x: aaaa\r\n'.repeat(60_000)}\r\n`],
  ['an unrequested upgrade', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
  ['a header with a NUL', 'HTTP/1.1 200 OK\r\nx: a\0b\r\ncontent-length: 0\r\n\r\n'],
])('an answer of %s is broken', async (_, answer) => {
  const destination = await rawServer(answer)
  const failure = await failureOf(
    guardedFetch({ allow: destination }).fetch(`http://${destination}/`, { timeoutMs: 5000 }),
  )
  expect([failure.kind, failure.message]).toEqual(['broken', expect.stringContaining(`http://${destination}/: `)])
})

test('endless interim responses end at the deadline', async () => {
  const destination = await rawServer('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(10_000), true)
  const failure = await failureOf(
    guardedFetch({ allow: destination }).fetch(`http://${destination}/`, { timeoutMs: 300 }),
  )
  expect(failure.kind).toBe('timeout')
})

test('a refused connection and an unknown name are reported', async () => {
  const gone = await serve(() => {})
  const destination = `localhost:${portOf(gone)}`
  gone.close()
  await once(gone, 'close')
  const refused = await failureOf(guardedFetch({ allow: destination }).fetch(`http://${destination}/`))
  expect([refused.kind, refused.message]).toEqual([
    'unreachable',
    `Could not fetch http://${destination}/: the connection was refused.`,
  ])
  const unknown = guardedFetch({ resolveHost: async () => [] }).fetch('http://unknown.example/?secret=1')
  expect((await failureOf(unknown)).message).toBe(
    'Could not fetch http://unknown.example/: there is no host unknown.example. Check the spelling.',
  )
})

test('the next address is tried if the first does not accept', async () => {
  const destination = `many.example:${port}`
  const out = guardedFetch({ allow: destination, resolveHost: async () => ['127.0.0.254', '127.0.0.1'] })
  expect((await out.fetch(`http://${destination}/text`)).bytes.toString()).toBe('hello')
})

test('an invalid allow list causes a warning, which failures repeat', async () => {
  const warnings: string[] = []
  const out = guardedFetch({ allow: '127.0.0.1', warn: (about) => warnings.push(about) })
  const failure = await failureOf(out.fetch(`${base}/text`))
  expect(warnings).toEqual([expect.stringContaining('"127.0.0.1" allows nothing')])
  expect(failure.message).toContain(`FETCH_ALLOW=127.0.0.1:${port} in the settings`)
  expect(failure.message).toContain('"127.0.0.1" allows nothing')
})
