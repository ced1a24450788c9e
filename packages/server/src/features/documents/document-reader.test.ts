// Deadlines of a read when a dependency hangs, cancellation, isolation of users and the concurrency limit.

import { expect, test } from 'vitest'

import { createDocumentReader, type DocumentReadContext, type DocumentReaderDeps } from './document-reader.js'
import { parseDocumentRequest } from './document-request.js'
import { createEmptySignals, type ExtractResult } from './extract/extract-types.js'
import type { PageSnapshot } from './page-fetcher.js'

const never = (): Promise<never> => new Promise(() => {})
const close = (): Promise<void> => Promise.resolve()
const createContext = (): DocumentReadContext => ({
  user: 'me',
  client: '',
  signal: new AbortController().signal,
  reportProgress: () => {},
})
const request = parseDocumentRequest({ url: 'https://example.com/' })

const SNAPSHOT: PageSnapshot = {
  requestedUrl: request.url,
  finalUrl: request.url,
  status: 200,
  headers: new Headers(),
  contentType: 'text/html',
  bytes: Buffer.from('<p>Few words</p><script></script>'),
  source: 'http',
  truncatedBy: undefined,
  renderWaitMs: 0,
}

const EXTRACTED: ExtractResult = {
  kind: 'html',
  title: '',
  language: '',
  published: '',
  canonical: '',
  content: 'Few words',
  outline: [],
  hasFragment: false,
  pageCount: 0,
  signals: { ...createEmptySignals(9), htmlChars: 33, textChars: 9, scriptCount: 1 },
}

const DEPS: DocumentReaderDeps = {
  fetchPage: () => Promise.resolve(SNAPSHOT),
  extractor: { read: () => Promise.resolve(EXTRACTED), close },
  browser: { render: never, close },
  patterns: () => Promise.reject(new Error('no patterns here')),
  maxChars: 1000,
  totalMs: 6200,
}

test('times out if the server or the extractor hangs', async () => {
  const hanging: Partial<DocumentReaderDeps>[] = [{ fetchPage: never }, { extractor: { read: never, close } }]
  const reads = hanging.map((part) =>
    createDocumentReader({ ...DEPS, ...part, totalMs: 50 }).read(request, createContext()),
  )
  const timeout = { reason: { kind: 'timeout' } }
  expect(await Promise.allSettled(reads)).toMatchObject([timeout, timeout])
})

test('returns the HTTP result if the browser hangs', { tags: ['long'] }, async () => {
  const { excerpt, notes } = await createDocumentReader(DEPS).read(request, createContext())
  expect(excerpt?.text).toBe('Few words')
  expect(notes).toEqual(['This is the page as fetched over HTTP; its scripts did not run. The browser took too long.'])
})

test('cancelling a read rejects at once and aborts the fetch', async () => {
  let signal: AbortSignal | undefined
  const fetchPage: DocumentReaderDeps['fetchPage'] = (_, options) => {
    signal = options.signal
    return never()
  }
  const controller = new AbortController()
  const read = createDocumentReader({ ...DEPS, fetchPage }).read(request, {
    ...createContext(),
    signal: controller.signal,
  })
  controller.abort()
  await expect(read).rejects.toMatchObject({ kind: 'aborted' })
  expect(signal?.aborted).toBe(true)
})

test('users do not share cached pages', async () => {
  let fetches = 0
  const fetchPage: DocumentReaderDeps['fetchPage'] = async () => {
    fetches++
    return { ...SNAPSHOT, bytes: Buffer.from('<p>x</p>') }
  }
  const plain: ExtractResult = { ...EXTRACTED, signals: { ...EXTRACTED.signals, scriptCount: 0 } }
  const reader = createDocumentReader({ ...DEPS, fetchPage, extractor: { read: () => Promise.resolve(plain), close } })
  for (const user of ['me', 'you', 'me', 'you']) await reader.read(request, { ...createContext(), user })
  expect(fetches).toBe(2)
})

test('limits concurrent fetches in total and per user', async () => {
  const waiting: (() => void)[] = []
  const plain: ExtractResult = { ...EXTRACTED, signals: { ...EXTRACTED.signals, scriptCount: 0 } }
  const fetchPage: DocumentReaderDeps['fetchPage'] = (finalUrl) =>
    new Promise((resolve) => waiting.push(() => resolve({ ...SNAPSHOT, requestedUrl: finalUrl, finalUrl })))
  const reader = createDocumentReader({ ...DEPS, fetchPage, extractor: { read: () => Promise.resolve(plain), close } })
  const reads = (user: string, count: number) =>
    Array.from({ length: count }, (_, at) =>
      reader.read(parseDocumentRequest({ url: `https://example.com/${user}/${at}` }), { ...createContext(), user }),
    )
  const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const greedy = reads('greedy', 50)
  await nextTick()
  expect(waiting).toHaveLength(4)
  const others = reads('modest', 1)
  await nextTick()
  expect(waiting).toHaveLength(5)
  const many = Array.from({ length: 30 }, (_, at) => reads(`user${at}`, 3)).flat()
  await nextTick()
  expect(waiting).toHaveLength(12)
  let served = 0
  while (served < 50 + 1 + 90) {
    expect(waiting.length).toBeLessThanOrEqual(12)
    served += waiting.length
    for (const respond of waiting.splice(0)) respond()
    await nextTick()
  }
  await Promise.all([...greedy, ...others, ...many])
})
