// Canonical keys of URLs.

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { bareHost, canonicalUrl, stripTracking } from './canonical-url.js'

const keyOf = (url: string): string | undefined => canonicalUrl(url)?.key

test('URLs of one page have the same key', () => {
  const key = 'example.org/a/b?x=1&y=2'
  for (const url of [
    'https://example.org/a/b?x=1&y=2',
    'http://www.Example.org:80/a/b/?y=2&x=1',
    'https://m.example.org:443/a/b/index.html?utm_source=z&x=1&y=2#part',
    'https://amp.www.example.org/a/%62?x=1&&y=2&fbclid=abc&GCLID=d',
  ]) {
    expect(keyOf(url), url).toBe(key)
  }
})

test('URLs of different pages have different keys', () => {
  for (const [one, other] of [
    ['https://example.org/a', 'https://example.org/b'],
    ['https://example.org/Js', 'https://example.org/js'],
    ['https://example.org/a%2Fb', 'https://example.org/a/b'],
    ['https://example.org/a%3Fb', 'https://example.org/a?b'],
    ['https://example.org/%2561', 'https://example.org/a'],
    ['https://example.org/?id=1', 'https://example.org/?id=2'],
    ['https://example.org/#!one', 'https://example.org/#!two'],
    ['https://example.org:8443/', 'https://example.org/'],
    ['https://m.com/', 'https://com.org/'],
  ] as const) {
    expect(keyOf(one), one).not.toBe(keyOf(other))
  }
})

test('URLs other than HTTP(S) have no key', () => {
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'ftp://example.org/', 'example.org', '', '//x']) {
    expect(keyOf(url), url).toBeUndefined()
  }
})

const urls = fc.webUrl({ withQueryParameters: true, withFragments: true })
const tracking = fc.constantFrom(
  'utm_source=a',
  'utm_campaign=%20',
  'gclid=1',
  'fbclid=x',
  'msclkid=9',
  'mc_eid=2',
  'si=q',
)

test('a key is its own key, and tracking parameters do not change it', () => {
  fc.assert(
    fc.property(urls, tracking, (url, mark) => {
      const key = keyOf(url)
      expect(keyOf(`https://${key}`)).toBe(key)
      const marked = new URL(url)
      marked.search = marked.search === '' ? `?${mark}` : `${marked.search}&${mark}`
      expect(keyOf(marked.href)).toBe(key)
      expect(keyOf(stripTracking(marked.href))).toBe(key)
      expect(stripTracking(marked.href)).not.toContain(mark)
    }),
    { numRuns: 500 },
  )
})

test('any path and query has a stable key', () => {
  const rough = fc
    .string({ unit: 'binary', maxLength: 40 })
    .filter((text) => URL.canParse(`https://example.org/${text}`))
  fc.assert(
    fc.property(rough, (text) => {
      const key = keyOf(`https://example.org/${text}`)
      expect(keyOf(`https://${key}`)).toBe(key)
    }),
    { numRuns: 1000 },
  )
})

test('a generic subdomain is kept if nothing else remains', () => {
  expect(['www.com', 'm.org', 'www.m.example.org', 'amp.dev'].map(bareHost)).toEqual([
    'www.com',
    'm.org',
    'example.org',
    'amp.dev',
  ])
})
