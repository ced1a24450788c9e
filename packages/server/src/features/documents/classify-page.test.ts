import fc from 'fast-check'
import { expect, test } from 'vitest'

import { classifyPage, type PageClassification } from './classify-page.js'
import { createEmptySignals, type ExtractResult, type PageSignals } from './extract/extract-types.js'
import type { PageSnapshot } from './page-snapshot.js'

const SIGNALS: PageSignals = { ...createEmptySignals(3000), htmlChars: 5000, textChars: 3000 }

const extracted = (
  content: string,
  signals: Partial<PageSignals> = {},
  more: Partial<ExtractResult> = {},
): ExtractResult => ({
  kind: 'html',
  title: 'A page',
  language: '',
  published: '',
  canonical: '',
  content,
  outline: [],
  hasFragment: false,
  pageCount: 0,
  signals: { ...SIGNALS, ...signals },
  ...more,
})

const snapshot = (status = 200, more: Partial<PageSnapshot> = {}): PageSnapshot => ({
  requestedUrl: 'https://example.com/',
  finalUrl: 'https://example.com/',
  status,
  headers: new Headers(),
  contentType: 'text/html',
  bytes: Buffer.from('x'),
  source: 'http',
  truncatedBy: undefined,
  renderWaitMs: 0,
  ...more,
})

test('empty pages and statuses other than 2xx are never documents, and every other result has a reason', () => {
  const signalSets: fc.Arbitrary<Partial<PageSignals>> = fc.record({
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
  const sources = fc.constantFrom('http', 'markdown-alternate', 'browser')
  fc.assert(
    fc.property(signalSets, contents, statuses, sources, (signals, content, status, source) => {
      const classification = classifyPage(snapshot(status, { source }), extracted(content, signals))
      const isDocument = classification.status === 'ok'
      if (isDocument) expect([content.trim() !== '', status < 300]).toEqual([true, true])
      expect(classification.reason === '').toBe(isDocument)
      if (source === 'browser') expect(classification.status).not.toBe('needs_javascript')
      // With enough text, only a paywall makes the page incomplete.
      if (content.length === 5000 && status < 300)
        expect(classification.status).toBe(signals.hasPaywall === true ? 'paywall' : 'ok')
    }),
  )
})

test('a short section of a page with scripts is a document', () => {
  const section = extracted('# Hi', { scriptCount: 9, hasEmptyRoot: true }, { hasFragment: true })
  expect(classifyPage(snapshot(), section)).toMatchObject({
    status: 'ok',
    browserWouldHelp: 'no',
  } satisfies Partial<PageClassification>)
})

test('text from embedded data needs no browser, except if it is short', () => {
  const state: Partial<PageSignals> = { scriptCount: 3, hasEmptyRoot: true, isFromEmbeddedData: true }
  expect(classifyPage(snapshot(), extracted('x'.repeat(2000), state))).toMatchObject({
    status: 'ok',
    browserWouldHelp: 'no',
  } satisfies Partial<PageClassification>)
  expect(classifyPage(snapshot(), extracted('x'.repeat(500), state))).toMatchObject({
    status: 'ok',
    browserWouldHelp: 'maybe',
  } satisfies Partial<PageClassification>)
  expect(classifyPage(snapshot(), extracted('x', state))).toMatchObject({
    status: 'needs_javascript',
    browserWouldHelp: 'yes',
  } satisfies Partial<PageClassification>)
})

test('a page that only says it is loading is not a document', () => {
  for (const content of ['Loading…', '# App\n\nPlease wait while the app is loading.', '...']) {
    const shell = extracted(content, { scriptCount: 2 })
    expect(classifyPage(snapshot(), shell)).toMatchObject({
      status: 'needs_javascript',
      browserWouldHelp: 'yes',
    } satisfies Partial<PageClassification>)
    expect(classifyPage(snapshot(200, { source: 'browser', renderWaitMs: 900 }), shell)).toMatchObject({
      status: 'empty',
    })
    expect(classifyPage(snapshot(), extracted(content))).toMatchObject({
      status: 'ok',
      browserWouldHelp: 'no',
    } satisfies Partial<PageClassification>)
  }
})

test.each<[PageClassification['status'], Partial<PageSignals>, number, number]>([
  ['login', { hasLoginForm: true }, 599, 600],
  ['not_found', { saysNotFound: true }, 1499, 1500],
  ['blocked', { challenge: 'Cloudflare' }, 1499, 1500],
  ['needs_javascript', { scriptCount: 1, hasEmptyRoot: true }, 249, 250],
  ['needs_javascript', { scriptCount: 1, saysScriptsRequired: true }, 249, 250],
])('a page with little text is %s with %o', (status, signals, little, enough) => {
  expect(classifyPage(snapshot(), extracted('x'.repeat(little), signals))).toMatchObject({ status })
  expect(classifyPage(snapshot(), extracted('x'.repeat(enough), signals))).toMatchObject({ status: 'ok' })
})
