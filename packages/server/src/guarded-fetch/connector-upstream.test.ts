// Uses real proxies on loopback: a plain one, one with a password and one with TLS. They forward everything to one server,
// so that the requests to them can be inspected.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'

import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'

import { emptyFolder } from '../../../../test/support/client.js'
import { createGuardedFetch, type GuardedFetch, type GuardedFetchOptions } from './guarded-fetch.js'

const folder = emptyFolder()
const names = 'DNS:localhost,DNS:site.example,DNS:proxy.example'
const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', join(folder, 'key')]
execFileSync(
  'openssl',
  [
    'req',
    '-x509',
    ...key,
    '-out',
    join(folder, 'cert'),
    '-days',
    '2',
    '-subj',
    '/CN=x',
    '-addext',
    `subjectAltName=${names}`,
  ],
  { stdio: 'ignore' },
)
const tls = { key: readFileSync(join(folder, 'key')), cert: readFileSync(join(folder, 'cert'), 'utf8') }

/** The requests that the proxies received, in order. */
const asked: string[] = []
const servers: Server[] = []
const site: RequestListener = ({ headers, url, method }, response) => response.end(`${method} ${headers.host} ${url}`)
const SITE = { plain: 0, secure: 0 }
const PROXY = { plain: 0, secure: 0, guarded: 0 }

async function listen(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function proxied(server: Server, password = ''): Server {
  const isWelcome = ({ headers }: IncomingMessage): boolean =>
    password === '' || headers['proxy-authorization'] === `Basic ${Buffer.from(password).toString('base64')}`
  server.on('request', (incoming: IncomingMessage, response) => {
    asked.push(`${incoming.method} ${incoming.url} ${incoming.headers['proxy-authorization'] ?? '-'}`)
    if (!isWelcome(incoming)) return response.writeHead(407).end()
    const { pathname } = new URL(incoming.url ?? '')
    const on = request({
      port: SITE.plain,
      host: '127.0.0.1',
      path: pathname,
      headers: { host: incoming.headers.host },
    })
    return on.on('response', (answer) => answer.pipe(response)).end()
  })
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    asked.push(`CONNECT ${incoming.url} ${incoming.headers['proxy-authorization'] ?? '-'}`)
    socket.on('error', () => {})
    if (!isWelcome(incoming)) return socket.end('HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n')
    if (incoming.url?.startsWith('forbidden')) return socket.end('HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n')
    const on = connect(incoming.url?.endsWith(':80') ? SITE.plain : SITE.secure, '127.0.0.1')
    on.on('error', () => {})
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    return socket.pipe(on).pipe(socket)
  })
  return server
}

beforeAll(async () => {
  SITE.plain = await listen(createServer(site))
  SITE.secure = await listen(createSecureServer(tls, site))
  PROXY.plain = await listen(proxied(createServer()))
  PROXY.secure = await listen(proxied(createSecureServer(tls)))
  PROXY.guarded = await listen(proxied(createServer(), 'me:s:ecret'))
})

beforeEach(() => {
  asked.length = 0
})

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

const HOST_ADDRESSES: Record<string, readonly string[]> = {
  'site.example': ['93.184.215.14'],
  'inside.example': ['10.0.0.7'],
  'proxy.example': ['127.0.0.1'],
  'here.example': ['127.0.0.1'],
}

function guardedFetch(override: string, input: Partial<GuardedFetchOptions> = {}): GuardedFetch {
  const out = createGuardedFetch({
    allow: '',
    proxies: { override, http: '', https: '', bypass: '' },
    warn: () => {},
    extraCa: tls.cert,
    resolveHost: async (name) => HOST_ADDRESSES[name] ?? [],
    ...input,
  })
  onTestFinished(() => out.close())
  return out
}

test('a plain request is sent to the proxy, a secure one goes through a tunnel', async () => {
  const out = guardedFetch(`http://127.0.0.1:${PROXY.plain}`)
  expect((await out.fetch('http://site.example/a')).bytes.toString()).toBe('GET site.example /a')
  expect((await out.fetch('https://site.example/b')).bytes.toString()).toBe('GET site.example /b')
  expect(asked).toEqual(['GET http://site.example/a -', 'CONNECT site.example:443 -'])
})

test('the proxy may use TLS and a private name, because it is configured', async () => {
  const out = guardedFetch(`https://proxy.example:${PROXY.secure}`)
  expect((await out.fetch('http://site.example/a')).bytes.toString()).toBe('GET site.example /a')
  expect((await out.fetch('https://site.example/b')).bytes.toString()).toBe('GET site.example /b')
})

test('the proxy receives the credentials, and the sites do not', async () => {
  const out = guardedFetch(`http://me:s%3Aecret@127.0.0.1:${PROXY.guarded}`)
  expect((await out.fetch('http://site.example/a')).status).toBe(200)
  expect((await out.fetch('https://site.example/b')).status).toBe(200)
  expect(asked).toEqual([
    expect.stringMatching(/^GET .* Basic /),
    expect.stringMatching(/^CONNECT site\.example:443 Basic /),
  ])
  const untrustedSite = guardedFetch(`http://127.0.0.1:${PROXY.guarded}`).fetch('https://site.example/')
  await expect(untrustedSite).rejects.toThrow('it requires authentication')
})

test('a name that cannot be resolved here is resolved by the proxy', async () => {
  const out = guardedFetch(`http://127.0.0.1:${PROXY.plain}`)
  expect((await out.fetch('http://elsewhere.example/')).status).toBe(200)
  await expect(out.fetch('https://elsewhere.example/')).rejects.toMatchObject({ kind: 'tls' })
  expect(asked).toHaveLength(2)
})

test('private addresses are also blocked behind a proxy', async () => {
  const out = guardedFetch(`http://127.0.0.1:${PROXY.plain}`)
  const paths = ['10.0.0.7', 'localhost', '[::1]', '169.254.169.254', 'inside.example', 'metadata.goog', 'wiki']
  for (const path of paths) {
    for (const scheme of ['http', 'https']) {
      await expect(out.fetch(`${scheme}://${path}/`)).rejects.toMatchObject({
        kind: path === 'wiki' ? 'unresolved' : 'refused',
      })
    }
  }
  expect(asked).toEqual([])
})

test('allowed private hosts are reached without the proxy', async () => {
  const allow = `here.example:${SITE.plain}, 127.0.0.1:${SITE.plain}, far.example:80`
  const out = guardedFetch(`http://127.0.0.1:${PROXY.plain}`, { allow })
  for (const host of ['here.example', '127.0.0.1']) {
    expect((await out.fetch(`http://${host}:${SITE.plain}/a`)).status).toBe(200)
  }
  expect(asked).toEqual([])
  expect((await out.fetch('http://far.example/')).status).toBe(200)
  expect(asked).toHaveLength(1)
})

test('an unusable proxy is a failure that names it, and is never bypassed', async () => {
  const closed = await listen(createServer())
  await new Promise((resolve) => servers.at(-1)?.close(resolve))
  const allow = `here.example:${SITE.plain}`
  await expect(guardedFetch(`http://127.0.0.1:${closed}`).fetch('http://site.example/')).rejects.toThrow(
    `the proxy 127.0.0.1:${closed} cannot be used: the connection was refused.`,
  )
  await expect(guardedFetch('http://nowhere.example').fetch('https://site.example/')).rejects.toThrow(
    'the host has no address',
  )
  await expect(guardedFetch('socks5://x:1', { allow }).fetch('http://site.example/')).rejects.toThrow('FETCH_PROXY')
  const refusing = guardedFetch(`http://127.0.0.1:${PROXY.plain}`).fetch('https://forbidden.example/')
  await expect(refusing).rejects.toThrow('it answered with status 403')
})

test('a certificate that is not trusted, or is for another host, is a failure', async () => {
  const proxy = `http://127.0.0.1:${PROXY.plain}`
  const unknown = createGuardedFetch({
    allow: '',
    warn: () => {},
    proxies: { override: proxy, http: '', https: '', bypass: '' },
    resolveHost: async () => ['93.184.215.14'],
  })
  onTestFinished(() => unknown.close())
  await expect(unknown.fetch('https://site.example/')).rejects.toThrow('NODE_EXTRA_CA_CERTS')
  await expect(guardedFetch(proxy).fetch('https://other.example/')).rejects.toMatchObject({ kind: 'tls' })
  const direct = guardedFetch('off', { allow: `here.example:${SITE.plain}` })
  await expect(direct.fetch(`https://here.example:${SITE.plain}/`)).rejects.toMatchObject({ kind: 'tls' })
})

test('a secure site is reached at the checked address, with its own name', async () => {
  const path = `site.example:${SITE.secure}`
  const asking: string[] = []
  const resolveHost = async (name: string): Promise<string[]> => {
    asking.push(name)
    return asking.length === 1 ? ['127.0.0.1'] : ['10.9.9.9']
  }
  const out = guardedFetch('off', { allow: path, resolveHost })
  expect((await out.fetch(`https://${path}/c`)).bytes.toString()).toBe(`GET ${path} /c`)
  expect(asking).toEqual(['site.example'])
})

test('the checking proxy uses the upstream proxy too', async () => {
  const { port } = await guardedFetch(`http://127.0.0.1:${PROXY.plain}`).proxy()
  const plain = request({ port, host: '127.0.0.1', path: 'http://site.example/a', agent: false }).end()
  const [answer] = await once(plain, 'response')
  expect(Buffer.concat(await answer.toArray()).toString()).toBe('GET site.example /a')
  const tunnel = request({ port, host: '127.0.0.1', method: 'CONNECT', path: 'site.example:80', agent: false }).end()
  const [{ statusCode }, socket] = await once(tunnel, 'connect')
  expect(statusCode).toBe(200)
  socket.destroy()
  const inside = request({ port, host: '127.0.0.1', method: 'CONNECT', path: 'inside.example:443', agent: false }).end()
  expect((await once(inside, 'connect'))[0].statusCode).toBe(403)
  expect(asked).toEqual(['GET http://site.example/a -', 'CONNECT site.example:80 -'])
})
