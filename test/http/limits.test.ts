// Limits per user: each is answered with 429 and Retry-After, ends by itself, and does not affect other users. A
// request frees its slot however it ends.

import { once } from 'node:events'

import { afterEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import {
  ALICE,
  BOB,
  callOf,
  callTool,
  type HttpServer,
  initialize,
  logComplaints,
  modern,
  modernCall,
  openConnection,
  requestHead,
  rpc,
  sendRequest,
  startFixtureServer,
  startProgram,
  stream,
} from '../support/http-client.js'
import { peakMegabytes } from '../image/support.js'
import { MISSING, skipIfMissing } from '../support/runtime.js'

let server: HttpServer

afterEach(async () => {
  expect(await server.stop()).toBe(0)
  expect(logComplaints(server)).toEqual([])
})

const ping = (token = ALICE) => sendRequest(server, { body: rpc('ping'), token })

describe('requests per second', () => {
  test('beyond the burst get 429 until Retry-After; other users are served', async () => {
    server = await startFixtureServer({ rate: 1, burst: 10 })
    // So many that some are refused even if they take half a minute.
    const answers = await Promise.all(Array.from({ length: 60 }, () => ping()))
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.filter(({ status }) => status === 200).length, JSON.stringify(answers)).toBeGreaterThanOrEqual(10)
    expect(refused.length).toBeGreaterThan(10)
    expect(refused[0]?.json.error.message).toMatch(/Too many requests; try again in \d+ s/)
    const wait = Number(refused[0]?.headers['retry-after'])
    expect(wait).toBeGreaterThanOrEqual(1)
    expect((await ping(BOB)).status).toBe(200)
    // As long as the answer says.
    await new Promise((resolve) => setTimeout(resolve, wait * 1000))
    expect((await ping()).status).toBe(200)
  })

  test('count over a WebSocket too, and are reported in the answer', async () => {
    server = await startFixtureServer({ rate: 1, burst: 5 })
    const headers = { authorization: `Bearer ${ALICE}` }
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/mcp`, 'mcp', { headers })
    const received: string[] = []
    socket.on('message', (data: Buffer) => received.push(data.toString()))
    await once(socket, 'open')
    for (let id = 0; id < 60; id++) socket.send(rpc('ping', {}, id))
    await vi.waitFor(() => expect(received).toHaveLength(60))
    const refused = received.filter((text) => text.includes('Too many requests; try again in'))
    expect(refused.length).toBeGreaterThan(10)
    expect(refused.length).toBeLessThan(60)
    socket.close()
    await once(socket, 'close')
  })

  test('count each message of a batch, over POST and over a WebSocket', async () => {
    server = await startFixtureServer({ rate: 1, burst: 5 })
    const batch = `[${Array.from({ length: 50 }, (_, id) => rpc('ping', {}, id)).join(',')}]`
    expect((await sendRequest(server, { body: batch })).status).toBe(200)
    expect((await sendRequest(server, { body: batch })).status).toBe(429)
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/mcp`, 'mcp', {
      headers: { authorization: `Bearer ${BOB}` },
    })
    const received: string[] = []
    socket.on('message', (data: Buffer) => received.push(data.toString()))
    await once(socket, 'open')
    socket.send(rpc('initialize', { protocolVersion: '2025-03-26' }))
    for (let round = 0; round < 5; round++) socket.send(batch)
    await vi.waitFor(() => expect(received).toHaveLength(6))
    expect(
      received.filter((text) => text.includes('Too many requests')).length,
      received.join('\n'),
    ).toBeGreaterThanOrEqual(4)
    socket.close()
    await once(socket, 'close')
  })

  test('are set by the configuration', async () => {
    server = await startProgram({ env: { RATE_LIMIT: '1', RATE_BURST: '3' } })
    const answers = await Promise.all(Array.from({ length: 40 }, () => sendRequest(server, { body: rpc('ping') })))
    expect(answers.filter(({ status }) => status === 429).length, JSON.stringify(answers)).toBeGreaterThanOrEqual(4)
    expect((await sendRequest(server, { method: 'GET', path: '/healthz' })).status).toBe(200)
  })
})

describe('concurrent streams, calls and sockets', () => {
  test('are limited in total', async () => {
    server = await startFixtureServer({ maxOpenPerUser: 4 })
    const listening = await stream(server, modern('subscriptions/listen', { notifications: {} }))
    const sse = await stream(server, { method: 'GET', path: '/sse' })
    const call = await stream(server, modernCall('hold', { label: 'open' }, 1, { progressToken: 1 }))
    await call.message()
    const headers = { authorization: `Bearer ${ALICE}` }
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/mcp`, 'mcp', { headers })
    await once(socket, 'open')
    const refused = await ping()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect((await sendRequest(server, { method: 'GET', path: '/sse' })).status).toBe(429)
    expect((await ping(BOB)).status).toBe(200)
    for (const leave of [listening.disconnect, sse.disconnect, call.disconnect, () => socket.terminate()]) {
      leave()
      await vi.waitFor(async () => expect((await ping()).status).toBe(200))
    }
  })

  test('are counted only while open, however they ended', async () => {
    server = await startFixtureServer({ maxOpenPerUser: 3, maxBodyBytes: 10_000 })
    const get = (path: string, extra = ''): string =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ALICE}\r\n${extra}\r\n`
    const call = callOf('hold', { label: 'left' })
    const slowly = 'X-Slowly: yes\r\n'
    const endings: Readonly<Record<string, string>> = {
      'a body that was cut': `${requestHead(server, 100)}{"jsonrpc"`,
      'a body that was never sent': requestHead(server, 100),
      'a body that is too large': `${requestHead(server, 20_000)}${'x'.repeat(20_000)}`,
      'a body that is nonsense': `${requestHead(server, 3)}{"x`,
      'an unknown path': get('/nowhere'),
      'a stream without a session': get('/mcp'),
      'a stream': get('/sse'),
      'a call': `${requestHead(server, call.length)}${call}`,
      'a stream of a user looked up meanwhile': get('/sse', slowly),
      'a body of a user looked up meanwhile': `${requestHead(server, call.length, slowly)}${call}`,
      'a part of a body of a user looked up meanwhile': `${requestHead(server, 100, slowly)}{"jsonrpc"`,
      'a socket of a user looked up meanwhile': get(
        '/mcp',
        `${slowly}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mcp\r\n',
      ),
    }
    for (const [ending, bytes] of Object.entries(endings)) {
      // One more than the limit.
      const clients = await Promise.all([1, 2, 3, 4].map(() => openConnection(server)))
      for (const client of clients) client.write(bytes)
      // Its answer, whatever it is, comes after the requests above were read.
      await ping()
      for (const client of clients) client.socket.destroy()
      await vi.waitFor(async () => {
        const open = await Promise.all([ping(), ping(), ping()])
        expect([ending, ...open.map(({ status }) => status)]).toEqual([ending, 200, 200, 200])
      }, 3000)
    }
    // A user whose lookup takes as long as the previous ones: those have been counted when this is answered.
    await sendRequest(server, { body: rpc('ping'), headers: { 'x-slowly': '1' } })
    await vi.waitFor(async () => {
      const open = await Promise.all([ping(), ping(), ping()])
      expect(open.map(({ status }) => status)).toEqual([200, 200, 200])
    })
  })
})

describe('the memory of large messages', () => {
  const PADDING = 'x'.repeat(15 * 1024 * 1024)
  const holdOf = (label: string): string => callOf('hold', { label, pad: PADDING })
  const fate = (label: string): Promise<string> => callTool(server, 'fate', { label })

  /** Starts calls that do not end by themselves. */
  async function hold(labels: readonly string[], headers: Record<string, string> = {}) {
    const clients = labels.map(async (label) => {
      const client = await openConnection(server)
      const body = holdOf(label)
      const extra = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      client.write(requestHead(server, body.length, extra.join('')))
      client.write(body)
      return client
    })
    const opened = await Promise.all(clients)
    for (const label of labels) await vi.waitFor(async () => expect(await fate(label)).toBe('held'), 60_000)
    return opened
  }

  const isRefused = async (token = ALICE): Promise<boolean> => {
    const { status, json, headers } = await sendRequest(server, {
      body: callOf('who', { text: 'x', pad: PADDING }),
      token,
    })
    if (status === 200) return false
    expect({ status, message: json.error.message }).toEqual({
      status: 429,
      message: 'Too many large requests at once: wait until some have ended; try again in 1 s',
    })
    expect(headers['retry-after']).toBe('1')
    return true
  }

  test('is limited for one user, while they are worked on', async () => {
    server = await startFixtureServer()
    const clients = await hold(['a', 'b', 'c', 'd'])
    expect(await isRefused()).toBe(true)
    expect((await ping()).status).toBe(200)
    expect(await isRefused(BOB)).toBe(false)
    clients[0]?.socket.destroy()
    await vi.waitFor(async () => expect(await isRefused()).toBe(false), 60_000)
    for (const { socket } of clients) socket.destroy()
  })

  test('is counted for calls of a session until they end, though their connection is gone', async () => {
    server = await startFixtureServer()
    const id = await initialize(server, '2025-06-18')
    const clients = await hold(['a', 'b', 'c', 'd'], { 'mcp-session-id': id })
    for (const { socket } of clients) socket.destroy()
    await Promise.all(clients.map(({ closed }) => closed))
    expect(await isRefused()).toBe(true)
    expect(await callTool(server, 'release', { label: 'a' })).toBe('released')
    await vi.waitFor(async () => expect(await isRefused()).toBe(false), 60_000)
    for (const label of ['b', 'c', 'd']) await callTool(server, 'release', { label })
  })

  test('is limited over WebSockets too, also for messages that are not complete', async () => {
    server = await startFixtureServer()
    const headers = { authorization: `Bearer ${ALICE}` }
    const sockets = Array.from(
      { length: 5 },
      () => new WebSocket(`ws://127.0.0.1:${server.port}/mcp`, 'mcp', { headers }),
    )
    for (const socket of sockets) socket.on('error', () => {})
    const closed = sockets.map((socket) => once(socket, 'close'))
    await Promise.all(sockets.map((socket) => once(socket, 'open')))
    for (const socket of sockets) socket.send(PADDING, { fin: false })
    const [code, reason] = await Promise.race(closed)
    expect([code, String(reason)]).toEqual([1013, expect.stringContaining('Too many large requests at once')])
    for (const socket of sockets) socket.terminate()
    await Promise.all(closed)
    await vi.waitFor(async () => expect(await isRefused()).toBe(false), 60_000)
  })

  test('a WebSocket that goes on sending beyond the limit is not read', async () => {
    server = await startFixtureServer()
    const before = peakMegabytes(server.child.pid)
    const clients = await Promise.all(Array.from({ length: 40 }, () => openConnection(server, true)))
    const head = Buffer.from([0x81, 0x80 | 127, ...Array.from({ length: 12 }, () => 0)])
    head.writeBigUInt64BE(BigInt(15 * 1024 * 1024), 2)
    const key = Buffer.alloc(16).toString('base64')
    const upgrade = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: mcp\r\nSec-WebSocket-Key: ${key}`
    for (const client of clients) {
      client.write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ALICE}\r\n${upgrade}\r\n\r\n`)
      await client.until(/101 Switching/)
      client.write(head)
    }
    // None completes its message, or answers the closing frame.
    const chunk = Buffer.alloc(1024 * 1024)
    await Promise.all(
      clients.map(async ({ socket, closed }) => {
        for (let count = 0; count < 14 && socket.writable; count++)
          if (!socket.write(chunk))
            await Promise.race([closed, new Promise((drained) => socket.once('drain', drained))])
      }),
    )
    await vi.waitFor(() => expect(clients.filter(({ socket }) => socket.destroyed).length).toBeGreaterThan(30), 60_000)
    expect(peakMegabytes(server.child.pid) - before).toBeLessThan(300)
    for (const { socket } of clients) socket.destroy()
    await vi.waitFor(async () => expect(await isRefused()).toBe(false), 60_000)
  })

  test('one message alone is never too much', async () => {
    server = await startFixtureServer({ maxBodyBytes: 100 * 1024 * 1024 })
    const body = callOf('who', { text: 'x', pad: 'y'.repeat(80 * 1024 * 1024) })
    expect((await sendRequest(server, { body })).status).toBe(200)
  })

  test('counts small values by what they take', async () => {
    server = await startFixtureServer()
    const many = Array.from({ length: 99_000 }, () => 0)
    const held = Array.from({ length: 14 }, (_, at) =>
      stream(server, modernCall('hold', { label: `v${at}`, many }, 1, { progressToken: at })),
    )
    const answers = await Promise.all(held)
    expect(answers.map(({ status }) => status)).toContain(429)
    expect(answers.map(({ status }) => status)).toContain(200)
    for (const { disconnect } of answers) disconnect()
  })
})

test('connections beyond the limit are closed at once, and earlier ones work', async (context) => {
  skipIfMissing(context, MISSING.silentConnections)
  server = await startFixtureServer({ maxConnections: 3 })
  const first = await Promise.all([openConnection(server), openConnection(server), openConnection(server)])
  const next = await openConnection(server)
  await next.closed
  const body = rpc('ping')
  for (const client of first) {
    client.write(`${requestHead(server, body.length)}${body}`)
    await client.until(/"result":\{\}/)
    client.socket.destroy()
  }
  await vi.waitFor(async () => expect((await ping()).status).toBe(200))
})
