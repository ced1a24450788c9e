import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'

import {
  checkHostAndOrigin,
  createHostPolicy,
  type HostPolicyOptions,
  isLoopback,
  isRefusal,
  readCredential,
} from './host-policy.js'

const local = createHostPolicy({ listenHost: '127.0.0.1', publicUrl: '', allowedHosts: [] })
const published = createHostPolicy({
  listenHost: '0.0.0.0',
  publicUrl: 'https://mcp.example.com/mcp',
  allowedHosts: ['other.example', 'third.example:8443', 'bücher.example', '[fd00::1]:8808'],
})

const EVIL_HOSTS = [
  undefined,
  '',
  ' ',
  'evil.example',
  'evil.example:8808',
  'localhost.evil.example',
  'evil-localhost',
  'localhost.',
  'localhost.:8808',
  '127.0.0.1.',
  '127.0.0.1.evil.example',
  '127.0.0.1.nip.io',
  '127.1',
  '127.0.0.256',
  '127.0.0.01',
  '0127.0.0.1',
  '0x7f.0.0.1',
  '2130706433',
  '0.0.0.0',
  '0.0.0.0:8808',
  '[::]',
  '[::]:8808',
  '::1',
  '::1:8808',
  '[::1',
  '::1]',
  '[::1]:',
  '[::1]x',
  '[::1%25lo]',
  '[0:0:0:0:0:0:0:1]',
  '[::0001]',
  '[::ffff:127.0.0.1]',
  'localhost:',
  'localhost:0',
  'localhost:08808',
  'localhost:65536',
  'localhost:99999',
  'localhost:-1',
  'localhost:8808:8808',
  'localhost:8808a',
  'localhost,evil.example',
  'evil.example, localhost',
  'localhost, localhost',
  'localhost evil.example',
  'localhost\tx',
  ' localhost',
  'localhost ',
  'localhost\n',
  'local\u00adhost',
  'localhost\u0000',
  'localho\u017Ft',
  'ｌocalhost',
  'loсalhost',
  'xn--lcalhost-4jg',
  'user@localhost',
  'user:pass@localhost:8808',
  'localhost@evil.example',
  'localhost#evil.example',
  'localhost?evil.example',
  'localhost/evil.example',
  'localhost\\evil.example',
  'http://localhost',
  '//localhost',
  '*',
  '*.localhost',
  'null',
  '__proto__',
] as const

const EVIL_ORIGINS = [
  '',
  'null',
  'NULL',
  'undefined',
  '*',
  'https://evil.example',
  'http://evil.example:8808',
  'http://localhost.evil.example',
  'http://evil-localhost',
  'http://localhost@evil.example',
  'http://evil.example@localhost',
  'http://localhost:8808@evil.example',
  'http://localhost:8808:80',
  'http://localhost/',
  'http://localhost/path',
  'http://localhost?',
  'http://localhost#',
  'http://localhost.',
  'http://localhost:',
  'http://localhost:0',
  'http://localhost:65536',
  'HTTP://localhost',
  'http://LOCALHOST',
  'http://localhost, http://evil.example',
  'https://evil.example, http://localhost',
  'http://localhost http://evil.example',
  'http://localhost\\@evil.example',
  ' http://localhost',
  'http:// localhost',
  'http:localhost',
  'http:/localhost',
  'http:///localhost',
  '//localhost',
  'localhost',
  'localhost:8808',
  'file://',
  'file://localhost',
  'ftp://localhost',
  'ws://localhost',
  'wss://localhost',
  'chrome-extension://localhost',
  'moz-extension://localhost',
  'data:text/html,localhost',
  'javascript://localhost',
  'blob:http://localhost',
  'https+http://localhost',
  'http://0.0.0.0:8808',
  'http://127.1',
  'http://127.0.0.1.nip.io',
  'http://2130706433',
  'http://[::]',
  'http://::1',
  'http://[::ffff:127.0.0.1]',
  'http://[0:0:0:0:0:0:0:1]',
  'http://ｌocalhost',
  'http://loсalhost',
  'http://localhost%2eevil.example',
  'http://localhost\u0000.evil.example',
] as const

const headersOf = (host: string | undefined, origin: string | undefined): IncomingHttpHeaders => ({
  ...(host !== undefined && { host }),
  ...(origin !== undefined && { origin }),
})

describe("a web page in the user's browser", () => {
  test(`is refused by Host alone, whatever the Origin: ${EVIL_HOSTS.length} hosts`, () => {
    for (const host of EVIL_HOSTS) {
      for (const origin of [undefined, 'http://localhost:8808', 'https://mcp.example.com', ...EVIL_ORIGINS]) {
        expect([host, origin, checkHostAndOrigin(headersOf(host, origin), local)?.status]).toEqual([host, origin, 403])
        expect([host, origin, checkHostAndOrigin(headersOf(host, origin), published)?.status]).toEqual([
          host,
          origin,
          403,
        ])
      }
    }
  })

  test(`is refused by Origin alone, whatever the Host: ${EVIL_ORIGINS.length} origins`, () => {
    for (const origin of EVIL_ORIGINS) {
      for (const host of ['localhost', '127.0.0.1:8808', '[::1]:8808']) {
        expect([host, origin, checkHostAndOrigin({ host, origin }, local)?.status]).toEqual([host, origin, 403])
      }
      const { status } = checkHostAndOrigin({ host: 'mcp.example.com', origin }, published) ?? {}
      expect([origin, status]).toEqual([origin, 403])
    }
  })

  test('gets an error message', () => {
    expect(checkHostAndOrigin({ host: 'evil.example' }, local)?.reason).toMatch(/^Host .* http\.allowedHosts$/)
    expect(checkHostAndOrigin({ host: 'localhost', origin: 'null' }, local)?.reason).toMatch(
      /^Origin .* http\.allowedHosts$/,
    )
  })
})

describe('a legitimate caller', () => {
  test.each([
    ['localhost', undefined],
    ['LOCALHOST:1', undefined],
    ['127.0.0.1:8808', 'http://127.0.0.1:8808'],
    ['127.0.0.2:80', 'http://localhost:3000'],
    ['[::1]:8808', 'http://[::1]:8808'],
    ['localhost:65535', 'https://localhost'],
  ])('of this machine is served: %s %s', (host, origin) => {
    expect(checkHostAndOrigin(headersOf(host, origin), local)).toBeUndefined()
    expect(checkHostAndOrigin(headersOf(host, origin), published)).toMatchObject({ status: 403 })
  })

  test.each([
    ['mcp.example.com', undefined],
    ['mcp.example.com', 'https://mcp.example.com'],
    ['MCP.example.com:443', 'https://other.example'],
    ['other.example:1234', 'https://third.example:8443'],
    ['third.example', 'https://xn--bcher-kva.example'],
    ['xn--bcher-kva.example:8443', undefined],
    ['[fd00::1]:8808', 'https://[fd00::1]:8808'],
  ])('of a configured name is served: %s %s', (host, origin) => {
    expect(checkHostAndOrigin(headersOf(host, origin), published)).toBeUndefined()
    expect(checkHostAndOrigin(headersOf(host, origin), local)).toMatchObject({ status: 403 })
  })
})

describe('the policy', () => {
  test.each([
    ['http of a configured name', 'http://mcp.example.com'],
    ['http of an allowed name', 'http://other.example'],
    ['another port', 'https://mcp.example.com:8443'],
    ['the port left out', 'https://third.example'],
    ['the default port spelled out', 'https://mcp.example.com:443'],
    ['a name below', 'https://a.mcp.example.com'],
    ['upper case', 'https://MCP.example.com'],
    ['the name in letters, which no browser sends', 'https://bücher.example'],
  ])('is exact about origins: %s is another', (_, origin) => {
    expect(checkHostAndOrigin({ host: 'mcp.example.com', origin }, published)).toMatchObject({ status: 403 })
  })

  test('allows the listen address, unless it is unspecified', () => {
    const policyOf = (listenHost: string) => createHostPolicy({ listenHost, publicUrl: '', allowedHosts: [] })
    expect(checkHostAndOrigin({ host: '192.168.1.5:8808' }, policyOf('192.168.1.5'))).toBeUndefined()
    expect(checkHostAndOrigin({ host: '[fd00::5]:8808' }, policyOf('fd00::5'))).toBeUndefined()
    expect(checkHostAndOrigin({ host: 'localhost' }, policyOf('192.168.1.5'))).toMatchObject({ status: 403 })
    for (const all of ['0.0.0.0', '::', '[::]', '0']) expect(policyOf(all)).toMatchObject({ hosts: new Set() })
    for (const here of ['localhost', 'LOCALHOST', '::1', '[::1]', '127.0.0.9'])
      expect(policyOf(here).loopback).toBe(true)
  })

  test('can allow loopback names on a public listen address', () => {
    const policy = createHostPolicy({ listenHost: '0.0.0.0', publicUrl: '', allowedHosts: ['localhost:3000'] })
    expect(checkHostAndOrigin({ host: 'localhost:8808', origin: 'http://localhost:3000' }, policy)).toBeUndefined()
    expect(checkHostAndOrigin({ host: 'localhost:8808', origin: 'http://localhost:3001' }, policy)).toMatchObject({
      status: 403,
    })
  })

  test.each(['*', '', ' ', 'a b', 'https://a.example', 'a.example/', 'a@b', 'a:b', 'a:65536', 'a,b', '[::1', '%00'])(
    'refuses the entry %j with a message',
    (entry) => {
      const build = () => createHostPolicy({ listenHost: '127.0.0.1', publicUrl: '', allowedHosts: [entry] })
      expect(build).toThrow('http.allowedHosts must hold host names such as')
    },
  )

  test.each([
    'mcp.example.com',
    'ftp://mcp.example.com',
    'https://',
    'https://u:p@a.example',
    'https://a.example/?x=1',
  ])('refuses %j as a public URL', (publicUrl) => {
    const build = () => createHostPolicy({ listenHost: '127.0.0.1', publicUrl, allowedHosts: [] })
    expect(build).toThrow('http.publicUrl must be a plain http or https URL')
  })

  test('names the settings of the program in its messages, if they are given', () => {
    const names = { listenHost: 'HTTP_HOST', publicUrl: 'PUBLIC_URL', allowedHosts: 'ALLOWED_HOSTS' }
    const build = (options: Partial<HostPolicyOptions>) =>
      createHostPolicy({ listenHost: '127.0.0.1', publicUrl: '', allowedHosts: [], names, ...options })
    expect(() => build({ listenHost: 'a b' })).toThrow(/^HTTP_HOST must hold host names such as/)
    expect(() => build({ publicUrl: 'a.example' })).toThrow(/^PUBLIC_URL must be a plain http or https URL/)
    expect(() => build({ allowedHosts: ['*'] })).toThrow(/^ALLOWED_HOSTS must hold host names such as/)
    const policy = build({})
    expect(checkHostAndOrigin({ host: 'evil.example' }, policy)).toMatchObject({
      kind: 'host',
      status: 403,
      reason: 'Host not allowed; the operator of the server can add it to ALLOWED_HOSTS',
    })
    expect(checkHostAndOrigin({ host: 'localhost', origin: 'null' }, policy)).toMatchObject({
      kind: 'origin',
      status: 403,
      reason: 'Origin not allowed; the operator of the server can add its host to ALLOWED_HOSTS',
    })
  })
})

test('no text counts as loopback that a URL parser resolves elsewhere', () => {
  const piece = fc.constantFrom(
    'localhost',
    '127.0.0.1',
    '[::1]',
    '.',
    ':',
    '@',
    '/',
    '\\',
    '#',
    '?',
    '8808',
    'evil',
    ' ',
  )
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
  )
  fc.assert(
    fc.property(text, (host) => {
      if (checkHostAndOrigin({ host }, local) !== undefined) return
      const url = new URL(`http://${host}/`)
      expect(isLoopback(url.hostname)).toBe(true)
      expect([url.username, url.pathname, url.search, url.hash]).toEqual(['', '/', '', ''])
    }),
    { numRuns: 2000 },
  )
})

describe('the credential', () => {
  test.each<[string, IncomingHttpHeaders, string | undefined]>([
    ['a bearer token', { authorization: 'Bearer abc' }, 'abc'],
    ['whatever the case of the scheme', { authorization: 'bEARER  abc' }, 'abc'],
    ['the key header', { 'x-api-key': 'abc' }, 'abc'],
    ['both, when they agree', { authorization: 'Bearer abc', 'x-api-key': 'abc' }, 'abc'],
    ['none, when they differ', { authorization: 'Bearer abc', 'x-api-key': 'abd' }, undefined],
    ['the key header beside the password of a proxy', { authorization: 'Basic YTpi', 'x-api-key': 'abc' }, 'abc'],
    ['nothing', {}, undefined],
    ['an empty key', { 'x-api-key': '' }, undefined],
    ['the scheme alone', { authorization: 'Bearer' }, undefined],
    ['the scheme and a space', { authorization: 'Bearer ' }, undefined],
    ['a token without scheme', { authorization: 'abc' }, undefined],
    ['another scheme', { authorization: 'Basic abc' }, undefined],
    ['a scheme that begins like it', { authorization: 'BearerToken abc' }, undefined],
    ['a tab', { authorization: 'Bearer\tabc' }, undefined],
    ['another header', { 'x-token': 'abc', cookie: 'token=abc' }, undefined],
  ])('%s', (_, headers, expected) => {
    expect(readCredential(headers, 'X-API-Key')).toBe(expected)
  })

  test('isRefusal recognizes refusals only', () => {
    expect(isRefusal({ status: 401, reason: 'no' })).toBe(true)
    expect(isRefusal({ user: 'me', via: 'token' })).toBe(false)
  })
})

describe('on the wire', () => {
  const server = createServer({ joinDuplicateHeaders: true }, (request, response) => {
    response.writeHead(checkHostAndOrigin(request.headers, local)?.status ?? 200).end()
  })
  afterAll(() => server.close())

  test('two Host or two Origin headers are refused', async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    expect(await raw('Host: localhost')).toContain(' 200 ')
    expect(await raw('Host: localhost\r\nHost: evil.example')).toMatch(/ 40[03] /)
    expect(await raw('Host: evil.example\r\nHost: localhost')).toMatch(/ 40[03] /)
    expect(await raw('Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example')).toContain(' 403 ')
  })

  async function raw(headers: string): Promise<string> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.end(`GET / HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    return text.split('\r\n')[0] ?? ''
  }
})

test('a check takes less than two microseconds', () => {
  const headers = { host: '127.0.0.1:8808', origin: 'http://localhost:3000', authorization: 'Bearer abc' }
  const look = (): void => {
    checkHostAndOrigin(headers, local)
    readCredential(headers, 'x-api-key')
  }
  for (let round = 0; round < 20_000; round++) look()
  // The best of many runs, because other processes share the machine.
  const best = Math.min(
    ...Array.from({ length: 20 }, () => {
      const start = performance.now()
      for (let round = 0; round < 5000; round++) look()
      return (performance.now() - start) / 5
    }),
  )
  expect(best).toBeLessThan(2)
})
