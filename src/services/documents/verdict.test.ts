import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { Copy } from './copy.js'
import type { Evidence, Reading } from './extract/extractor.js'
import { noEvidence } from './extract/no-evidence.js'
import { judge } from './verdict.js'

const EVIDENCE: Evidence = { ...noEvidence(3000), htmlChars: 5000, textChars: 3000 }

const reading = (content: string, evidence: Partial<Evidence> = {}, more: Partial<Reading> = {}): Reading => ({
  kind: 'html',
  title: 'A page',
  language: '',
  published: '',
  canonical: '',
  content,
  outline: [],
  hasFragment: false,
  pages: 0,
  evidence: { ...EVIDENCE, ...evidence },
  ...more,
})

const copy = (status = 200, more: Partial<Copy> = {}): Copy => ({
  asked: 'https://example.com/',
  url: 'https://example.com/',
  status,
  headers: new Headers(),
  contentType: 'text/html',
  bytes: Buffer.from('x'),
  way: 'http',
  cut: undefined,
  waitedMs: 0,
  ...more,
})

test('nothing empty and no other status than 2xx is ever a document, and whatever is none is explained', () => {
  const evidences = fc.record({
    htmlChars: fc.nat(100_000),
    textChars: fc.nat(5000),
    scripts: fc.nat(5),
    hasEmptyRoot: fc.boolean(),
    asksForScripts: fc.boolean(),
    isFromState: fc.boolean(),
    challenge: fc.constantFrom('', 'Cloudflare'),
    hasLoginForm: fc.boolean(),
    hasPaywall: fc.boolean(),
    saysNotFound: fc.boolean(),
  })
  const contents = fc.constantFrom('', ' \n\t', 'x', 'x'.repeat(400), 'x'.repeat(5000))
  const statuses = fc.constantFrom(200, 203, 204, 304, 400, 401, 402, 403, 404, 410, 418, 429, 451, 500, 503, 599)
  const ways = fc.constantFrom('http', 'twin', 'browser')
  fc.assert(
    fc.property(evidences, contents, statuses, ways, (evidence, content, status, way) => {
      const verdict = judge(copy(status, { way }), reading(content, evidence))
      const isDocument = verdict.status === 'ok'
      if (isDocument) expect([content.trim() !== '', status < 300]).toEqual([true, true])
      expect(verdict.seen === '').toBe(isDocument)
      if (way === 'browser') expect(verdict.status).not.toBe('needs_javascript')
      // With enough text only a paywall makes a page less than a page.
      if (content.length === 5000 && status < 300) expect(verdict.status).toBe(evidence.hasPaywall ? 'paywall' : 'ok')
    }),
  )
})

test('a short section of a page with scripts is a document', () => {
  const section = reading('# Hi', { scripts: 9, hasEmptyRoot: true }, { hasFragment: true })
  expect(judge(copy(), section)).toMatchObject({ status: 'ok', scripts: 'no' })
})

test('text that was found in the data for scripts need not be rendered, unless there is little of it', () => {
  const state = { scripts: 3, hasEmptyRoot: true, isFromState: true }
  expect(judge(copy(), reading('x'.repeat(2000), state))).toMatchObject({ status: 'ok', scripts: 'no' })
  expect(judge(copy(), reading('x'.repeat(500), state))).toMatchObject({ status: 'ok', scripts: 'perhaps' })
  expect(judge(copy(), reading('x', state))).toMatchObject({ status: 'needs_javascript', scripts: 'needed' })
})

test('a page that only says that it is loading is none, in the browser and out of it', () => {
  for (const content of ['Loading…', '# App\n\nPlease wait while the app is loading.', '...']) {
    const shell = reading(content, { scripts: 2 })
    expect(judge(copy(), shell)).toMatchObject({ status: 'needs_javascript', scripts: 'needed' })
    expect(judge(copy(200, { way: 'browser', waitedMs: 900 }), shell)).toMatchObject({ status: 'empty' })
    expect(judge(copy(), reading(content))).toMatchObject({ status: 'ok', scripts: 'no' })
  }
})

test.each([
  ['login', { hasLoginForm: true }, 599, 600],
  ['not_found', { saysNotFound: true }, 1499, 1500],
  ['blocked', { challenge: 'Cloudflare' }, 1499, 1500],
  ['needs_javascript', { scripts: 1, hasEmptyRoot: true }, 249, 250],
  ['needs_javascript', { scripts: 1, asksForScripts: true }, 249, 250],
] as const)('it is %s with %o as long as there is little text', (status, evidence, little, enough) => {
  expect(judge(copy(), reading('x'.repeat(little), evidence))).toMatchObject({ status })
  expect(judge(copy(), reading('x'.repeat(enough), evidence))).toMatchObject({ status: 'ok' })
})
