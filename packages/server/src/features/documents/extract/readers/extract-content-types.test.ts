import { expect, test } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { isPdf } from '../../../../files/file-type.js'
import type { ExtractRequest } from '../extract-types.js'
import { extractContent } from './extract-content.js'
import { readPdf } from './read-pdf.js'

function createRequest(
  text: string | Uint8Array,
  contentType: string,
  more: Partial<ExtractRequest> = {},
): ExtractRequest {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return {
    url: 'https://site.example/docs/page',
    contentType,
    bytes,
    format: 'markdown',
    fragment: '',
    ...more,
  }
}

test.each<[string, string, string, string]>([
  ['plain text', 'a < b\n  c', 'text/plain', 'text'],
  ['HTML that is sent as text', '<!doctype html><p>Hello there, you.</p>', 'text/plain', 'html'],
  ['HTML of unknown type', '<html><p>x</p></html>', '', 'html'],
  ['no markup, sent as HTML', 'just words', 'text/html', 'text'],
  ['Markdown', '# A', 'text/markdown; charset=utf-8', 'markdown'],
  ['JSON', '{"a":1}', 'application/json', 'json'],
  ['JSON with a suffix type', '{"a":1}', 'application/problem+json', 'json'],
  ['JSON sent as text', '{"a":1}', 'text/plain', 'json'],
  ['XML', '<?xml version="1.0"?><a><b/></a>', 'application/xml', 'xml'],
  ['XHTML', '<?xml version="1.0"?><!DOCTYPE html><html><body><p>x</p></body></html>', 'application/xhtml+xml', 'html'],
  ['an empty body', '', 'text/html', 'text'],
])('%s', async (_, text, contentType, kind) => {
  expect((await extractContent(createRequest(text, contentType))).kind).toBe(kind)
})

test('detects Markdown by the file extension', async () => {
  expect(
    (await extractContent(createRequest('# A', 'text/plain', { url: 'https://site.example/README.md' }))).kind,
  ).toBe('markdown')
})

test('text, JSON and XML are unchanged, except that JSON on one long line is indented', async () => {
  expect((await extractContent(createRequest('a\r\n\tb', 'text/plain'))).content).toBe('a\n\tb')
  expect((await extractContent(createRequest('{"b":1,\n"a":2}', 'application/json'))).content).toBe('{"b":1,\n"a":2}')
  const long = JSON.stringify({ list: Array.from({ length: 100 }, (_, at) => at) })
  expect((await extractContent(createRequest(long, 'application/json'))).content).toBe(
    JSON.stringify(JSON.parse(long), null, 2),
  )
  expect((await extractContent(createRequest('{"broken": "' + 'x'.repeat(300), 'application/json'))).content).toContain(
    '"broken"',
  )
})

const NOTES = `---
title: "The notes"
lang: de
---
# First *part*

See [this](other.md), ![it](./a.png) and \`[not](this.md)\`.

[ref]: /there "There"

\`\`\`md
# no heading
[same](x.md)
\`\`\`

## Second

Deep.

### Third

End.

# Last`

test('Markdown: resolves links outside of code and finds headings', async () => {
  const { content, outline, title, language } = await extractContent(createRequest(NOTES, 'text/markdown'))
  expect(content).toContain(
    'See [this](https://site.example/docs/other.md), ![it](https://site.example/docs/a.png) and `[not](this.md)`.',
  )
  expect(content).toContain('[ref]: https://site.example/there "There"')
  expect(content).toContain('[same](x.md)')
  expect([title, language]).toEqual(['The notes', 'de'])
  expect(outline.map(({ level, title: name, id }) => [level, name, id])).toEqual([
    [1, 'First part', 'first-part'],
    [2, 'Second', 'second'],
    [3, 'Third', 'third'],
    [1, 'Last', 'last'],
  ])
})

test('Markdown: a section', async () => {
  const { content, hasFragment } = await extractContent(createRequest(NOTES, 'text/markdown', { fragment: 'second' }))
  expect([content, hasFragment]).toEqual(['## Second\n\nDeep.\n\n### Third\n\nEnd.', true])
})

test.each([
  [
    'RSS',
    '<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://site.example/</link><description>All of it</description><language>en</language><item><title>One &amp; two</title><link>https://site.example/1</link><pubDate>Tue, 03 Mar 2026 10:00:00 GMT</pubDate><description>&lt;p&gt;Some &lt;b&gt;bold&lt;/b&gt; words, &lt;a href="/x"&gt;here&lt;/a&gt;&lt;/p&gt;</description></item></channel></rss>',
  ],
  [
    'Atom',
    '<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><subtitle>All of it</subtitle><link href="https://site.example/"/><entry><title>One &amp; two</title><link href="https://site.example/1"/><updated>2026-03-03T10:00:00Z</updated><content type="html">&lt;p&gt;Some &lt;b&gt;bold&lt;/b&gt; words, &lt;a href="/x"&gt;here&lt;/a&gt;&lt;/p&gt;</content></entry></feed>',
  ],
])('reads a feed: %s', async (_, xml) => {
  const { kind, title, content } = await extractContent(createRequest(xml, 'application/xml'))
  expect([kind, title]).toEqual(['feed', 'News'])
  expect(content).toBe(
    '# News\n\nAll of it\n\n## [One & two](https://site.example/1)\n\n2026-03-03\n\nSome **bold** words, [here](https://site.example/x)',
  )
})

/** A PDF with one line of text on each page. */
function pdf(pages: number, extra = ''): Uint8Array {
  const parts: string[] = []
  const kids = Array.from({ length: pages }, (_, at) => `${4 + at * 2} 0 R`).join(' ')
  parts.push(
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  )
  for (let at = 0; at < pages; at++) {
    const stream = `BT /F1 24 Tf 72 700 Td (Line on page ${at + 1}) Tj ET`
    parts.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + at * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    )
  }
  let text = '%PDF-1.4\n'
  const offsets = parts.map((part, at) => {
    const offset = text.length
    text += `${at + 1} 0 obj\n${part}\nendobj\n`
    return offset
  })
  const table = text.length
  text += `xref\n0 ${parts.length + 1}\n0000000000 65535 f \n${offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')}`
  return new TextEncoder().encode(
    `${text}trailer\n<< /Size ${parts.length + 1} /Root 1 0 R ${extra} >>\nstartxref\n${table}\n%%EOF`,
  )
}

test('reads a PDF page by page', async () => {
  const { kind, pageCount, content, outline } = await readPdf(createRequest(pdf(2), 'application/pdf'))
  expect([kind, pageCount]).toEqual(['pdf', 2])
  expect(content).toBe('## Page 1 of 2\n\nLine on page 1\n\n## Page 2 of 2\n\nLine on page 2')
  expect(outline.map(({ title, line }) => [title, line])).toEqual([
    ['Page 1 of 2', 0],
    ['Page 2 of 2', 4],
  ])
})

test.each<[string, string | Uint8Array, string, RegExp]>([
  ['a truncated PDF', pdf(1).subarray(0, 40), 'application/pdf', /is a PDF that cannot be read.*damaged or truncated/],
  [
    'an encrypted PDF',
    pdf(
      1,
      '/Encrypt << /Filter /Standard /V 1 /R 2 /O <28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A> /U <28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697B> /P -44 >> /ID [<00> <00>]',
    ),
    'application/pdf',
    /protected by a password/,
  ],
  [
    'a picture',
    Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]),
    'text/html',
    /is a PNG image \(10 bytes, sent as text\/html\).*ReadImage/,
  ],
  ['an archive', Uint8Array.from([0x50, 0x4b, 3, 4, 0, 0]), 'application/zip', /is a ZIP archive/],
  ['noise', Uint8Array.from({ length: 400 }, (_, at) => (at * 37) % 256), 'text/plain', /is binary data/],
])('refuses %s and says what it is', async (_, bytes, contentType, message) => {
  const request = createRequest(bytes, contentType)
  const result = isPdf(request.bytes) ? readPdf(request) : extractContent(request)
  await expect(result).rejects.toThrow(Failure)
  await expect(result).rejects.toThrow(message)
})
