import fc from 'fast-check'
import { expect, test } from 'vitest'

import { FetchFailure, type FetchFailureKind } from './fetch-failure.js'
import { formatDestination, parseWebUrl, redactUrl, toDestination } from './web-url.js'

function problemOf(url: string): FetchFailureKind | undefined {
  try {
    parseWebUrl(url)
    return undefined
  } catch (error) {
    if (error instanceof FetchFailure) return error.kind
    throw error
  }
}

test.each([
  ['HTTP://EXAMPLE.com:80/a?b#c', 'http://example.com/a?b#c', 'example.com:80'],
  ['https://example.com.', 'https://example.com/', 'example.com:443'],
  ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC', 'xn--bcher-kva.example:443'],
  ['http://ｅｘａｍｐｌｅ．ｃｏｍ/', 'http://example.com/', 'example.com:80'],
  ['http:\\\\example.com\\a', 'http://example.com/a', 'example.com:80'],
  ['  https://example.com/ \n', 'https://example.com/', 'example.com:443'],
  ['http://[2001:DB8::0:1]:8080/', 'http://[2001:db8::1]:8080/', '[2001:db8::1]:8080'],
  ['http://2130706433:8000/', 'http://127.0.0.1:8000/', '127.0.0.1:8000'],
])('%j is read as %j', (given, href, destination) => {
  const url = parseWebUrl(given)
  expect([url.href, formatDestination(toDestination(url))]).toEqual([href, destination])
})

test.each([
  '',
  'example.com',
  '//example.com',
  '/etc/passwd',
  'file:///etc/passwd',
  'ftp://example.com/',
  'gopher://127.0.0.1:6379/_x',
  'data:text/html,hello',
  'javascript:alert(1)',
  'blob:http://example.com/1',
  'view-source:http://example.com',
  'chrome://settings',
  'about:blank',
  'ws://example.com',
  'http://user@example.com/',
  'http://user:password@example.com/',
  'http://:password@example.com/',
  'http://example.com@127.0.0.1/',
  'http://',
  'http:///',
  'http://exa mple.com',
  'http://a..b/',
  'http://.example.com/',
  'http://example.com../',
  'http://1.2.3.4.5/',
  'http://256.256.256.256/',
  'http://[::1/',
  'http://[fe80::1%25eth0]/',
  'http://[::1%eth0]/',
  'http://example.com:99999/',
  'http://example.com:-1/',
  `http://example.com/${'a'.repeat(2048)}`,
  `http://${'a.'.repeat(150)}com/`,
  'http://%00/',
  'http://exam%2fple.com/',
  'http://example.com\0.evil.com/',
])('%j is no address of the web', (url) => expect(problemOf(url)).toBe('bad-url'))

test.each([
  0, 1, 7, 19, 21, 22, 23, 25, 53, 110, 111, 135, 139, 143, 389, 465, 514, 587, 636, 993, 2049, 6000, 6667, 10_080,
])('port %d is refused', (port) => expect(problemOf(`http://example.com:${port}/`)).toBe('refused'))

test.each([80, 443, 3000, 5173, 8000, 8080, 8443, 65_535])('port %d is not', (port) => {
  expect(problemOf(`http://example.com:${port}/`)).toBeUndefined()
})

test('an IPv4 address is normalised, however it is written', () => {
  const part = (value: number): fc.Arbitrary<string> =>
    fc.constantFrom(
      String(value),
      `0x${value.toString(16)}`,
      `0X${value.toString(16)}`,
      `0${value.toString(8)}`,
      `000${value.toString(8)}`,
    )
  const written = fc.nat(0xffff_ffff).chain((address) => {
    const [a = 0, b = 0, c = 0, d = 0] = [24, 16, 8, 0].map((shift) => (address >>> shift) & 255)
    const low = address & 0xffff
    return fc
      .oneof(
        fc.tuple(part(a), part(b), part(c), part(d)),
        fc.tuple(part(a), part(b), part(low)),
        fc.tuple(part(a), part(address & 0xff_ffff)),
        fc.tuple(part(address)),
      )
      .chain((parts) =>
        fc.tuple(fc.constantFrom('.', '。', '．', '%2e'), fc.boolean(), fc.boolean()).map(([dot, isWide, hasDot]) => {
          const text = parts.map(isWide ? wide : String).join(dot) + (hasDot ? '.' : '')
          return { plain: [a, b, c, d].join('.'), text }
        }),
      )
  })
  fc.assert(
    fc.property(written, ({ plain, text }) => {
      expect(toDestination(parseWebUrl(`http://${text}/`)).host).toBe(plain)
    }),
  )
})

test('parsing is idempotent', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (text) => {
      fc.pre(problemOf(text) === undefined)
      const url = parseWebUrl(text)
      expect(parseWebUrl(url.href).href).toBe(url.href)
    }),
  )
})

test('a redacted URL contains no query, password or line break', () => {
  expect(redactUrl('https://u:p@example.com/a?token=1#x')).toBe('https://example.com/a')
  expect(redactUrl('not a url?token=1')).toBe('"not a url"')
  expect(redactUrl('data:text/html,secret')).toBe('data:')
  expect(redactUrl('\n\n')).toBe('"\\n\\n"')
})

function wide(text: string): string {
  return text.replace(/[\da-zA-Z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0))
}
