import { expect, test } from 'vitest'

import { tryParseUrl } from './parse-url.js'

test('a text that is no URL is undefined', () => {
  expect(tryParseUrl('/a')).toBeUndefined()
  expect(tryParseUrl('/a', 'https://example.com/b')?.href).toBe('https://example.com/a')
})

// URL.canParse of Node.js 20 and 22 refuses it as soon as the call is compiled.
test('an address with a character of Latin-1 is one, however often it is asked', () => {
  const addresses = Array.from({ length: 30_000 }, () => tryParseUrl('https://bücher.example/ü'))
  expect(addresses.filter((url) => url?.hostname !== 'xn--bcher-kva.example')).toEqual([])
})
