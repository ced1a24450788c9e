// What is left when a part of it hangs, whatever was promised: the time is kept, and what an earlier rung had is given.

import { expect, test } from 'vitest'

import type { Copy } from './copy.js'
import { createDocuments, type Means } from './documents.js'
import type { Reading } from './extract/extractor.js'
import { noEvidence } from './extract/no-evidence.js'
import { readWish } from './wish.js'

const never = (): Promise<never> => new Promise(() => {})
const close = (): Promise<void> => Promise.resolve()
const reader = () => ({ user: 'me', client: '', signal: new AbortController().signal, tell: () => {} })
const wish = readWish({ url: 'https://example.com/' })

const COPY: Copy = {
  asked: wish.url,
  url: wish.url,
  status: 200,
  headers: new Headers(),
  contentType: 'text/html',
  bytes: Buffer.from('<p>Few words</p><script></script>'),
  way: 'http',
  cut: undefined,
  waitedMs: 0,
}

const READING: Reading = {
  kind: 'html',
  title: '',
  language: '',
  published: '',
  canonical: '',
  content: 'Few words',
  outline: [],
  hasFragment: false,
  pages: 0,
  evidence: { ...noEvidence(9), htmlChars: 33, textChars: 9, scripts: 1 },
}

const MEANS: Means = {
  ask: () => Promise.resolve(COPY),
  extractor: { read: () => Promise.resolve(READING), close },
  browser: { render: never, close },
  maxChars: 1000,
  totalMs: 6200,
}

test('a server, and a thread, that hang', async () => {
  const hanging = [{ ask: never }, { extractor: { read: never, close } }]
  const reads = hanging.map((part) => createDocuments({ ...MEANS, ...part, totalMs: 50 }).read(wish, reader()))
  const timeout = { reason: { problem: 'timeout' } }
  expect(await Promise.allSettled(reads)).toMatchObject([timeout, timeout])
})

test('a browser that hangs does not lose what plain HTTP had', { tags: ['long'] }, async () => {
  const { extract, notes } = await createDocuments(MEANS).read(wish, reader())
  expect(extract?.text).toBe('Few words')
  expect(notes).toEqual(['This is what plain HTTP gave, without its scripts. The browser took too long.'])
})

test('who leaves is let go at once, and the work with him', async () => {
  let signal: AbortSignal | undefined
  const ask: Means['ask'] = (_, how) => {
    signal = how.signal
    return never()
  }
  const leaving = new AbortController()
  const read = createDocuments({ ...MEANS, ask }).read(wish, { ...reader(), signal: leaving.signal })
  leaving.abort()
  await expect(read).rejects.toMatchObject({ problem: 'aborted' })
  expect(signal?.aborted).toBe(true)
})

test('what one user has read is not given to another', async () => {
  let asked = 0
  const ask: Means['ask'] = async () => {
    asked++
    return { ...COPY, bytes: Buffer.from('<p>x</p>') }
  }
  const plain = { ...READING, evidence: { ...READING.evidence, scripts: 0 } }
  const documents = createDocuments({ ...MEANS, ask, extractor: { read: () => Promise.resolve(plain), close } })
  for (const user of ['me', 'you', 'me', 'you']) await documents.read(wish, { ...reader(), user })
  expect(asked).toBe(2)
})

test('only so many pages are on their way at once, and who wants many keeps nobody else waiting', async () => {
  const waiting: (() => void)[] = []
  const plain = { ...READING, evidence: { ...READING.evidence, scripts: 0 } }
  const ask: Means['ask'] = (url) => new Promise((resolve) => waiting.push(() => resolve({ ...COPY, asked: url, url })))
  const documents = createDocuments({ ...MEANS, ask, extractor: { read: () => Promise.resolve(plain), close } })
  const reads = (user: string, many: number) =>
    Array.from({ length: many }, (_, at) =>
      documents.read(readWish({ url: `https://example.com/${user}/${at}` }), { ...reader(), user }),
    )
  const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const greedy = reads('greedy', 50)
  await moment()
  expect(waiting.length).toBe(4)
  const others = reads('modest', 1)
  await moment()
  expect(waiting.length).toBe(5)
  const many = Array.from({ length: 30 }, (_, at) => reads(`user${at}`, 3)).flat()
  await moment()
  expect(waiting.length).toBe(12)
  let served = 0
  while (served < 50 + 1 + 90) {
    expect(waiting.length).toBeLessThanOrEqual(12)
    served += waiting.length
    for (const answer of waiting.splice(0)) answer()
    await moment()
  }
  await Promise.all([...greedy, ...others, ...many])
})
