// Clients that send garbage, too much, too slowly, or crafted requests. Each gets a status and a message or a closed
// connection; other clients are not affected, and no memory is kept.

import type { Socket } from 'node:net'

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { HAS_PROC, type Json, LEGACY, MODERN, residentMegabytes } from '../support/client.js'
import {
  ALICE,
  callOf,
  callTool,
  type HttpServer,
  initialize,
  logComplaints,
  modernCall,
  openConnection,
  requestHead,
  rpc,
  sendRequest,
  startFixtureServer,
  startProgram,
} from '../support/http-client.js'
import { underLoad } from '../support/load.js'
import { MEMORY_SLACK, MISSING, skipIfMissing } from '../support/runtime.js'

const MAX = 100_000
let program: HttpServer
let fixture: HttpServer

beforeAll(async () => {
  const env = { MAX_LINE_BYTES: String(MAX), RATE_LIMIT: '0' }
  ;[program, fixture] = await Promise.all([startProgram({ env }), startFixtureServer({ maxOpenPerUser: 30 })])
})

afterAll(async () => {
  expect(await Promise.all([program.stop(), fixture.stop()])).toEqual([0, 0])
  expect([...logComplaints(program), ...logComplaints(fixture)]).toEqual([])
})

describe('a body', () => {
  test.each<[string, string | Buffer, number]>([
    ['that is empty', '', 400],
    ['of spaces', '  \r\n ', 400],
    ['that was cut', rpc('ping').slice(0, -1), 400],
    ['that is a number', '7', 400],
    ['that is a string', '"ping"', 400],
    ['that is null', 'null', 400],
    ['of two messages', rpc('ping') + rpc('ping'), 400],
    ['that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400],
    ['with half a character', Buffer.from(rpc('ping', { text: 'é' })).subarray(0, -4), 400],
    ['of zeros', Buffer.alloc(100), 400],
    ['that is deep', `${'['.repeat(50_000)}${']'.repeat(50_000 - 1)}`, 400],
    [
      'that is deep inside',
      rpc('ping').replace('"ping"', `"ping","params":${'{"a":'.repeat(99)}1${'}'.repeat(99)}`),
      400,
    ],
    ['without a method', '{"jsonrpc":"2.0","id":1}', 400],
    ['of another JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400],
    ['whose id is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400],
    ['that is one byte too large', 'x'.repeat(MAX + 1), 413],
  ])('%s is refused with a message', async (_, body, status) => {
    const answer = await sendRequest(program, { body })
    expect(answer.status).toBe(status)
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', error: { message: expect.stringMatching(/\w+ \w+/) } })
    expect((await sendRequest(program, { body: rpc('ping') })).status).toBe(200)
  })

  test.each(['no revision', ...LEGACY, MODERN])('that is an empty array is refused at %s', async (revision) => {
    const version: Record<string, string> = revision === 'no revision' ? {} : { 'mcp-protocol-version': revision }
    const session: Record<string, string> =
      revision === 'no revision' || revision === MODERN ? {} : { 'mcp-session-id': await initialize(program, revision) }
    const alone = await sendRequest(program, { body: '[]', headers: version })
    const inSession = await sendRequest(program, { body: ' [ ] ', headers: { ...version, ...session } })
    for (const { status, json } of [alone, inSession]) {
      expect({ status, json }).toEqual({
        status: 400,
        json: { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'Invalid Request: the batch is empty' } },
      })
    }
  })

  test('of exactly the maximum size is accepted', async () => {
    const body = rpc('ping', { pad: '' })
    const answer = await sendRequest(program, { body: body.replace('""', `"${'x'.repeat(MAX - body.length)}"`) })
    expect(answer.status).toBe(200)
  })

  test('may begin with a byte order mark', async () => {
    expect((await sendRequest(program, { body: `\uFEFF${rpc('ping')}` })).status).toBe(200)
  })

  test('whose keys are __proto__ and constructor changes nothing', async () => {
    const params = '{"__proto__":{"name":"x"},"constructor":{"prototype":{"polluted":1}},"name":"who"}'
    await sendRequest(fixture, { body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}` })
    expect(await callTool(fixture, 'who')).toBe('alice:')
  })
})

describe('a body of many values', () => {
  const callWith = (junk: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who","arguments":{"junk":${junk}}}}`

  test.each([
    ['objects', callWith(`[${'{},'.repeat(100_001)}{}]`)],
    ['numbers', callWith(`[${'1,'.repeat(100_001)}1]`)],
    ['keys', callWith(`{${Array.from({ length: 100_001 }, (_, at) => `"${at}":1`).join()}}`)],
    ['messages', `[${'{},'.repeat(100_001)}{}]`],
    ['spaces', callWith(`[${' '.repeat(5_000_000)}]`)],
    ['digits', callWith('1'.repeat(5_000_000))],
  ])('%s is refused before it is parsed', async (_, body) => {
    const { status, json } = await sendRequest(fixture, { body })
    expect({ status, json }).toEqual({
      status: 400,
      json: {
        jsonrpc: '2.0',
        id: null,
        error: {
          code: -32_700,
          message: 'Parse error: more than 100000 values, or 4 MiB outside of strings; pass large data as one string',
        },
      },
    })
  })

  test('that are strings or characters of strings is accepted', async () => {
    const body = callWith(`[${'"[{,}]",'.repeat(90_000)}"${',{}'.repeat(1_000_000)}"]`)
    expect((await sendRequest(fixture, { body })).status).toBe(200)
  })
})

describe('a gigabyte', () => {
  const CHUNK = Buffer.alloc(1024 * 1024, 'x')

  /** Writes a chunk; resolves when it was sent, or can no longer be. */
  const written = (socket: Socket): Promise<void> => new Promise((done) => socket.write(CHUNK, () => done()))

  /** Sends until the connection is closed; resolves to the response. */
  async function sendEndlessly(framing: string, before: string, after: string): Promise<string> {
    const client = await openConnection(program)
    client.write(requestHead(program, 1).replace(/Content-Length: 1/, framing))
    for (let sent = 0; sent < 1024 && !client.socket.destroyed; sent++) {
      client.write(before)
      await written(client.socket)
      client.write(after)
    }
    await client.until(/HTTP\/1\.1 413[^]*\}/)
    client.socket.destroy()
    return client.text()
  }

  test.each([
    ['that is announced', `Content-Length: ${1024 ** 3}`, '', ''],
    ['that is not', 'Transfer-Encoding: chunked', `${(1024 * 1024).toString(16)}\r\n`, '\r\n'],
  ])('%s gets 413, and the memory does not grow', async (_, framing, before, after) => {
    const megabytes = HAS_PROC ? residentMegabytes(program) : 0
    let most = megabytes
    const watch = setInterval(() => HAS_PROC && (most = Math.max(most, residentMegabytes(program))), 20)
    const text = await sendEndlessly(framing, before, after)
    clearInterval(watch)
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(most - megabytes).toBeLessThan(80 * MEMORY_SLACK)
    expect((await sendRequest(program, { body: rpc('ping') })).status).toBe(200)
  })

  test('is not requested if the client sends Expect: 100-continue', async () => {
    const client = await openConnection(program)
    client.write(requestHead(program, 1024 ** 3, 'Expect: 100-continue\r\n'))
    expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 413 /)
    client.socket.destroy()
    const small = await openConnection(program)
    const body = rpc('ping')
    small.write(requestHead(program, body.length, 'Expect: 100-continue\r\n'))
    await small.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
    small.write(body)
    await small.until(/HTTP\/1\.1 200 /)
    small.socket.destroy()
  })

  test('a client that sends everything before it reads still gets its 413', async () => {
    const client = await openConnection(program)
    client.socket.pause()
    const size = 8 * CHUNK.length
    client.write(requestHead(program, size))
    for (let sent = 0; sent < size; sent += CHUNK.length) await written(client.socket)
    client.socket.resume()
    expect(await client.until(/\}$/)).toMatch(/^HTTP\/1\.1 413 /)
    client.socket.destroy()
  })
})

describe('malformed HTTP', () => {
  const secondRequest = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const post = (...lines: string[]): string =>
    ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ...lines, '', ''].join('\r\n')

  test.each([
    ['two lengths', `${post('Content-Length: 4', 'Content-Length: 0')}${secondRequest}`],
    ['a list of lengths', `${post('Content-Length: 0, 4')}${secondRequest}`],
    ['a length with a sign', `${post('Content-Length: +0')}${secondRequest}`],
    ['a length in hexadecimal', `${post('Content-Length: 0x0')}${secondRequest}`],
    ['a negative length', `${post('Content-Length: -1')}${secondRequest}`],
    ['a length and chunks', `${post('Content-Length: 6', 'Transfer-Encoding: chunked')}0\r\n\r\n${secondRequest}`],
    ['chunks and a length', `${post('Transfer-Encoding: chunked', 'Content-Length: 6')}0\r\n\r\n${secondRequest}`],
    ['almost chunks', `${post('Transfer-Encoding: xchunked')}0\r\n\r\n${secondRequest}`],
    ['chunks that are not the last coding', `${post('Transfer-Encoding: chunked, identity')}0\r\n\r\n${secondRequest}`],
    ['a space before the colon', `${post('Content-Length : 0')}${secondRequest}`],
    ['a folded line', `${post('Transfer-Encoding:', ' chunked')}0\r\n\r\n${secondRequest}`],
    ['an endless chunk size', `${post('Transfer-Encoding: chunked')}${'f'.repeat(40)}\r\n${secondRequest}`],
    ['an invalid chunk size', `${post('Transfer-Encoding: chunked')}zz\r\n${secondRequest}`],
    ['a control character', `${post('X-Bad: a\x01b', 'Content-Length: 0')}${secondRequest}`],
    ['a zero', `${post('X-Bad: a\x00b', 'Content-Length: 0')}${secondRequest}`],
    ['a lone return', `${post('X-Bad: a\rContent-Length: 0')}${secondRequest}`],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a version of the future', 'GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n'],
    ['no request at all', 'hello\r\n\r\n'],
    ['noise', Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 7919) % 256)).toString('latin1')],
  ])('%s: refused, closed, and nothing after it is served', async (_, bytes) => {
    const client = await openConnection(program)
    client.write(Buffer.from(bytes, 'latin1'))
    await client.closed
    expect(client.text()).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(client.text()).not.toContain('\r\n\r\nok')
    expect(client.text()).not.toMatch(/HTTP\/1\.1 200/)
  })

  test.each([
    ['a body that ends too soon', `${post('Content-Length: 100', 'Authorization: Bearer a-token-for-tests')}abcd`, 400],
    [
      'an invalid chunk size',
      `${post('Transfer-Encoding: chunked', 'Authorization: Bearer a-token-for-tests')}zz\r\n`,
      400,
    ],
    ['a wish for a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n', 405],
    [
      'an unknown expectation',
      post('Expect: a-miracle', 'Content-Length: 2', 'Authorization: Bearer a-token-for-tests'),
      417,
    ],
    ['no Host at all', 'GET /healthz HTTP/1.1\r\n\r\n', 403],
  ])('%s gets its status and a message', async (_, bytes, status) => {
    const client = await openConnection(program, true)
    client.write(bytes)
    client.socket.end()
    expect(await client.until(/\}$/)).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*"message":"`))
    client.socket.destroy()
  })

  test.each([
    ['a header that is too long', `X-Long: ${'x'.repeat(20_000)}`, 431],
    ['too many headers', Array.from({ length: 5000 }, (_, index) => `X-${index}: y`).join('\r\n'), 431],
  ])('%s gets its status', async (_, lines, status) => {
    const client = await openConnection(program)
    client.write(post(lines))
    await client.closed
    expect(client.text()).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*"message":"`))
  })

  test('many small headers hide none', async (context) => {
    skipIfMissing(context, MISSING.manyHeaders)
    const client = await openConnection(program)
    const junk = Array.from({ length: 2500 }, () => 'a:b').join('\r\n')
    client.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${junk}\r\nOrigin: https://evil.example\r\n\r\n`)
    expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 403 /)
    client.socket.destroy()
  })

  test.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    ['a wish that is refused', 'GET /mcp HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ])('a client that sends %s and stays connected is disconnected', async (_, bytes) => {
    const client = await openConnection(program, true)
    client.write(bytes)
    await client.until(/\}$/)
    // A closed connection is detected only by writing to it.
    const retryTimer = setInterval(() => client.write('x'), 100)
    const late = new Promise((resolve) => setTimeout(resolve, underLoad(10_000), 'open'))
    expect(await Promise.race([client.closed.then(() => 'closed'), late])).toBe('closed')
    clearInterval(retryTimer)
    client.socket.destroy()
  })

  test('garbage after a call does not become its answer', async () => {
    const client = await openConnection(fixture)
    const body = callOf('hold', { label: 'nonsense' })
    client.write(`${requestHead(fixture, body.length)}${body}`)
    await vi.waitFor(async () => expect(await callTool(fixture, 'fate', { label: 'nonsense' })).toBe('held'))
    client.write('NONSENSE\r\n\r\n')
    await client.closed
    expect(client.text()).toBe('')
    expect(await vi.waitFor(() => callTool(fixture, 'fate', { label: 'nonsense' }))).toBe('aborted')
  })
})

describe('several requests at once on one connection', () => {
  test('are answered in order, whichever is ready first', async () => {
    const client = await openConnection(fixture)
    // Fewer than a user may have open: on a busy machine none is answered before the last one arrives.
    const count = 28
    const bodies = Array.from({ length: count }, (_, id) =>
      callOf(id % 3 === 0 ? 'later' : 'who', { text: `t${id}`, ms: id % 7 }, id),
    )
    client.write(bodies.map((body) => `${requestHead(fixture, body.length)}${body}`).join(''))
    const text = await client.until(new RegExp(`alice:t${count - 1}\\b`))
    const results = [...text.matchAll(/"id":(\d+).*?alice:(t\d+)/g)].map(([, id, word]) => [Number(id), word])
    expect(results).toEqual(bodies.map((_, id) => [id, `t${id}`]))
    client.socket.destroy()
  })

  test('all end with the connection, and free their slots', async () => {
    // More than one user may have open: if one stayed open, the last request would be refused.
    for (let round = 0; round < 12; round++) {
      const client = await openConnection(fixture)
      const labels = [1, 2, 3].map((at) => `queued ${round} ${at}`)
      const bodies = labels.map((label) => callOf('hold', { label }))
      client.write(bodies.map((body) => `${requestHead(fixture, body.length)}${body}`).join(''))
      await vi.waitFor(async () => expect(await callTool(fixture, 'fate', { label: labels[2] })).toBe('held'))
      client.socket.destroy()
      for (const label of labels) {
        await vi.waitFor(async () => expect(await callTool(fixture, 'fate', { label })).toBe('aborted'))
      }
    }
  })

  test('streams queued after a call end with the connection too', async () => {
    for (let round = 0; round < 12; round++) {
      const client = await openConnection(fixture)
      const label = `before streams ${round}`
      const body = callOf('hold', { label })
      const sse = `GET /sse HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ALICE}\r\n\r\n`
      client.write(`${requestHead(fixture, body.length)}${body}${sse}${sse}`)
      await vi.waitFor(async () => expect(await callTool(fixture, 'fate', { label })).toBe('held'))
      client.socket.destroy()
    }
    await vi.waitFor(async () => expect(await callTool(fixture, 'who')).toBe('alice:'))
  })
})

test('a stream that is often full does not leak', async () => {
  const headers = { 'mcp-protocol-version': '2025-06-18' }
  const { json } = await sendRequest(fixture, {
    body: callOf('steps', { count: 30, pad: 100_000 }, 1, { progressToken: 1 }),
    headers,
  })
  expect(json.result.content[0].text).toBe('30 steps')
  expect(logComplaints(fixture)).toEqual([])
})

describe('a slow client', () => {
  const LIMIT = 15_000
  const seconds = (count: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, count * 1000))

  /** Writes a piece every second; resolves to whether the server closed the connection in time. */
  async function sendSlowly(first: string, piece: string): Promise<boolean> {
    const client = await openConnection(fixture)
    client.write(first)
    const timer = setInterval(() => client.write(piece), 1000)
    const isClosed = await Promise.race([client.closed.then(() => true), seconds(LIMIT / 1000).then(() => false)])
    clearInterval(timer)
    client.socket.destroy()
    return isClosed
  }

  /** Requests much data and reads none until the time is up; then only data in flight may remain. */
  async function stopReading(request: string, whole: number): Promise<boolean> {
    const client = await openConnection(fixture)
    client.socket.pause()
    client.write(request)
    await seconds(LIMIT / 1000 - 1)
    client.socket.resume()
    const isClosed = await Promise.race([client.closed.then(() => true), seconds(1).then(() => false)])
    client.socket.destroy()
    return isClosed && client.text().length < whole
  }

  async function measureOtherClients(): Promise<number> {
    let slowest = 0
    for (const until = Date.now() + LIMIT - 1000; Date.now() < until; await seconds(0.25)) {
      const before = Date.now()
      const { json } = await sendRequest(fixture, modernCall('who', { text: 'fast' }))
      expect(json.result.content[0].text).toBe('alice:fast')
      slowest = Math.max(slowest, Date.now() - before)
    }
    return slowest
  }

  /** After a long call, a quick answer waits its turn; this does not make the client slow. */
  async function waitInQueue(): Promise<boolean> {
    const client = await openConnection(fixture)
    const bodies = [callOf('later', { text: 'first', ms: 13_000 }), callOf('who', { text: 'second' })]
    client.write(bodies.map((body) => `${requestHead(fixture, body.length)}${body}`).join(''))
    const text = await client.until(/alice:second/).catch(() => '')
    client.socket.destroy()
    return text.indexOf('alice:first') > 0
  }

  test('is disconnected within 15 s, whatever is slow; others are served meanwhile', { tags: ['long'] }, async () => {
    const size = 30_000_000
    const body = callOf('large', { bytes: size })
    const steps = callOf('steps', { count: 40, pad: 1_000_000, ms: 1 }, 1, { progressToken: 1 })
    const version = 'MCP-Protocol-Version: 2025-06-18\r\nAccept: text/event-stream\r\n'
    const outcomes: Json = Object.fromEntries(
      await Promise.all(
        Object.entries({
          silence: sendSlowly('', ''),
          'the first line': sendSlowly('GET', ' '),
          'the headers': sendSlowly('GET /healthz HTTP/1.1\r\n', 'X: y\r\n'),
          'the body': sendSlowly(requestHead(fixture, 1000), ' '),
          'chunks of a body': sendSlowly(
            requestHead(fixture, 1).replace('Content-Length: 1', 'Transfer-Encoding: chunked'),
            '1\r\n \r\n',
          ),
          'reading an answer': stopReading(`${requestHead(fixture, body.length)}${body}`, size),
          'reading a stream': stopReading(`${requestHead(fixture, steps.length, version)}${steps}`, 40_000_000),
          'waiting its turn': waitInQueue(),
          'other clients': measureOtherClients().then((slowest) => slowest < 3000),
        }).map(async ([name, outcome]) => [name, await outcome]),
      ),
    )
    expect(Object.entries(outcomes).filter(([, isFine]) => isFine !== true)).toEqual([])
  })
})
