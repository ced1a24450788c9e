// What an operator sees: health, metrics, log; and a graceful shutdown.

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import { cleanEnv, emptyFolder, isAlive, type Json, LIBRARY } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import {
  ALICE,
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
  TOKEN,
} from '../support/http-client.js'
import { underLoad } from '../support/load.js'

const DEADLINE_MS = 8000

/** SIGTERM; the exit code and how long it took. */
async function stopped(server: HttpServer): Promise<{ readonly code: number | null; readonly ms: number }> {
  const before = Date.now()
  const code = await server.stop()
  return { code, ms: Date.now() - before }
}

/** Waits until calls of the fixture's tools with this text have begun. */
async function untilBegun(server: HttpServer, text: string, count = 1): Promise<void> {
  await eventually(
    () => callTool(server, 'count', { place: `begun ${text}` }),
    (begun) => Number(begun) >= count,
  )
}

/** Waits until a server that got a signal is no longer ready, or refuses connections. */
async function untilStopping(server: HttpServer): Promise<void> {
  await eventually(() =>
    sendRequest(server, { method: 'GET', path: '/readyz', token: '' }).then(
      ({ status }) => status !== 200,
      () => true,
    ),
  )
}

describe('health', () => {
  test('is visible to every authenticated user', async () => {
    const server = await startProgram()
    for (const [path, text] of [
      ['/healthz', 'ok\n'],
      ['/readyz', 'ready\n'],
    ] as const) {
      expect(await sendRequest(server, { method: 'GET', path, token: '' })).toMatchObject({ status: 200, text })
      const { status, headers, text: body } = await sendRequest(server, { method: 'HEAD', path, token: '' })
      expect({ status, length: Number(headers['content-length']), body }).toEqual({
        status: 200,
        length: text.length,
        body: '',
      })
    }
    expect(await server.stop()).toBe(0)
  })

  test('a stopping server is not ready and refuses new requests', async () => {
    const server = await startFixtureServer()
    const client = await openConnection(server)
    const body = callOf('later', { text: 'last', ms: 1000 })
    client.write(`${requestHead(server, body.length)}${body}`)
    await untilBegun(server, 'last')
    const end = stopped(server)
    await untilStopping(server)
    client.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    client.write(`${requestHead(server, body.length)}${body}`)
    const text = await client.until(/HTTP\/1\.1 503[^]*HTTP\/1\.1 503/)
    expect(text.match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(9))).toEqual(['200', '503', '200', '503'])
    expect(text).toContain('alice:last')
    expect(text.toLowerCase()).toContain('retry-after: 5')
    expect(await end).toMatchObject({ code: 0 })
  })
})

describe('metrics', () => {
  const SAMPLE = /^[a-z_]+(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? -?[\d.e+-]+$/

  test('are in the Prometheus format, and count requests and calls', async () => {
    const server = await startFixtureServer()
    await callTool(server, 'who')
    await callTool(server, 'later')
    await sendRequest(server, { body: callOf('bug') })
    await sendRequest(server, { body: callOf('no such "tool"\n') })
    const call = await stream(server, modernCall('hold', { label: 'counted' }, 1, { progressToken: 1 }))
    await call.message()
    call.disconnect()
    await vi.waitFor(async () => expect(await callTool(server, 'fate', { label: 'counted' })).toBe('aborted'))
    await sendRequest(server, { body: rpc('ping'), headers: { host: 'evil.example' } })
    await sendRequest(server, { body: rpc('made/up') })
    const { status, headers, text } = await sendRequest(server, { method: 'GET', path: '/metrics' })
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    const lines = text.trimEnd().split('\n')
    expect(lines.filter((line) => !/^# (HELP|TYPE) /.test(line) && !SAMPLE.test(line))).toEqual([])
    for (const line of [
      'scorpiox_tool_calls_total{tool="who",outcome="ok"} 1',
      'scorpiox_tool_calls_total{tool="later",outcome="ok"} 1',
      'scorpiox_tool_calls_total{tool="bug",outcome="error"} 1',
      'scorpiox_tool_calls_total{tool="other",outcome="error"} 1',
      'scorpiox_tool_calls_total{tool="hold",outcome="cancelled"} 1',
      'scorpiox_http_refused_total{reason="host"} 1',
      'scorpiox_http_requests_total{era="armoriq",method="other",status="200"} 1',
    ]) {
      expect(lines).toContain(line)
    }
    expect((await sendRequest(server, { method: 'GET', path: '/metrics', token: '' })).status).toBe(401)
    expect(await server.stop()).toBe(0)
  })
})

describe('the access log', () => {
  const TRACE = '0af7651916cd43dd8448eb211c80319c'
  const traceparent = `00-${TRACE}-b7ad6b7169203331-01`

  test('has one line for each request, with its trace, and no secret', async () => {
    const server = await startProgram({ env: { ACCESS_LOG: 'stderr' } })
    const session = await initialize(server, '2025-11-25')
    await sendRequest(server, { body: rpc('ping'), headers: { traceparent } })
    await sendRequest(server, modern('tools/list', { _meta: { traceparent } }))
    await sendRequest(server, { body: rpc('ping'), headers: { origin: 'https://evil.example' } })
    await sendRequest(server, { body: rpc('ping'), token: 'a-wrong-token' })
    await sendRequest(server, { method: 'GET', path: `/nowhere?token=${TOKEN}` })
    const standing = await stream(server, { method: 'GET', headers: { 'mcp-session-id': session } })
    standing.disconnect()
    const cut = await openConnection(server)
    cut.write(`${requestHead(server, 100)}{`)
    const headers = { authorization: `Bearer ${TOKEN}` }
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/mcp`, 'mcp', { headers })
    await once(socket, 'open')
    socket.terminate()
    // Its incomplete request was read before the other connection was accepted.
    cut.socket.destroy()
    const readLines = (): Json[] =>
      server
        .stderr()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line))
    await vi.waitFor(() => expect(readLines()).toHaveLength(9), 5000)
    const lines = readLines()
    expect(lines.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      101, 200, 200, 200, 200, 401, 403, 404, 499,
    ])
    expect(lines.filter(({ trace }) => JSON.stringify(trace)?.includes(TRACE))).toEqual([
      expect.anything(),
      expect.anything(),
    ])
    expect(lines.filter(({ remote }) => remote !== '127.0.0.1')).toEqual([])
    for (const secret of [TOKEN, 'a-wrong-token', session]) expect(server.stderr()).not.toContain(secret)
    expect(await server.stop()).toBe(0)
  })
})

describe.concurrent('shutdown', () => {
  test('every stream is notified, and a call in flight is answered', async () => {
    const server = await startFixtureServer()
    const listening = await stream(
      server,
      modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'ear'),
    )
    const session = await initialize(server, '2025-11-25')
    const standing = await stream(server, { method: 'GET', headers: { 'mcp-session-id': session } })
    const sse = await stream(server, { method: 'GET', path: '/sse' })
    const path = (await sse.next())?.data ?? ''
    const headers = { authorization: `Bearer ${ALICE}` }
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/mcp`, 'mcp', { headers })
    await once(socket, 'open')
    const delivered = once(socket, 'close').then(([code]) => Number(code))
    const body = callOf('later', { text: 'in time', ms: 1500 }, 'call')
    const answers = [
      sendRequest(server, modernCall('later', { text: 'in time', ms: 1500 }, 'call')),
      sendRequest(server, { body }),
      sendRequest(server, { body, headers: { 'mcp-session-id': session } }),
    ]
    const socketMessage = once(socket, 'message').then(([data]) => JSON.parse(String(data)))
    socket.send(body)
    await sendRequest(server, { path, body })
    await untilBegun(server, 'in time', 5)
    const end = stopped(server)
    await listening.message()
    expect(await listening.message()).toMatchObject({ id: 'ear', result: { resultType: 'complete' } })
    await Promise.all([listening.ended, standing.ended])
    for (const { json } of await Promise.all(answers)) expect(JSON.stringify(json)).toContain('alice:in time')
    expect((await socketMessage).result.content[0].text).toBe('alice:in time')
    expect((await sse.message()).result.content[0].text).toBe('alice:in time')
    await sse.ended
    expect(await delivered).toBe(1001)
    const { code, ms } = await end
    expect(code).toBe(0)
    expect(ms).toBeLessThan(underLoad(DEADLINE_MS))
    expect(logComplaints(server)).toEqual([])
  })

  test('is not delayed by long calls, whether they handle the abort or not', async () => {
    const servers = await Promise.all([startFixtureServer(), startFixtureServer()])
    const [cooperative, stubborn] = servers
    const session = await initialize(cooperative, '2025-11-25')
    const answer = sendRequest(cooperative, {
      body: callOf('hold', { label: 'long' }, 9),
      headers: { 'mcp-session-id': session },
    })
    const unfinished = sendRequest(stubborn, modernCall('stubborn'))
    const idle = await stream(stubborn, { path: '/sse', method: 'GET' })
    await vi.waitFor(async () => expect(await callTool(cooperative, 'fate', { label: 'long' })).toBe('held'))
    await untilBegun(stubborn, 'stubborn')
    const ending = Promise.all(servers.map(stopped))
    // A second signal changes nothing.
    await untilStopping(cooperative)
    cooperative.child.kill('SIGTERM')
    const ends = await ending
    expect(ends.map(({ code }) => code)).toEqual([0, 0])
    for (const { ms } of ends) expect(ms).toBeLessThan(underLoad(DEADLINE_MS))
    expect((await answer).json).toMatchObject({ id: 9, result: { content: [{ text: 'aborted' }] } })
    // Work that does not stop is answered too, and an idle stream ends at once.
    expect((await unfinished).json.error.message).toBe('Not finished: the server is stopping')
    await idle.ended
  })

  test('does not wait for clients that do not disconnect', async () => {
    const server = await startFixtureServer()
    const silent = await openConnection(server)
    const lines = ['GET /mcp HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${ALICE}`, 'Connection: Upgrade']
    const upgradeHeaders = [
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ]
    const unresponsive = await openConnection(server, true)
    unresponsive.write(`${[...lines, ...upgradeHeaders, 'Sec-WebSocket-Protocol: mcp'].join('\r\n')}\r\n\r\n`)
    await unresponsive.until(/^HTTP\/1\.1 101 /)
    const { code, ms } = await stopped(server)
    expect(code).toBe(0)
    expect(ms).toBeLessThan(underLoad(DEADLINE_MS))
    for (const { socket } of [silent, unresponsive]) socket.destroy()
  })

  test('ends the processes that a command has started', async () => {
    // In a sandbox, processes have other pids.
    const server = await startProgram({ env: { SANDBOX: 'off' } })
    const started = join(emptyFolder(), 'started')
    const command = `sleep 300 >/dev/null 2>&1 & echo $!; touch '${started}'; sleep 1`
    const answer = sendRequest(server, { body: callOf('Bash', { command }) })
    const endless = await stream(
      server,
      modernCall('Bash', { command: 'echo $$; exec sleep 300' }, 1, { progressToken: 1 }),
    )
    const { params } = await endless.message()
    await eventually(() => existsSync(started))
    const { code, ms } = await stopped(server)
    expect(code).toBe(0)
    expect(ms).toBeLessThan(underLoad(DEADLINE_MS))
    const pids = [(await answer).json.result.content[0].text, params.message].map((text) =>
      Number(/\d+/.exec(text)?.[0]),
    )
    expect(pids.filter((pid) => !(pid > 1) || isAlive(pid))).toEqual([])
  })

  test('requests that were not yet started are not started', async () => {
    const server = await startFixtureServer()
    const [client, other] = await Promise.all([openConnection(server), openConnection(server)])
    const slow = callOf('later', { text: 'slow', ms: 1000 })
    other.write(`${requestHead(server, slow.length)}${slow}`)
    const body = callOf('stubborn', { ms: 500 })
    client.write(`${requestHead(server, body.length)}${body.slice(0, 10)}`)
    // Also answered after the incomplete request was read.
    await untilBegun(server, 'slow')
    const end = stopped(server)
    await untilStopping(server)
    client.write(body.slice(10))
    expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 503 /)
    expect(await end).toMatchObject({ code: 0 })
  })

  test('a library that serves and closes repeatedly leaves nothing behind', async () => {
    const program = `
      import { serveHttp } from ${JSON.stringify(resolve(LIBRARY))}
      for (let round = 0; round < 15; round++) {
        const serving = await serveHttp({ name: 'x', version: '1', tools: [] })
        await (await fetch(serving.url.replace('/mcp', '/healthz'))).text()
        await serving.close()
      }
      console.log('closed', process.listenerCount('uncaughtException'))`
    const args = ['--input-type=module', '--eval', program]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env: cleanEnv(), timeout: 120_000 })
    expect({ stdout, stderr }).toEqual({ stdout: 'closed 0\n', stderr: '' })
  })
})
