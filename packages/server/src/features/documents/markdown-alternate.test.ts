import { expect, test } from 'vitest'

import { startCpuClock } from '../../../../../test/support/load.js'
import { findMarkdownAlternate, guessMarkdownAlternate } from './markdown-alternate.js'
import type { PageSnapshot } from './page-snapshot.js'

const PAGE_URL = 'https://example.com/docs/start'

const page = (html: string, headers: Record<string, string> = {}, finalUrl = PAGE_URL): PageSnapshot => ({
  requestedUrl: finalUrl,
  finalUrl,
  status: 200,
  headers: new Headers(headers),
  contentType: 'text/html',
  bytes: Buffer.from(html),
  source: 'http',
  truncatedBy: undefined,
  renderWaitMs: 0,
})

test.each([
  ['a header', '', '</docs/start.md>; rel="alternate"; type="text/markdown"', '/docs/start.md'],
  [
    'a header among others',
    '',
    '</a>; rel=preload, </x.md>; type=text/markdown; rel="nofollow alternate", </b>; rel=next',
    '/x.md',
  ],
  ['a header for something else', '', '</feed>; rel="alternate"; type="application/rss+xml"', undefined],
  ['a link', '<link href="/x.md?a=1&amp;b=2" type="text/markdown" rel="alternate">', '', '/x.md?a=1&b=2'],
  ['a link without quotes', '<LINK REL=alternate TYPE=text/markdown HREF=start.md>', '', '/docs/start.md'],
  ['a feed', '<link rel="alternate" type="application/atom+xml" href="/feed">', '', undefined],
  ['a link to the page itself', `<link rel="alternate" type="text/markdown" href="${PAGE_URL}">`, '', undefined],
  [
    'an anchor to the own URL with .md',
    '<a class="x" href="/docs/start.md">View as Markdown</a>',
    '',
    '/docs/start.md',
  ],
  ['an anchor to another page', '<a href="/docs/README.md">Readme</a>', '', undefined],
  ['an anchor to another origin', '<a href="https://elsewhere.example/docs/start.md">x</a>', '', undefined],
  ['nothing', '<p>start.md</p>', '', undefined],
])('%s', (_, html, link, path) => {
  const found = findMarkdownAlternate(page(html, link === '' ? {} : { link }))
  expect(found).toBe(path === undefined ? undefined : `https://example.com${path}`)
})

test.each([
  ['https://example.com/docs/start', 'https://example.com/docs/start.md'],
  ['https://example.com/docs/start/?q=1', 'https://example.com/docs/start.md'],
  ['https://example.com/docs/start.html', 'https://example.com/docs/start.md'],
  ['https://example.com/', undefined],
  ['https://example.com/app.js', undefined],
  ['https://example.com/start.md', undefined],
])('the Markdown version of %s is %s', (url, alternate) => {
  expect(guessMarkdownAlternate(url)).toBe(alternate)
})

test('scans a page of unclosed tags quickly', () => {
  for (const opening of ['<a ', '<link ', '<a href=', '<link rel=alternate type=text/markdown ']) {
    expect(findMarkdownAlternate(page(opening.repeat(200_000)))).toBeUndefined()
  }
})

test.each(['<', '</a>;rel=', '</a>;', ';rel=', ' ', '"', ';"', '<>', '</a>; a="', '<a>;rel=rel'])(
  'scans a header of 120,000 characters of %j in linear time',
  (part) => {
    const link = `</a>;${part.repeat(Math.ceil(120_000 / part.length))}`
    const cpuMs = startCpuClock()
    findMarkdownAlternate(page('', { link: link.trim() }))
    expect(cpuMs()).toBeLessThan(1000)
  },
)

test.each(['<link ', '<link rel=', '<link type=text/markdown rel=rel=', '<a ', '<a href=', '<a href=href=x', 'rel='])(
  'scans a page of %j in linear time',
  (part) => {
    const html = `<link type=text/markdown ${part.repeat(Math.ceil(200_000 / part.length))}`
    const cpuMs = startCpuClock()
    findMarkdownAlternate(page(html))
    findMarkdownAlternate(page(html.replaceAll(part.repeat(100), `${part.repeat(100)}>`)))
    expect(cpuMs()).toBeLessThan(2000)
  },
)
