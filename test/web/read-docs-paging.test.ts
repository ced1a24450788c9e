// Long documents: pages that form the whole document, an outline, and sections by name.

import { afterAll, beforeAll, expect, test } from 'vitest'

import { startServer, type TestClient, type ToolResult } from '../support/client.js'
import { article, fenced, openReader, openSite, page, quoted, readDocs, send, type Site } from './site.js'

const MAX = 4000

let site: Site
let client: TestClient

beforeAll(async () => {
  site = await openSite()
  client = await openReader(site, { READDOCS_MAX_CHARS: String(MAX) })
})

afterAll(async () => {
  await client?.close()
  await site?.close()
})

const SECTIONS = Array.from({ length: 40 }, (_, at) => {
  const code = Array.from({ length: 12 }, (_unused, line) => `line_${at}_${line}()`).join('\n')
  return `## Section ${at}\n\n${'Words about it. '.repeat(12).trim()}\n\n\`\`\`py\n${code}\n\`\`\`\n\n| a | b |\n| --- | --- |\n| ${at} | x |`
})
const BOOK = `# A long book\n\n${SECTIONS.join('\n\n')}\n`

const serveBook = (path: string, text = BOOK, caching = 'no-store'): string =>
  site.add(path, (_, response) => send(response, 200, 'text/markdown', text, { 'cache-control': caching }))

async function walk(url: string, more: object = {}): Promise<readonly ToolResult[]> {
  const pages: ToolResult[] = []
  for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.structured.cursor ?? null) {
    const result = await readDocs(client, url, { ...more, ...(cursor !== '' && { cursor }) })
    expect(result.isError).toBe(false)
    pages.push(result)
    if (pages.length > 100) throw new Error('it does not come to an end')
  }
  return pages
}

test('reading on until the end returns the whole document, with one request', async () => {
  const url = serveBook('/book')
  const pages = await walk(url)
  expect(pages.length).toBeGreaterThan(3)
  expect(pages.map(quoted).join('\n')).toBe(BOOK.trim())
  for (const result of pages) {
    expect(quoted(result).length).toBeLessThanOrEqual(MAX)
    expect((quoted(result).match(/^```/gm) ?? []).length % 2).toBe(0)
  }
  expect(site.hits('/book')).toBe(1)
  expect(pages[0]?.text).toMatch(
    /\[Lines 1–\d+ of \d+\. Next: the same call with cursor: "[0-9a-z]+\.[0-9a-f]{8}"\. One section: url#name\. Search: find\.\]\n$/,
  )
  expect(pages.at(-1)?.text).toMatch(/\[Lines \d+–(\d+) of \1\. This is the end\.\]\n$/)
})

test('the first page has the outline of the whole, and its names select sections', async () => {
  const url = serveBook('/outlined', BOOK, 'max-age=60')
  const [first, second] = await walk(url)
  const outline = first === undefined ? '' : fenced(first)
  expect(outline).toMatch(/^Outline:\n- A long book #a-long-book\n {2}- Section 0 #section-0\n/)
  expect(outline).toContain('- Section 39 #section-39')
  expect(second?.text).not.toContain('Outline:')
  const result = await readDocs(client, `${url}#section-17`)
  expect(quoted(result)).toBe(SECTIONS[17])
  expect(site.hits('/outlined')).toBe(1)
})

test('a section of an HTML page is found by its id; a missing one returns the outline and similar names', async () => {
  const sections = ['install', 'configure', 'deploy'].map(
    (id) => `<h2 id="${id}">How to ${id}</h2><p>All about ${id}: ${'more words. '.repeat(10)}</p>`,
  )
  const url = site.add('/handbook', article('Handbook', sections.join('')))
  const text = quoted(await readDocs(client, `${url}#configure`))
  expect(text).toContain('All about configure')
  expect(text).not.toContain('All about install')
  const result = await readDocs(client, `${url}#instal`)
  expect(result).toMatchObject({ isError: true, structured: { status: 'no_section', cursor: null } })
  expect(result.text).toMatch(/^no_section: There is no section #instal on this page\. .*find searches/)
  expect(fenced(result)).toBe(
    'Similar: #install\n\nOutline:\n- Handbook #handbook\n  - How to install #install\n  - How to configure #configure\n  - How to deploy #deploy',
  )
  expect(quoted(await readDocs(client, `${url}#:~:text=deploy`))).toContain('All about install')
})

test('a code block longer than a page is closed and opened again', async () => {
  const lines = Array.from({ length: 600 }, (_, at) => `let value_${at} = compute(${at})`)
  const url = serveBook('/code', `# Code\n\n\`\`\`js\n${lines.join('\n')}\n\`\`\`\n`)
  const pages = (await walk(url)).map(quoted)
  for (const text of pages.slice(1)) expect(text).toMatch(/^```js\n/)
  for (const text of pages) expect(text).toMatch(/```$/)
  expect(pages.flatMap((text) => text.split('\n')).filter((line) => line.startsWith('let'))).toEqual(lines)
})

test('a cursor outlives its server, and a changed page is detected', async () => {
  let text = BOOK
  const url = site.add('/changing', (_, response) => send(response, 200, 'text/markdown', text))
  const { structured } = await readDocs(client, url)
  const other = await openReader(site, { READDOCS_MAX_CHARS: String(MAX) })
  try {
    const same = await readDocs(other, url, { cursor: structured.cursor })
    expect(quoted(same)).toBe(quoted(await readDocs(client, url, { cursor: structured.cursor })))
    expect(same.text).not.toContain('cursor does not match this content')
  } finally {
    await other.close()
  }
  text = `# News\n\n${BOOK}`
  const third = await openReader(site, { READDOCS_MAX_CHARS: String(MAX) })
  try {
    const result = await readDocs(third, url, { cursor: structured.cursor })
    expect(result.isError).toBe(false)
    expect(result.text).toContain('[The cursor does not match this content')
    text = 'short now'
    const fourth = await readDocs(third, `${url}?fresh`, { cursor: structured.cursor })
    expect(fourth).toMatchObject({
      isError: true,
      text: expect.stringMatching(/cursor is past the end of the document: the page has changed/),
    })
  } finally {
    await third.close()
  }
})

test('a line longer than a page is returned in parts', async () => {
  const line = 'word '.repeat(3000).trim()
  const url = site.add('/one-line', (_, response) => send(response, 200, 'text/plain', line))
  expect((await walk(url)).map(quoted).join('')).toBe(line)
})

test('HTML and plain text are paginated too', async () => {
  const rows = Array.from(
    { length: 200 },
    (_, at) => `<p>Paragraph ${at} of a page with many of them, and a few more words.</p>`,
  )
  const url = site.add('/many', page('Many', `<main><h1>Many</h1>${rows.join('')}</main>`))
  for (const format of ['html', 'text']) {
    const all = (await walk(url, { format })).map(quoted).join('\n')
    for (const at of [0, 99, 199]) expect(all).toContain(`Paragraph ${at} of a page`)
  }
})

test('a fragment of a document without headings returns its text with a note', async () => {
  const url = site.add('/lines.txt', (_, response) => send(response, 200, 'text/plain', 'one\ntwo'))
  const result = await readDocs(client, `${url}#L2`)
  expect(result.isError).toBe(false)
  expect(quoted(result)).toBe('one\ntwo')
  expect(result.text).toContain('[There is no section #L2: this document has no headings.]')
})

test('an entry of a feed is a section', async () => {
  const items = ['First', 'Second'].map(
    (title) => `<item><title>${title} news</title><description>All about ${title}.</description></item>`,
  )
  const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title>${items.join('')}</channel></rss>`
  const url = site.add('/feed.xml', (_, response) => send(response, 200, 'application/rss+xml', feed))
  const text = quoted(await readDocs(client, `${url}#second-news`))
  expect(text).toContain('All about Second.')
  expect(text).not.toContain('All about First.')
})

test('a page far beyond the limit returns its outline and a short beginning; the cursor reads on in full pages', async () => {
  const url = serveBook('/very-long')
  const [first, second] = await walk(url)
  expect(first === undefined ? '' : fenced(first)).toMatch(/^Outline:\n- A long book #a-long-book\n/)
  expect([first, second].map((result) => (result === undefined ? 0 : quoted(result).length > MAX / 4))).toEqual([
    false,
    true,
  ])
})

test('a client that truncates results gets pages within its limit', async () => {
  const paragraphs = '<p>A sentence of some length, as there are many.</p>'.repeat(300)
  const url = site.add('/for-cutting-clients', page('Long', `<main><h1>Long</h1>${paragraphs}</main>`))
  const reader = startServer({ env: { FETCH_ALLOW: site.host, BROWSER_PATH: 'off' } })
  const clientInfo = { name: 'qwen-code-mcp-client', version: '1' }
  await reader.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  const first = await readDocs(reader, url)
  const second = await readDocs(reader, url, { cursor: first.structured.cursor })
  for (const { text } of [first, second]) {
    expect(text.length, text).toBeLessThan(6000)
    expect(text).toMatch(/cursor: "[^"]+"/)
  }
  await reader.close()
})
