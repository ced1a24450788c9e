import fc from 'fast-check'
import { expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { type DocumentRequest, parseDocumentRequest } from './document-request.js'

const DEFAULTS: Omit<DocumentRequest, 'url' | 'find'> = {
  isClientSideRoute: false,
  fragment: '',
  format: 'markdown',
  waitMs: 0,
  cursor: undefined,
}

test.each([
  ['https://example.com/a', 'https://example.com/a', ''],
  [' <https://example.com/a> ', 'https://example.com/a', ''],
  ['example.com/a?b=c', 'https://example.com/a?b=c', ''],
  ['example.com', 'https://example.com/', ''],
  ['localhost:3000/docs', 'http://localhost:3000/docs', ''],
  ['https://example.com/a#one%20two', 'https://example.com/a', 'one two'],
  ['https://example.com/a#%', 'https://example.com/a', '%'],
  ['https://example.com/a#one:~:text=two', 'https://example.com/a', 'one'],
  ['https://example.com/a#:~:text=two', 'https://example.com/a', ''],
])('%s', (url, expected, fragment) => {
  expect(parseDocumentRequest({ url })).toEqual({ ...DEFAULTS, url: expected, fragment })
})

test.each(['https://example.com/#/a/b', 'https://example.com/#!/a'])(
  '%s is a client-side route, not a section',
  (url) => {
    expect(parseDocumentRequest({ url })).toMatchObject({
      url,
      isClientSideRoute: true,
      fragment: '',
    } satisfies Partial<DocumentRequest>)
  },
)

test('wait_ms is clamped and the format is normalized', () => {
  const clampedWait = (wait_ms: number) => parseDocumentRequest({ url: 'https://example.com', wait_ms }).waitMs
  expect([-5, 0, 700, 30_000, 1e9].map(clampedWait)).toEqual([0, 0, 700, 30_000, 30_000])
  const format = (name: string) => parseDocumentRequest({ url: 'https://example.com', format: name }).format
  expect(['', 'Markdown', ' text', 'HTML'].map(format)).toEqual(['markdown', 'markdown', 'text', 'html'])
})

test('arbitrary input yields a request or a Failure', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (url, format, cursor) => {
      try {
        expect(URL.canParse(parseDocumentRequest({ url, format, cursor }).url)).toBe(true)
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
      }
    }),
  )
})
