// WebSocket on /mcp with the subprotocol mcp: one message per frame, the same access control, and a session that ends
// with the connection.

import { once } from 'node:events'

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import type { Json } from '../support/client.js'
import {
  ALICE,
  callOf,
  callTool,
  type HttpServer,
  logComplaints,
  openConnection,
  rpc,
  startFixtureServer,
} from '../support/http-client.js'
import { MISSING, skipIfMissing } from '../support/runtime.js'

const MAX = 200_000
let server: HttpServer

beforeAll(async () => {
  server = await startFixtureServer({ maxBodyBytes: MAX, maxOpenPerUser: 20 })
})

afterAll(async () => {
  expect(await server.stop()).toBe(0)
  expect(logComplaints(server)).toEqual([])
})

interface Conversation {
  readonly socket: WebSocket
  /** The next message that was not read yet. */
  readonly next: () => Promise<Json>
  readonly closed: Promise<number>
}

async function open(): Promise<Conversation> {
  const headers = { authorization: `Bearer ${ALICE}` }
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/mcp`, 'mcp', { headers })
  const received: Json[] = []
  const waiting: ((message: Json) => void)[] = []
  socket.on('message', (data: Buffer) => {
    const message: Json = JSON.parse(data.toString())
    const waiter = waiting.shift()
    if (waiter) waiter(message)
    else received.push(message)
  })
  socket.on('error', () => {})
  const closed = once(socket, 'close').then(([code]) => Number(code))
  await once(socket, 'open')
  const next = async (): Promise<Json> => received.shift() ?? new Promise((resolve) => waiting.push(resolve))
  return { socket, next, closed }
}

test('a whole conversation, with progress and a question', async () => {
  const { socket, next, closed } = await open()
  expect(socket.protocol).toBe('mcp')
  socket.send(rpc('initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } }, 'i'))
  expect((await next()).result.protocolVersion).toBe('2025-11-25')
  socket.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
  socket.send(callOf('steps', { count: 1 }, 's', { progressToken: 1 }))
  expect((await next()).method).toBe('notifications/progress')
  expect((await next()).id).toBe('s')
  socket.send(callOf('ask', { about: 'colour' }, 'q'))
  const { id, method } = await next()
  expect(method).toBe('elicitation/create')
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { action: 'decline' } }))
  expect((await next()).result.content[0].text).toBe('alice said decline')
  socket.close()
  expect(await closed).toBe(1005)
})

test('changes are notified', async () => {
  const { socket, next } = await open()
  socket.send(rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {} }))
  await next()
  await callTool(server, 'grow')
  expect((await next()).method).toBe('notifications/tools/list_changed')
  socket.terminate()
})

test('the end of the connection ends its calls', async () => {
  const { socket } = await open()
  socket.send(callOf('hold', { label: 'socket' }))
  await vi.waitFor(async () => expect(await callTool(server, 'fate', { label: 'socket' })).toBe('held'))
  socket.terminate()
  await vi.waitFor(async () => expect(await callTool(server, 'fate', { label: 'socket' })).toBe('aborted'))
})

test('invalid frames get an error, and the conversation continues', async () => {
  const { socket, next } = await open()
  for (const frame of ['', '{', '[]', '7', Buffer.from([1, 2, 3]), '['.repeat(100)]) {
    socket.send(frame)
    expect((await next()).error.code).toBeLessThan(-32_000)
  }
  socket.send(rpc('ping', {}, 'alive'))
  expect(await next()).toMatchObject({ id: 'alive', result: {} })
  socket.terminate()
})

test('a message that is too large closes the connection with a reason', async () => {
  const { socket, closed } = await open()
  socket.send('x'.repeat(MAX + 1))
  expect(await closed).toBe(1009)
})

test('reading from a client that does not read pauses, and it gets everything later', async () => {
  const { socket } = await open()
  socket.pause()
  const count = 100
  for (let id = 1; id <= count; id++) socket.send(callOf('large', { bytes: 100_000 }, id))
  await callTool(server, 'who')
  const ids: number[] = []
  socket.on('message', (data: Buffer) => ids.push(JSON.parse(data.toString()).id))
  socket.resume()
  await vi.waitFor(() => expect(ids).toHaveLength(count), 10_000)
  expect(ids).toEqual(Array.from({ length: count }, (_, index) => index + 1))
  socket.terminate()
})

describe('a handshake that is refused', () => {
  const upgrade = (...lines: string[]): string =>
    ['GET /mcp HTTP/1.1', 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket', ...lines, '', ''].join('\r\n')
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
  const version = 'Sec-WebSocket-Version: 13'
  const protocol = 'Sec-WebSocket-Protocol: mcp'
  const credential = `Authorization: Bearer ${ALICE}`

  test.each([
    ['no credential', upgrade(key, version, protocol), 401],
    ['another Origin', upgrade(credential, key, version, protocol, 'Origin: https://evil.example'), 403],
    ['no subprotocol', upgrade(credential, key, version), 400],
    ['another subprotocol', upgrade(credential, key, version, 'Sec-WebSocket-Protocol: chat, mcp2'), 400],
    ['no key', upgrade(credential, version, protocol), 400],
    ['a broken key', upgrade(credential, 'Sec-WebSocket-Key: short', version, protocol), 400],
    ['an old version', upgrade(credential, key, 'Sec-WebSocket-Version: 7', protocol), 400],
    ['a broken list', upgrade(credential, key, version, 'Sec-WebSocket-Protocol: mcp,,'), 400],
    ['another path', upgrade(credential, key, version, protocol).replace('/mcp', '/sse'), 404],
  ])('%s gets a status, a message and a closed connection', async (_, request, status) => {
    const client = await openConnection(server)
    client.write(request)
    await client.closed
    expect(client.text()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  test('frees its slot', async () => {
    // More than one user may have open at the same time.
    for (let time = 0; time < 30; time++) {
      const client = await openConnection(server)
      client.write(upgrade(credential, key, version, 'Sec-WebSocket-Protocol: mcp,,'))
      await client.closed
    }
    expect(await callTool(server, 'who')).toBe('alice:')
  })
})

test('closed connections free their slots', async () => {
  for (let time = 0; time < 30; time++) {
    const { socket, closed } = await open()
    socket.terminate()
    await closed
  }
  await vi.waitFor(async () => expect(await callTool(server, 'who')).toBe('alice:'))
})

test('an Upgrade to another protocol is ignored, and the request is served', async (context) => {
  skipIfMissing(context, MISSING.givingBack)
  const body = callOf('who', { text: 'h2c' })
  const client = await openConnection(server)
  const upgradeHeaders =
    'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA'
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ALICE}\r\n${upgradeHeaders}\r\n`
  const whole = `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  // In pieces, and repeatedly on one connection.
  client.write(whole.slice(0, -10))
  // Answered after the first piece was read.
  await callTool(server, 'who')
  client.write(whole.slice(-10))
  await client.until(/alice:h2c/)
  for (let time = 0; time < 15; time++) {
    client.take()
    client.write(whole)
    await client.until(/alice:h2c/)
  }
  client.socket.destroy()
})

if (MISSING.givingBack !== undefined) {
  test('an Upgrade to another protocol is refused if it cannot be ignored', async () => {
    const client = await openConnection(server)
    client.write('GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
    expect(await client.until(/Upgrade header/)).toMatch(/^HTTP\/1\.1 400 /)
    await client.closed
  })
}
