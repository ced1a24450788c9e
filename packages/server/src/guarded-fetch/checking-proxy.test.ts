import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import {
  type AddressInfo,
  connect,
  createServer as createSocketServer,
  type Server as SocketServer,
  type Socket,
} from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

import { MISSING, needs, skipIfMissing } from '../../../../test/support/runtime.js'
import { type CheckingProxy, createGuardedFetch } from './guarded-fetch.js'

const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0
const PROXIES = { override: '', http: '', https: '', bypass: '' }

interface Fixture {
  readonly proxy: CheckingProxy
  readonly port: number
  readonly received: IncomingMessage[]
  readonly bodies: string[]
}

async function openProxy(isAllowed = true): Promise<Fixture> {
  const received: IncomingMessage[] = []
  const bodies: string[] = []
  const server = createServer((incoming, response) => {
    received.push(incoming)
    void text(incoming).then((body) => bodies.push(body))
    response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], connection: 'x-secret', 'x-secret': '1', 'x-kept': '2' })
    response.end(`seen ${incoming.url}`)
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`echo ${String(data)}`)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  const guardedFetch = createGuardedFetch({
    allow: isAllowed ? `127.0.0.1:${port}` : '',
    proxies: PROXIES,
    warn: () => {},
  })
  onTestFinished(async () => {
    await guardedFetch.close()
    server.closeAllConnections()
    server.close()
  })
  return { proxy: await guardedFetch.proxy(), port, received, bodies }
}

function portOf(server: SocketServer): number {
  return (server.address() as AddressInfo).port
}

/** Sends raw bytes, and resolves to the reply once `until` matches or the connection is closed. */
async function raw({ port }: CheckingProxy, bytes: string, until = /$^/): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(bytes, 'latin1')
  let all = ''
  for await (const chunk of socket) {
    all += String(chunk)
    if (until.test(all)) break
  }
  return all
}

function get(proxy: CheckingProxy, path: string, headers = {}): Promise<IncomingMessage & { text: string }> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: proxy.host, port: proxy.port, path, headers, agent: false })
    asking.on('response', (answer) => {
      text(answer).then((body) => resolve(Object.assign(answer, { text: body })), reject)
    })
    asking.on('error', reject).end()
  })
}

function tunnel(proxy: CheckingProxy, path: string): Promise<{ status: number; socket: Socket }> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: proxy.host, port: proxy.port, method: 'CONNECT', path, agent: false })
    asking.on('connect', ({ statusCode = 0 }, socket) => {
      onTestFinished(() => void socket.destroy())
      resolve({ status: statusCode, socket })
    })
    asking.on('error', reject).end()
  })
}

test('a plain request is forwarded without hop-by-hop headers', async () => {
  const { proxy, port, received } = await openProxy()
  const headers = { 'x-kept': '1', 'x-gone': '2', connection: 'x-gone', 'proxy-authorization': 'no', te: 'trailers' }
  const answer = await get(proxy, `http://127.0.0.1:${port}/page?q=1`, headers)
  expect([answer.statusCode, answer.text]).toEqual([200, 'seen /page?q=1'])
  expect(answer.headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'x-kept': '2' })
  expect(answer.headers).not.toHaveProperty('x-secret')
  expect(received[0]?.headers).toMatchObject({ 'x-kept': '1', host: `127.0.0.1:${port}` })
  for (const name of ['x-gone', 'proxy-authorization', 'te']) expect(received[0]?.headers).not.toHaveProperty(name)
})

test('a tunnel forwards any data', async () => {
  const { proxy, port } = await openProxy()
  const { status, socket } = await tunnel(proxy, `127.0.0.1:${port}`)
  expect(status).toBe(200)
  socket.write('GET /through HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const parts: unknown[] = []
  for await (const chunk of socket) if (parts.push(chunk) && String(parts).includes('seen /through')) break
  expect(String(parts)).toMatch(/^HTTP\/1\.1 200 /)
})

test('a WebSocket opens through it', async () => {
  const { proxy, port } = await openProxy()
  const handshake = `GET http://127.0.0.1:${port}/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
  // A masked "hi", with a mask of zeros.
  const opened = await raw(proxy, `${handshake}\x81\x82\0\0\0\0hi`, /echo hi/)
  expect(opened).toMatch(/^HTTP\/1\.1 101 /)
  expect(opened).toContain('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
})

test('a forbidden destination is refused in each form, and remembered', async () => {
  const { proxy, port, received } = await openProxy(false)
  const answer = await get(proxy, `http://127.0.0.1:${port}/`)
  expect([answer.statusCode, answer.headers['proxy-status']]).toEqual([
    403,
    'scorpiox-code; error=destination_ip_prohibited',
  ])
  expect(answer.text).toContain(`FETCH_ALLOW=127.0.0.1:${port}`)
  expect(await tunnel(proxy, `127.0.0.1:${port}`)).toMatchObject({ status: 403 })
  expect(
    await raw(
      proxy,
      `GET http://localhost:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ),
  ).toMatch(/^HTTP\/1\.1 403 /)
  expect(proxy.refused).toHaveLength(3)
  expect(received).toEqual([])
})

test.each(['GET', 'POST', 'DELETE', 'OPTIONS'])(
  'the body of a %s arrives as a body, however it is framed',
  async (method) => {
    const { proxy, port, bodies } = await openProxy()
    const inner = `GET http://127.0.0.1:${port}/smuggled HTTP/1.1\r\nHost: x\r\n\r\n`
    const start = `${method} http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n`
    const chunked = `Transfer-Encoding: chunked\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`
    await raw(proxy, start + chunked, /seen \//)
    await raw(proxy, `${start}Connection: content-length\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`, /seen \//)
    expect(bodies).toEqual([inner, inner])
  },
)

test.each([
  ['both lengths', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!'],
  ['a space before the colon', 'Content-Length : 5\r\n\r\nhello'],
  ['a folded header', 'X-A: 1\r\n Transfer-Encoding: chunked\r\n\r\n'],
  ['an odd coding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
])('%s are not forwarded', async (_, rest) => {
  const { proxy, port, received } = await openProxy()
  expect(await raw(proxy, `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n${rest}`)).toMatch(/^HTTP\/1\.1 [45]/)
  expect(received).toEqual([])
})

test(
  'another user is not served',
  needs(isRootOnLinux ? undefined : 'users are changed by root on Linux only'),
  async () => {
    const { proxy, port, received } = await openProxy()
    const script = `const s = require('node:net').connect(${proxy.port}, '127.0.0.1')
    s.write('GET http://127.0.0.1:${port}/ HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n')
    s.on('data', (data) => process.stdout.write(data)).on('error', () => {})`
    const run = (uid: number): Promise<{ stdout: string }> =>
      promisify(execFile)(process.execPath, ['-e', script], { uid, cwd: '/', env: {} })
    expect((await run(0)).stdout).toContain('seen /')
    expect((await run(65_534)).stdout).toBe('')
    expect(received).toHaveLength(1)
  },
)

/** Runs a script as another user; resolves with what it printed. */
async function runAsOther(script: string): Promise<string> {
  const options = { uid: 65_534, cwd: '/', env: {} }
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], options)
  return stdout
}

test(
  'another user is not served beside connections of ours that have the same two ports at another address',
  needs(isRootOnLinux ? undefined : 'users are changed by root on Linux only'),
  async () => {
    const { proxy, port, received } = await openProxy()
    // Services of this user, which anyone may connect to, at another address of the loopback interface. Several, because
    // the order in which connections are listed depends on their ports.
    const services = Array.from({ length: 12 }, () => createSocketServer(() => {}).listen(0, '127.0.0.2'))
    onTestFinished(() => services.forEach((service) => service.close()))
    await Promise.all(services.map((service) => once(service, 'listening')))
    const served = await runAsOther(`
      const { connect } = require('node:net'), { once } = require('node:events')
      const attempt = async (port) => {
        const decoy = connect({ host: '127.0.0.2', port, localAddress: '127.0.0.2', localPort: ${proxy.port} })
        await once(decoy, 'connect')
        const s = connect({ host: '127.0.0.1', port: ${proxy.port}, localAddress: '127.0.0.1', localPort: port })
        s.write('GET http://127.0.0.1:${port}/ HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n')
        s.on('data', (data) => process.stdout.write(data)).on('error', () => {})
        await new Promise((resolve) => s.on('close', resolve))
        decoy.destroy()
      }
      ;(async () => { for (const port of ${JSON.stringify(services.map(portOf))}) await attempt(port) })()`)
    expect(served).toBe('')
    expect(received).toEqual([])
  },
)

test(
  'another user that closes its end at once is not served: a closed end is listed as one of root',
  needs(isRootOnLinux ? undefined : 'users are changed by root on Linux only'),
  async () => {
    const { received, proxy, port } = await openProxy()
    await runAsOther(`
      const { connect } = require('node:net')
      const attempt = () => new Promise((resolve) => {
        const s = connect(${proxy.port}, '127.0.0.1', () => {
          const inner = 'GET /tunnel HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'
          s.write('CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' + inner); s.destroySoon()
        }).on('error', () => {}).on('close', resolve).resume()
      })
      Promise.all(Array.from({ length: 40 }, attempt))`)
    // A request of this user comes after those: by then they have been refused.
    expect((await get(proxy, `http://127.0.0.1:${port}/ours`)).statusCode).toBe(200)
    expect(received.map(({ url }) => url)).toEqual(['/ours'])
  },
)

test('a WebSocket stays open', async () => {
  const { proxy, port } = await openProxy()
  const { socket: through } = await tunnel(proxy, `127.0.0.1:${port}`)
  const direct = new WebSocket(`ws://127.0.0.1:${port}/`, { createConnection: () => through })
  onTestFinished(() => direct.terminate())
  await once(direct, 'open')
  for (const word of ['one', 'two', 'three']) {
    direct.send(word)
    expect(String((await once(direct, 'message'))[0])).toBe(`echo ${word}`)
  }
})

test('closing closes every connection', async (context) => {
  skipIfMissing(context, MISSING.silentConnections)
  const { port } = await openProxy()
  const guardedFetch = createGuardedFetch({ allow: `127.0.0.1:${port}`, proxies: PROXIES, warn: () => {} })
  const proxy = await guardedFetch.proxy()
  expect(await guardedFetch.proxy()).toBe(proxy)
  const { socket } = await tunnel(proxy, `127.0.0.1:${port}`)
  const idle = connect(proxy.port, '127.0.0.1')
  await once(idle, 'connect')
  const ends = Promise.all([once(socket.resume(), 'close'), once(idle.resume(), 'close')])
  await guardedFetch.close()
  await ends
  await expect(guardedFetch.proxy()).rejects.toThrow('stopping')
  const gone = connect(proxy.port, '127.0.0.1')
  await expect(once(gone, 'connect')).rejects.toThrow('ECONNREFUSED')
})
