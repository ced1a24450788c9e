// No request, by `fetch` or through the proxy, reaches the internal server. Each group has a legitimate request that
// succeeds, and a control shows that the internal server answers unguarded clients.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'

import { FetchFailure } from '@scorpiox/server/guarded-fetch/fetch-failure'
import type { CheckingProxy, FetchRequest, GuardedFetch } from '@scorpiox/server/guarded-fetch/guarded-fetch'
import { LOOPBACK, METADATA, OTHERS, PORTS, UNWEB, withPort } from './ssrf-corpus.js'
import { LOOPBACK as HERE, naiveGet, openNetwork, PUBLIC, rawProxy, sendRaw, type SsrfNetwork } from './ssrf-network.js'

let network: SsrfNetwork
let guardedFetch: GuardedFetch
let proxy: CheckingProxy

beforeAll(async () => {
  network = await openNetwork()
  guardedFetch = network.guardedFetch()
  proxy = await guardedFetch.proxy()
})

afterAll(() => network.close())

beforeEach(() => {
  network.internal.hits = 0
  network.outer.hits = 0
  network.dialled.length = 0
  network.names.clear()
  network.pages.clear()
})

/** Tests with other expectations reset them to 0. */
afterEach(() => expect(network.internal.hits).toBe(0))

async function problemOf(url: string, out = guardedFetch, request: FetchRequest = {}): Promise<string> {
  try {
    return `brought ${(await out.fetch(url, request)).bytes.toString()}`
  } catch (error) {
    if (error instanceof FetchFailure) return error.kind
    throw error
  }
}

function inside(url: string): string {
  return withPort(url, network.internal.port)
}

/** The status of the proxy's answer to a plain request for it. */
async function statusOf(url: string, through = proxy): Promise<number> {
  const text = await rawProxy(through, `GET ${url} HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n`)
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
}

async function tunnelStatus(path: string, through = proxy): Promise<number> {
  const text = await rawProxy(through, `CONNECT ${path} HTTP/1.1\r\nHost: ${path}\r\n\r\n`)
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
}

async function upgradeStatus(url: string, through = proxy): Promise<number> {
  const head = `Host: example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`
  return Number(/^HTTP\/1\.1 (\d+)/.exec(await rawProxy(through, `GET ${url} HTTP/1.1\r\n${head}`))?.[1])
}

const REFUSED = [400, 403]

describe('without a guard', () => {
  test('most of the loopback corpus reaches the internal server', async () => {
    const reached = await Promise.all(LOOPBACK.map((url) => naiveGet(inside(url).trim())))
    expect(reached.filter(Boolean).length).toBeGreaterThan(40)
    expect(network.internal.hits).toBeGreaterThan(40)
    network.internal.hits = 0
  })

  test.each([301, 302, 303, 307, 308])('so does a redirect with %d', async (code) => {
    const target = `http://127.0.0.1:${network.internal.port}/`
    const response = await fetch(`http://127.0.0.1:${network.outer.port}/to/${code}?url=${target}`)
    expect(await response.text()).toBe('SECRET')
    network.internal.hits = 0
  })
})

describe('legitimate requests', () => {
  test('succeed by name and by address, by fetch and through the proxy', async () => {
    for (const host of ['example.com', 'EXAMPLE.com.', PUBLIC, '[2606:4700:4700::1111]', '[64:ff9b::808:808]']) {
      expect([host, await problemOf(`http://${host}/`)]).toEqual([host, 'brought a public page'])
      expect([host, await statusOf(`http://${host}/`)]).toEqual([host, 200])
      expect([host, await tunnelStatus(`${host}:443`)]).toEqual([host, 200])
    }
    expect(network.outer.hits).toBe(10)
  })
})

describe.each([
  ['loopback', LOOPBACK],
  ['another’s address', OTHERS],
  ['metadata', METADATA],
])('%s', (_, urls) => {
  test.each(urls)('%s', async (url) => {
    const target = inside(url)
    expect(await problemOf(target)).toBe('refused')
    const { href, host, port } = new URL(target)
    expect(REFUSED).toContain(await statusOf(href))
    expect(REFUSED).toContain(await upgradeStatus(href))
    expect(await tunnelStatus(port === '' ? `${host}:80` : host)).toBe(403)
    expect(network.dialled).toEqual([])
  })
})

test.each(UNWEB)('not on the web: %s', async (url) => {
  const target = inside(url)
  expect(await problemOf(target)).toBe('bad-url')
  expect(REFUSED).toContain(await statusOf(target.replace(/[\s\0]/g, '%20')))
  expect(network.dialled).toEqual([])
})

test.each(PORTS)('port %d', async (port) => {
  expect(await problemOf(`http://example.com:${port}/`)).toBe('refused')
  expect(await statusOf(`http://example.com:${port}/`)).toBe(403)
  expect(await tunnelStatus(`example.com:${port}`)).toBe(403)
  expect(network.dialled).toEqual([])
})

describe('redirects', () => {
  const targets = [
    'http://127.0.0.1:{port}/',
    'http://2130706433:{port}/',
    'http://localhost:{port}/',
    'http://[::1]:{port}/',
    'http://[::ffff:127.0.0.1]:{port}/',
    '//127.0.0.1:{port}/',
    '\\\\127.0.0.1:{port}\\',
    'http:\t//127.0.0.1:{port}/',
    'http://127.0.0.1:{port}\\@example.com/',
    'http://169.254.169.254/latest/',
    'http://metadata.google.internal/',
    'http://rebound.example:{port}/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:{port}/_',
    'http://example.com@127.0.0.1:{port}/',
    'http://example.com:25/',
  ]
  const cases = [301, 302, 303, 307, 308].flatMap((code) => targets.map((target) => [code, target] as const))

  test.each(cases)('%d to %s', async (code, target) => {
    network.names.set('rebound.example', [['127.0.0.1']])
    const url = `http://example.com/to/${code}?url=${encodeURIComponent(inside(target))}`
    expect(['refused', 'bad-url']).toContain(await problemOf(url))
    expect(['refused', 'bad-url']).toContain(await problemOf(url, guardedFetch, { method: 'POST', body: 'x' }))
    expect(network.dialled.filter((address) => address !== `${PUBLIC}:80`)).toEqual([])
  })

  test.each([301, 302, 303, 307, 308])('%d to the public web is followed', async (code) => {
    const url = `http://example.com/to/${code}?url=${encodeURIComponent('http://other.example/')}`
    expect(await problemOf(url)).toBe('brought a public page')
  })

  test.each([1, 2, 3, 4])('after %d public ones', async (count) => {
    let url = `http://127.0.0.1:${network.internal.port}/`
    for (let hop = 0; hop <= count; hop++) url = `http://h${hop}.example/to/302?url=${encodeURIComponent(url)}`
    expect(await problemOf(url)).toBe('refused')
    expect(network.outer.hits).toBe(count + 1)
  })

  test('the proxy follows none itself', async () => {
    expect(await statusOf(`http://example.com/to/302?url=${inside('http://127.0.0.1:{port}/')}`)).toBe(302)
  })

  test.each(['text/html', 'text/plain'])('a refresh in %s is not followed', async (type) => {
    const target = `http://127.0.0.1:${network.internal.port}/`
    network.pages.set('/refresh', (_, response) => {
      response.writeHead(200, { 'content-type': type, refresh: `0;url=${target}`, link: `<${target}>; rel=preload` })
      response.end(`<meta http-equiv=refresh content="0;url=${target}">`)
    })
    expect(await problemOf('http://example.com/refresh')).toContain('brought <meta')
  })
})

describe('names', () => {
  const bad: [string, string[]][] = [
    ['loopback', ['127.0.0.1']],
    ['another loopback', ['127.7.7.7']],
    ['IPv6 loopback', ['::1']],
    ['mapped loopback', ['::ffff:127.0.0.1']],
    ['mapped loopback in hexadecimal', ['::ffff:7f00:1']],
    ['compatible loopback', ['::127.0.0.1']],
    ['translated loopback', ['64:ff9b::7f00:1']],
    ['the unspecified address', ['0.0.0.0']],
    ['the unspecified IPv6 address', ['::']],
    ['a private address', ['10.0.0.1']],
    ['a link-local address with its zone', ['fe80::1%lo']],
    ['metadata', ['169.254.169.254']],
    ['Azure’s own', ['168.63.129.16']],
    ['a unique local address', ['fd00::1']],
    ['a good one, then a bad one', [PUBLIC, '127.0.0.1']],
    ['a bad one, then a good one', ['127.0.0.1', PUBLIC]],
    ['many good ones and a bad one', [PUBLIC, '1.1.1.1', '2606:4700:4700::1111', '::1']],
    ['a good one of each kind and metadata', [PUBLIC, '2606:4700:4700::1111', 'fd00:ec2::254']],
    ['something that is no address', ['localhost']],
    ['an address with something behind it', ['93.184.215.14 127.0.0.1']],
    ['a number', ['2130706433']],
    ['a short form', ['127.1']],
    ['an octal form', ['0177.0.0.1']],
    ['nothing', ['']],
  ]
  test.each(bad)('that resolve to %s', async (_, answers) => {
    network.names.set('trick.example', [answers])
    expect(await problemOf(inside('http://trick.example:{port}/'))).toBe('refused')
    expect(await statusOf(inside('http://trick.example:{port}/'))).toBe(403)
    expect(await tunnelStatus(inside('trick.example:{port}'))).toBe(403)
    expect(await upgradeStatus(inside('http://trick.example:{port}/'))).toBe(403)
    expect(network.dialled).toEqual([])
  })

  test.each(['fetch', 'plain', 'tunnel', 'upgrade'])(
    'that change their addresses are dialled at the first (%s)',
    async (way) => {
      for (let round = 0; round < 5; round++) {
        network.names.set('rebind.example', [[PUBLIC], ['127.0.0.1'], ['127.0.0.1']])
        const url = inside('http://rebind.example:{port}/')
        if (way === 'fetch') expect(await problemOf(url)).toBe('brought a public page')
        if (way === 'plain') expect(await statusOf(url)).toBe(200)
        if (way === 'tunnel') expect(await tunnelStatus(inside('rebind.example:{port}'))).toBe(200)
        if (way === 'upgrade') expect(await upgradeStatus(url)).toBe(502)
        expect(network.names.get('rebind.example')?.length ?? 0).toBe(way === 'fetch' && round > 0 ? 3 : 2)
      }
      expect(network.dialled.filter((address) => !address.startsWith(PUBLIC))).toEqual([])
    },
  )

  test('that change between two requests are checked again', async () => {
    const out = network.guardedFetch()
    network.names.set('rebind.example', [[PUBLIC], ['127.0.0.1']])
    network.pages.set('/closing', (_, response) => response.writeHead(200, { connection: 'close' }).end('once'))
    expect(await problemOf(inside('http://rebind.example:{port}/closing'), out)).toBe('brought once')
    expect(await problemOf(inside('http://rebind.example:{port}/'), out)).toBe('refused')
  })

  test('that change between two hops are checked again', async () => {
    network.names.set('rebind.example', [[PUBLIC], ['127.0.0.1']])
    const back = encodeURIComponent(inside('http://rebind.example:{port}/'))
    expect(await problemOf(inside(`http://rebind.example/to/302?url=${back}`), network.guardedFetch())).toBe('refused')
  })

  test('without an address fail', async () => {
    network.names.set('missing.example', [[]])
    expect(await problemOf('http://missing.example/')).toBe('unresolved')
    expect(await statusOf('http://missing.example/')).toBe(502)
  })
})

describe('FETCH_ALLOW', () => {
  /** An allowed server beside the internal one, and a fetcher that may reach only that. */
  async function allowing(
    entry: (port: number) => string,
  ): Promise<{ port: number; out: GuardedFetch; hits: () => number }> {
    let hits = 0
    const server = createServer((request, response) => {
      hits++
      const to = new URL(request.url ?? '/', 'http://x').searchParams.get('url')
      if (to === null) response.end('allowed')
      else response.writeHead(302, { location: to }).end()
    })
    server.listen(0)
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    return { port, out: network.guardedFetch({ allow: entry(port) }), hits: () => hits }
  }

  test('allows what it lists, in any spelling', async () => {
    const { port, out, hits } = await allowing((given) => `127.0.0.1:${given}`)
    for (const host of ['127.0.0.1', '127.1', '2130706433', '0x7f.0.0.1', '127.0.0.1.']) {
      expect([host, await problemOf(`http://${host}:${port}/`, out)]).toEqual([host, 'brought allowed'])
      expect(await statusOf(`http://${host}:${port}/`, await out.proxy())).toBe(200)
      expect(await tunnelStatus(`${host}:${port}`, await out.proxy())).toBe(200)
    }
    expect(hits()).toBe(10)
  })

  test.each([
    ['another port', 'http://127.0.0.1:{port}/'],
    ['a name of the same address', 'http://localhost:{allowed}/'],
    ['a name that leads there', 'http://there.example:{allowed}/'],
    ['another address of the machine', 'http://127.0.0.2:{allowed}/'],
    ['the mapped address', 'http://[::ffff:127.0.0.1]:{allowed}/'],
    ['IPv6 loopback', 'http://[::1]:{allowed}/'],
    ['the unspecified address', 'http://0.0.0.0:{allowed}/'],
    ['a subdomain of it', 'http://127.0.0.1.example:{allowed}/'],
    ['no port', 'http://127.0.0.1/'],
    ['the port of https', 'https://127.0.0.1/'],
    ['the port plus one', 'http://127.0.0.1:{next}/'],
  ])('does not allow %s', async (_, url) => {
    const { port, out, hits } = await allowing((given) => `127.0.0.1:${given}`)
    network.names.set('there.example', [['127.0.0.1']])
    network.names.set('127.0.0.1.example', [['127.0.0.1']])
    const target = inside(url)
      .replace('{allowed}', String(port))
      .replace('{next}', String(port + 1))
    expect(await problemOf(target, out)).toBe('refused')
    const { host, protocol } = new URL(target)
    expect(
      await tunnelStatus(/:\d+$/.test(host) ? host : `${host}:${protocol === 'http:' ? 80 : 443}`, await out.proxy()),
    ).toBe(403)
    expect(hits()).toBe(0)
  })

  test('a listed name may resolve to a private address, at its port only', async () => {
    const { port, out } = await allowing((given) => `dev.example:${given}`)
    network.names.set('dev.example', [['127.0.0.1']])
    expect(await problemOf(`http://dev.example:${port}/`, out)).toBe('brought allowed')
    expect(await problemOf(inside('http://dev.example:{port}/'), out)).toBe('refused')
    expect(await problemOf(`http://127.0.0.1:${port}/`, out)).toBe('refused')
  })

  test('an allowed server cannot redirect to a forbidden one', async () => {
    const { port, out, hits } = await allowing((given) => `127.0.0.1:${given}`)
    for (const to of [...LOOPBACK.slice(0, 20), 'http://169.254.169.254/']) {
      const url = `http://127.0.0.1:${port}/?url=${encodeURIComponent(inside(to))}`
      expect(['refused', 'bad-url']).toContain(await problemOf(url, out))
    }
    expect(hits()).toBe(21)
    const fromOutside = `http://example.com/to/302?url=http://127.0.0.1:${port}/`
    expect(await problemOf(fromOutside, out)).toBe('brought allowed')
  })

  test.each(METADATA)('never allows %s', async (url) => {
    const { host, port } = new URL(url)
    const out = network.guardedFetch({ allow: port === '' ? `${host}:80` : host })
    expect(await problemOf(url, out)).toBe('refused')
    await expect(out.fetch(url)).rejects.toThrow('is always blocked')
    await expect(out.fetch(url)).rejects.not.toThrow('FETCH_ALLOW=')
    expect(await statusOf(new URL(url).href, await out.proxy())).toBe(403)
    expect(network.dialled).toEqual([])
  })

  test('never allows a listed name that resolves to metadata', async () => {
    const out = network.guardedFetch({ allow: 'dev.example:80' })
    for (const address of ['169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254', '168.63.129.16']) {
      network.names.set('dev.example', [[address]])
      expect(await problemOf('http://dev.example/', out)).toBe('refused')
    }
    expect(network.dialled).toEqual([])
  })

  test.each(['127.0.0.1', '*', '*:{port}', '127.0.0.0/8', '0.0.0.0/0:{port}', 'http://127.0.0.1:{port}', '.:{port}'])(
    'allows nothing if it contains %s',
    async (allow) => {
      expect(await problemOf(inside('http://127.0.0.1:{port}/'), network.guardedFetch({ allow: inside(allow) }))).toBe(
        'refused',
      )
    },
  )
})

describe('the proxy, with malformed requests', () => {
  const I = '127.0.0.1:{port}'
  test.each([
    ['a Host that is not the URL’s', `GET http://${I}/ HTTP/1.1\r\nHost: example.com\r\n\r\n`],
    ['origin form with a Host', `GET / HTTP/1.1\r\nHost: ${I}\r\n\r\n`],
    ['a path that is a URL', `GET /http://${I}/ HTTP/1.1\r\nHost: ${I}\r\n\r\n`],
    ['a URL without slashes', `GET http:${I} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['asterisk form', `OPTIONS * HTTP/1.1\r\nHost: ${I}\r\n\r\n`],
    ['an https URL', `GET https://${I}/ HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a WebSocket URL', `GET ws://${I}/ HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a file URL', `GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['HTTP/1.0', `GET http://${I}/ HTTP/1.0\r\n\r\n`],
    ['HTTP/0.9', `GET http://${I}/\r\n\r\n`],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['bare line feeds', `GET http://${I}/ HTTP/1.1\nHost: x\n\n`],
    ['a tunnel to a URL', `CONNECT http://${I}/ HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a tunnel without a port', 'CONNECT 127.0.0.1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a tunnel with a user', `CONNECT example.com:443@${I} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a tunnel to a name with a path', `CONNECT example.com/@${I} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a tunnel to a port beyond', 'CONNECT 127.0.0.1:99999 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a tunnel with early bytes', `CONNECT ${I} HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n`],
    [
      'an upgrade to HTTP/2',
      `GET http://${I}/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\n\r\n`,
    ],
    ['an upgrade with a Host', `GET / HTTP/1.1\r\nHost: ${I}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    [
      'an upgrade by POST',
      `POST http://${I}/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n`,
    ],
    [
      'a second request in its body',
      `POST http://${I}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://${I}/ HTTP/1.1\r\nHost: x\r\n\r\n`,
    ],
    [
      'a header that forwards',
      `GET http://${I}/ HTTP/1.1\r\nHost: x\r\nX-Forwarded-Host: example.com\r\nX-Original-URL: /\r\n\r\n`,
    ],
  ])('%s', async (_, bytes) => {
    const text = await rawProxy(proxy, inside(bytes))
    expect(text === '' || /^HTTP\/1\.1 (400|403|502)/.test(text)).toBe(true)
    expect(network.dialled).toEqual([])
  })

  test('hundreds of broken requests', async () => {
    const start = fc.constantFrom(
      `GET http://${I}/ HTTP/1.1\r\nHost: example.com\r\n\r\n`,
      `CONNECT ${I} HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
      `GET http://${I}/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      `POST http://example.com/ HTTP/1.1\r\nHost: ${I}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nGET http://${I}/ HTTP/1.1\r\n\r\n`,
    )
    const piece = fc.constantFrom(
      '\r\n',
      '\n',
      ' ',
      '\t',
      '\0',
      '@',
      '/',
      '//',
      ':',
      '#',
      '?',
      '[',
      ']',
      '%',
      'example.com',
      I,
      'http://',
    )
    const change = fc.tuple(fc.nat(200), fc.nat(12), piece)
    const broken = fc
      .tuple(start, fc.array(change, { minLength: 1, maxLength: 4 }))
      .map(([text, changes]) =>
        changes.reduce(
          (now, [at, gone, put]) => now.slice(0, at % now.length) + inside(put) + now.slice((at % now.length) + gone),
          inside(text),
        ),
      )
    const requests = fc.sample(broken, 600)
    for (let first = 0; first < requests.length; first += 100) {
      await Promise.all(requests.slice(first, first + 100).map((bytes) => sendRaw(proxy, bytes)))
    }
    expect(network.dialled.filter((path) => HERE.test(path))).toEqual([])
    expect(await statusOf('http://example.com/')).toBe(200)
  })

  test('one connection, the allowed request first: each request is checked', async () => {
    const good = 'GET http://example.com/ HTTP/1.1\r\nHost: x\r\n\r\n'
    const bad = inside(`GET http://${I}/ HTTP/1.1\r\nHost: example.com\r\n\r\n`)
    expect(await rawProxy(proxy, good + bad + bad)).toMatch(/^HTTP\/1\.1 200/)
    expect(await rawProxy(proxy, bad + good)).toMatch(/^HTTP\/1\.1 403/)
    expect(network.dialled.filter((address) => address !== `${PUBLIC}:80`)).toEqual([])
  })

  test('a tunnel leads to its target, whatever is sent inside', async () => {
    const bytes = inside(
      `CONNECT example.com:80 HTTP/1.1\r\nHost: x\r\n\r\nGET http://${I}/ HTTP/1.1\r\nHost: ${I}\r\n\r\n`,
    )
    expect(await rawProxy(proxy, bytes)).toMatch(/^HTTP\/1\.1 200/)
    expect(network.dialled).toEqual([`${PUBLIC}:80`])
  })

  test('the proxy cannot be reached through itself', async () => {
    expect(await statusOf(`http://127.0.0.1:${proxy.port}/`)).toBe(403)
    expect(await tunnelStatus(`127.0.0.1:${proxy.port}`)).toBe(403)
  })
})
