// Messages to a session that no request asked for: in front of the next result, over every transport; once if they were
// written, again if not.

import { resolve } from 'node:path'

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import { type Json, LEGACY, MODERN, startServer, type TestClient } from './support/client.js'
import {
  callOf,
  type HttpServer,
  initialize,
  modernCall,
  openConnection,
  rpc,
  sendRequest,
  startScript,
  stream,
} from './support/http-client.js'

const SCRIPT = resolve(import.meta.dirname, 'fixture/message-queue-server.mjs')

const META = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
  },
}

const textsOf = (message: Json): readonly string[] => message.result.content.map(({ text }: Json) => text)
const callTool = (client: TestClient, name: string, args: object = {}, more: object = {}): Promise<Json> =>
  client.request('tools/call', { name, arguments: args, ...more })

describe('over stdio', () => {
  test.each([...LEGACY, MODERN])('is in front of the next result at %s, once', async (revision) => {
    const client = startServer({ args: [SCRIPT] })
    const more = revision === MODERN ? META : {}
    if (revision !== MODERN) await client.initialize(revision)
    // Posted while the call runs, so its own result brings it.
    expect(textsOf(await callTool(client, 'post', { text: 'a' }, more))).toEqual(['[message] a\n\n', 'posted'])
    expect(textsOf(await callTool(client, 'plain', {}, more))).toEqual(['plain'])
    const { ledger, waiting } = JSON.parse(textsOf(await callTool(client, 'ledger', {}, more)).at(-1) ?? '')
    expect(ledger).toContain('delivered a')
    expect([waiting, ledger.filter((line: string) => line.startsWith('delivered'))]).toEqual([[], ['delivered a']])
    expect(await client.close()).toBe(0)
  })

  test('failed results contain it too, and cancelled calls do not lose it', async () => {
    const client = startServer({ args: [SCRIPT] })
    await client.initialize('2025-06-18')
    const failed = await callTool(client, 'fails', { text: 'f' })
    expect([failed.result.isError, textsOf(failed)]).toEqual([true, ['[message] f\n\n', 'It failed.']])
    client.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'slow', arguments: { ms: 300 } } })
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
    const [first, second] = textsOf(await callTool(client, 'post', { text: 'b' }))
    expect([first, second]).toEqual(['[message] b\n\n', 'posted'])
    await callTool(client, 'slow', { ms: 400 })
    expect(client.received.filter(({ id }) => id === 7)).toEqual([])
    const ledger = textsOf(await callTool(client, 'ledger')).join('')
    expect(ledger).toContain('slow cancelled')
    await client.close()
  })

  test('members of a batch contain one each', async () => {
    const client = startServer({ args: [SCRIPT] })
    await client.initialize('2025-03-26')
    const member = (id: number, text: string) => JSON.parse(callOf('post', { text }, id))
    client.write(`${JSON.stringify([member(1, 'x'), member(2, 'y')])}\n`)
    const batch = await client.waitFor(Array.isArray)
    expect(batch.map(textsOf)).toEqual([
      ['[message] x\n\n', 'posted'],
      ['[message] y\n\n', 'posted'],
    ])
    // On Bun the end of a write is reported shortly after the data was read.
    await vi.waitFor(async () => {
      const { ledger } = JSON.parse(textsOf(await callTool(client, 'ledger')).at(-1) ?? '')
      expect(ledger).toEqual(expect.arrayContaining(['delivered x', 'delivered y']))
    })
    await client.close()
  })
})

describe('over HTTP', () => {
  let server: HttpServer

  beforeAll(async () => {
    server = await startScript(SCRIPT, 'http')
  })

  afterAll(async () => {
    expect(await server.stop()).toBe(0)
  })

  const ledger = async (): Promise<{ readonly waiting: string[]; readonly ledger: string[] }> => {
    const { json } = await sendRequest(server, modernCall('ledger'))
    return JSON.parse(textsOf(json).at(-1) ?? '')
  }
  const settled = (line: string): Promise<void> =>
    vi.waitFor(async () => expect((await ledger()).ledger).toContain(line), { timeout: 5000 })

  test('modern, legacy and ArmorIQ', async () => {
    expect(textsOf((await sendRequest(server, modernCall('post', { text: 'm' }))).json)).toEqual([
      '[message] m\n\n',
      'posted',
    ])
    await settled('delivered m')
    const session = await initialize(server, '2025-06-18')
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' }
    const legacy = await sendRequest(server, { body: callOf('post', { text: 'l' }), headers })
    expect(textsOf(legacy.json)).toEqual(['[message] l\n\n', 'posted'])
    await settled('delivered l')
    // Slow calls are answered on a stream.
    await sendRequest(server, {
      body: callOf('post', { text: 's' }),
      headers: { ...headers, accept: 'application/json' },
    })
    const armoriq = await sendRequest(server, { body: callOf('post', { text: 'q' }) })
    expect(textsOf(armoriq.json).map((text) => JSON.parse(text))).toEqual([
      { result: '[message] q' },
      { result: 'posted' },
    ])
    await settled('delivered q')
    await sendRequest(server, { method: 'DELETE', headers })
    await settled('left')
  })

  test('HTTP+SSE and WebSocket', async () => {
    const events = await stream(server, { method: 'GET', path: '/sse' })
    const path = (await events.next())?.data ?? ''
    await sendRequest(server, { path, body: rpc('initialize', { protocolVersion: '2024-11-05', capabilities: {} }) })
    await events.message()
    await sendRequest(server, { path, body: callOf('post', { text: 'e' }) })
    expect(textsOf(await events.message())).toEqual(['[message] e\n\n', 'posted'])
    events.disconnect()
    await settled('delivered e')
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/mcp`, 'mcp')
    await new Promise((opened) => socket.once('open', opened))
    socket.send(callOf('post', { text: 'w' }))
    const [data] = await new Promise<unknown[]>((resolveMessage) =>
      socket.once('message', (...all) => resolveMessage(all)),
    )
    expect(textsOf(JSON.parse(String(data)))).toEqual(['[message] w\n\n', 'posted'])
    socket.terminate()
    await settled('delivered w')
  })

  test('a client that disconnects before its answer is written leaves it to the next', async () => {
    const post = modernCall('slow', { ms: 250 })
    const client = await openConnection(server)
    const head = Object.entries({ ...post.headers, 'content-type': 'application/json' })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    const body = String(post.body)
    client.write(
      `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\n${head}content-length: ${body.length}\r\n\r\n${body}`,
    )
    await vi.waitFor(async () => expect((await ledger()).ledger.at(-2)).toBe('started for a user'), { timeout: 5000 })
    client.socket.destroy()
    await settled('slow cancelled')
    expect(textsOf((await sendRequest(server, modernCall('post', { text: 'g' }))).json)).toEqual([
      '[message] g\n\n',
      'posted',
    ])
  })
})
