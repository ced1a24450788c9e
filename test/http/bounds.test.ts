// What one user, or an address without a credential, can make the server keep is bounded, and others are served
// meanwhile.

import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'

import {
  ALICE,
  BOB,
  callOf,
  type HttpServer,
  initialize,
  logComplaints,
  openConnection,
  type RawClient,
  rpc,
  sendRequest,
  startFixtureServer,
  stream,
} from '../support/http-client.js'
import { eventually } from '../support/eventually.js'
import { underLoad } from '../support/load.js'
import { MISSING, skipIfMissing } from '../support/runtime.js'

let server: HttpServer

afterEach(async () => {
  expect(await server.stop()).toBe(0)
  expect(logComplaints(server)).toEqual([])
})

const REVISION = '2025-06-18'
const ping = (token: string) => sendRequest(server, { body: rpc('ping'), token })

describe('connections without a credential', () => {
  /** Connections that have sent one public request and stay open. */
  async function openIdle(count: number): Promise<readonly RawClient[]> {
    const clients: RawClient[] = []
    onTestFinished(() => clients.forEach(({ socket }) => socket.destroy()))
    for (let opened = 0; opened < count; opened++) {
      const client = await openConnection(server)
      clients.push(client)
      client.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    }
    return clients
  }

  const isOpen = ({ socket }: RawClient): boolean => !socket.destroyed && !socket.readableEnded

  test('cannot use up the connections of all clients', async (context) => {
    skipIfMissing(context, MISSING.silentConnections)
    server = await startFixtureServer({ maxConnections: 600 })
    const clients = await openIdle(620)
    expect((await ping(ALICE)).status).toBe(200)
    const refused = await vi.waitFor(() => {
      const found = clients.filter((client) => !isOpen(client))
      expect(found.length).toBeGreaterThanOrEqual(300)
      return found
    })
    const answer = refused.map(({ text }) => text()).find((text) => text.includes(' 503 '))
    expect(answer).toMatch(/too many open connections without a credential: close some, or send the credential/)
  })

  test('are closed, the oldest first, after some seconds; one with a credential stays', async (context) => {
    skipIfMissing(context, MISSING.silentConnections)
    server = await startFixtureServer({ maxConnections: 1200 })
    const known = await openConnection(server)
    const body = rpc('ping')
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    known.write(`${head}Authorization: Bearer ${ALICE}\r\n\r\n${body}`)
    await known.until(/"result":\{\}/)
    const clients = await openIdle(400)
    await vi.waitFor(() => expect(clients.filter(isOpen).length).toBeLessThanOrEqual(256), 60_000)
    expect(clients.map(isOpen).slice(-200)).toEqual(Array(200).fill(true))
    expect(isOpen(known)).toBe(true)
  })
})

describe('sessions', () => {
  test('keep events of at most 16 million characters for each user; the least recently used lose theirs', async () => {
    server = await startFixtureServer()
    const size = 450_000
    const sessions: string[] = []
    const answerIn = async (token: string): Promise<string> => {
      const id = await initialize(server, REVISION, { token })
      const headers = { 'mcp-session-id': id, 'mcp-protocol-version': REVISION }
      const body = callOf('later', { text: 'x'.repeat(size), ms: 20 }, 7)
      const { json } = await sendRequest(server, { body, headers, token })
      expect(json.result.content[0].text).toHaveLength(size + (token === ALICE ? 6 : 4))
      return id
    }
    const bobs = await answerIn(BOB)
    for (let count = 0; count < 45; count++) sessions.push(await answerIn(ALICE))
    const replayed = await Promise.all(sessions.map((id) => isReplayed(id, ALICE)))
    const kept = replayed.filter(Boolean).length
    expect([kept * size <= 16 * 1024 * 1024, kept > 20, replayed.at(0), replayed.at(-1)]).toEqual([
      true,
      true,
      false,
      true,
    ])
    expect(await isReplayed(bobs, BOB)).toBe(true)
  })

  /** Whether a client that reconnects gets the answer of the first call. */
  async function isReplayed(id: string, token: string): Promise<boolean> {
    const headers = { 'mcp-session-id': id, 'mcp-protocol-version': REVISION, 'last-event-id': 'p1.0' }
    const events = await stream(server, { method: 'GET', headers, token })
    const isHere = (): boolean => events.events.some(({ json }) => json?.id === 7)
    const found = eventually(isHere, Boolean, underLoad(3000)).catch(() => false)
    await Promise.race([events.ended, found])
    events.disconnect()
    return isHere()
  }

  test('do not keep capabilities of any size', async () => {
    server = await startFixtureServer()
    const capabilities = { experimental: { padding: { text: 'x'.repeat(20_000) } } }
    const params = { protocolVersion: REVISION, capabilities, clientInfo: { name: 'test', version: '0' } }
    const { json } = await sendRequest(server, { body: rpc('initialize', params), token: ALICE })
    expect(json.error).toMatchObject({ code: -32602, message: expect.stringContaining('larger than 8 KB') })
  })
})
