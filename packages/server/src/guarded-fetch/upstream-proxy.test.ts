import { expect, test } from 'vitest'

import { FetchFailure } from './fetch-failure.js'
import { selectUpstreamProxy } from './upstream-proxy.js'

const NONE = { override: '', http: '', https: '', bypass: '' }
const ENVIRONMENT = { ...NONE, http: 'http://plain:3128', https: 'https://user:p%40ss@secure' }
const SITE = { host: 'www.example.com', port: 443 }

test('without settings there is no proxy', () => {
  expect(selectUpstreamProxy(NONE, SITE, true)).toBeUndefined()
})

test('the environment sets one proxy for each protocol', () => {
  expect(selectUpstreamProxy(ENVIRONMENT, SITE, false)).toEqual({
    destination: { host: 'plain', port: 3128 },
    isSecure: false,
    authorization: '',
  })
  expect(selectUpstreamProxy(ENVIRONMENT, SITE, true)).toEqual({
    destination: { host: 'secure', port: 443 },
    isSecure: true,
    authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
  })
})

test('the setting takes precedence over the environment and its exceptions', () => {
  const settings = { ...ENVIRONMENT, bypass: '*', override: 'mine:8080' }
  expect(selectUpstreamProxy(settings, SITE, true)).toMatchObject({ destination: { host: 'mine', port: 8080 } })
  expect(selectUpstreamProxy({ ...ENVIRONMENT, override: 'off' }, SITE, true)).toBeUndefined()
})

test.each([
  ['*', 'www.example.com', 443, true],
  ['example.com', 'www.example.com', 443, true],
  ['.example.com', 'www.example.com', 443, true],
  ['*.example.com', 'www.example.com', 443, true],
  ['example.com', 'example.com', 443, true],
  ['EXAMPLE.com.', 'example.com', 443, true],
  ['a, example.com b', 'example.com', 443, true],
  ['ample.com', 'example.com', 443, false],
  ['example.com', 'example.com.evil.org', 443, false],
  ['example.com:8443', 'example.com', 443, false],
  ['example.com:443', 'example.com', 443, true],
  ['10.0.0.0/8', '10.1.2.3', 80, true],
  ['10.0.0.0/8', '11.1.2.3', 80, false],
  ['10.0.0.0/8', '::1', 80, false],
  ['10.1.2.3', '10.1.2.3', 80, true],
  ['2.3', '10.1.2.3', 80, false],
  ['::1', '::1', 80, true],
  ['[::1]:80', '::1', 80, true],
  ['[::1]:81', '::1', 80, false],
  ['fd00::/8', 'fd12::1', 80, true],
  ['10.0.0.0/99', '10.1.2.3', 80, false],
  ['', 'example.com', 443, false],
  ['.', 'example.com', 443, false],
])('NO_PROXY=%s and %s:%d', (bypass, host, port, isBypassed) => {
  const found = selectUpstreamProxy({ ...ENVIRONMENT, bypass }, { host, port }, true)
  expect(found === undefined).toBe(isBypassed)
})

test.each(['socks5://user:secret@proxy:1080', 'ftp://proxy', 'http://', 'http://[', ':::'])(
  '%s is an unusable proxy, and is never bypassed',
  (override) => {
    const ask = (): unknown => selectUpstreamProxy({ ...NONE, override }, SITE, true)
    expect(ask).toThrow(FetchFailure)
    expect(ask).toThrow(/FETCH_PROXY/)
    expect(ask).not.toThrow(/secret/)
  },
)
