import { expect, test } from 'vitest'

import { parseAllowList } from './address-policy.js'

test('exactly the listed destinations are allowed, however they are written', () => {
  const list = parseAllowList('localhost:3000, LocalHost.:80\n10.0.0.5:80,[0:0::1]:8080 127.1:9000')
  expect(list.warnings).toEqual([])
  const paths = [
    ['localhost', 3000],
    ['localhost', 80],
    ['10.0.0.5', 80],
    ['::1', 8080],
    ['127.0.0.1', 9000],
  ] as const
  for (const [host, port] of paths) expect(list.has({ host, port })).toBe(true)
  for (const [host, port] of paths) expect(list.has({ host, port: port + 1 })).toBe(false)
  for (const host of ['127.0.0.1', 'a.localhost', 'localhost.a', '::1', '*'])
    expect(list.has({ host, port: 3000 })).toBe(false)
})

test.each([
  'localhost',
  'localhost:',
  ':3000',
  '*:3000',
  '*',
  '*.example.com:80',
  '10.0.0.0/8:80',
  '10.0.0.0/8',
  'http://localhost:3000',
  'localhost:3000/path',
  'user@localhost:3000',
  'localhost:http',
  'localhost:70000',
  'localhost:22',
  '::1:8080',
  '[::1]',
  '[::g]:80',
  'a b:80',
  '256.1.1.1:80',
])('%j allows nothing and is reported', (entry) => {
  const list = parseAllowList(entry)
  expect(list.warnings.length).toBeGreaterThan(0)
  expect(list.warnings[0]).toMatch(/^FETCH_ALLOW: ".*" allows nothing/)
  for (const host of ['localhost', '127.0.0.1', '::1', '10.0.0.0', '*']) {
    for (const port of [22, 80, 443, 3000, 8080])
      expect(list.has({ host, port })).toBe(entry === 'a b:80' && host === 'b')
  }
})

test('an empty list allows nothing and causes no warning', () => {
  expect(parseAllowList(' , ').warnings).toEqual([])
})
