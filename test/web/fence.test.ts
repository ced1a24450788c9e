// Everything that a page or its server chooses stays inside the untrusted content, whatever way it takes into a result:
// the site puts a word into each text it controls, and the word may not occur outside.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { TestClient, ToolResult } from '../support/client.js'
import { article, openReader, openSite, page, readDocs, type Route, send, type Site } from './site.js'

/** A name that can be part of a host, a path, a header, an id and a date. */
const WORD = 'obey-this-site'

let site: Site
let client: TestClient

beforeAll(async () => {
  site = await openSite()
  client = await openReader(site)
  site.add(`/${WORD}`, article('Elsewhere'))
  site.add(`/${WORD}/empty`, page('', ''))
  site.add(`/${WORD}/login`, page('Log in', '<form><input type="password"></form>'))
  site.add(`/${WORD}/pdf`, (_, response) => send(response, 200, 'application/pdf', '%PDF-1.4 broken'))
  site.add(`/${WORD}/gone`, (_, response) => send(response, 404, 'text/html', page(WORD, `<p>${WORD}</p>`)))
  site.add(`/${WORD}/cut`, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': '100' }).flushHeaders()
    response.destroy()
  })
})

afterAll(async () => {
  await client?.close()
  await site?.close()
})

/** What a model reads as the server's own words. */
function outside({ text }: ToolResult): string {
  return text.replaceAll(/^--- untrusted content; ends at marker ([0-9a-f]{16}) ---\n[^]*?\n--- \1 end ---$/gm, '')
}

/** The route, and what the result contains: the word is inside, or (null) it is not repeated at all. */
const ROUTES: Readonly<Record<string, readonly [route: () => Route, inside: string | null]>> = {
  'a redirect': [() => redirect(`/${WORD}`), `/${WORD}`],
  'two redirects': [() => redirect(`/${WORD}/hop`), `/${WORD}`],
  'a redirect to a missing page': [() => redirect(`/${WORD}/gone`), `/${WORD}/gone`],
  'a redirect to an empty page': [() => redirect(`/${WORD}/empty`), `/${WORD}/empty`],
  'a redirect to a login': [() => redirect(`/${WORD}/login`), `/${WORD}/login`],
  'a redirect to a broken PDF': [() => redirect(`/${WORD}/pdf`), null],
  'a redirect to a page that ends too early': [() => redirect(`/${WORD}/cut`), null],
  'a redirect to another host': [() => redirect(`http://${WORD}.invalid/`), `${WORD}.invalid`],
  'a redirect to a forbidden host': [() => redirect(`http://${WORD}.localhost/`), `${WORD}.localhost`],
  'a redirect to a forbidden port': [() => redirect(`http://${WORD}.example:22/`), null],
  'a redirect to another scheme': [() => redirect(`${WORD}:here`), WORD],
  'a redirect with a password': [() => redirect(`http://${WORD}:x@example.com/`), null],
  'a redirect without end': [() => redirect(`/${WORD}/loop`), null],
  'a meta refresh': [() => page('', refresh(`/${WORD}`)), `/${WORD}`],
  'a meta refresh without end': [() => page('', refresh(`/${WORD}/refresh`)), `/${WORD}/refresh`],
  'a meta refresh to a forbidden host': [() => page('', refresh(`http://${WORD}.localhost/`)), `${WORD}.localhost`],
  frames: [() => `<html><frameset><frame src="/${WORD}"></frameset></html>`, `/${WORD}`],
  'frames without text': [() => page('', `<iframe src="/${WORD}"></iframe>`), `/${WORD}`],
  'a title': [() => article(WORD), WORD],
  'a title without text': [() => page(WORD, ''), null],
  headings: [() => article('Title', `<h2 id="${WORD}">${WORD}</h2><p>x</p>`), WORD],
  'a Markdown version': [() => article('A', '').replace('</head>', alternate(`/${WORD}/md`)), `/${WORD}/md`],
  'a date': [() => article('A').replace('</head>', `<meta name="date" content="${WORD}"></head>`), null],
  'a language': [() => article('A').replace('lang="en"', `lang="${WORD}"`), null],
  'a canonical address': [() => article('A').replace('</head>', `<link rel="canonical" href="/${WORD}"></head>`), null],
  'a content type': [() => (_, response) => send(response, 200, `${WORD}/${WORD}`, `text of ${WORD}`), WORD],
  'a content type of a file': [() => (_, response) => send(response, 200, `${WORD}/${WORD}`, Buffer.alloc(2000)), null],
  'a status text': [() => (_, response) => void response.writeHead(500, WORD).end(WORD), WORD],
  'a wait time': [() => (_, response) => send(response, 429, 'text/html', page('', ''), { 'retry-after': WORD }), null],
  'a challenge': [
    () => (_, response) => send(response, 403, 'text/html', page('', WORD), { 'cf-mitigated': WORD }),
    WORD,
  ],
  'a login realm': [
    () => (_, response) =>
      send(response, 401, 'text/html', page('', ''), { 'www-authenticate': `Basic realm="${WORD}"` }),
    null,
  ],
  'a file name': [
    () => (_, response) =>
      send(response, 200, 'application/octet-stream', Buffer.alloc(2000), {
        'content-disposition': `attachment; filename="${WORD}"`,
      }),
    null,
  ],
  'an encoding that is not one': [
    () => (_, response) => send(response, 200, 'text/html', 'x', { 'content-encoding': WORD }),
    null,
  ],
}

describe.each(['', '#missing', 'find'])('a page read with %j', (how) => {
  test.each(Object.entries(ROUTES))('%s', async (name, [route, inside]) => {
    site.add(`/${WORD}/hop`, redirect(`/${WORD}`))
    site.add(`/${WORD}/loop`, redirect(`/${WORD}/loop?${Math.random()}`))
    site.add(`/${WORD}/refresh`, page('', refresh(`/${WORD}/refresh2`)))
    site.add(`/${WORD}/refresh2`, page('', refresh(`/${WORD}/refresh`)))
    site.add(`/${WORD}/md`, (_, response) => send(response, 200, 'text/markdown', `# A\n\n${'Some text. '.repeat(20)}`))
    const url = site.add(`/${encodeURIComponent(name + how)}`, route())
    const result = await readDocs(
      client,
      how === 'find' ? url : `${url}${how}`,
      how === 'find' ? { find: 'keeper' } : {},
    )
    expect(outside(result)).not.toContain(WORD)
    if (inside !== null && how === '') expect(result.text).toContain(inside)
  })
})

describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('a page in the browser', () => {
  let reader: TestClient
  beforeAll(async () => {
    reader = await openReader(site, { BROWSER_PATH: '' })
  })
  afterAll(() => reader?.close())

  const TEXT = '<p>This paragraph was written by a script when the page was opened.</p>'.repeat(12)

  test.each([
    ['an address without a load', `history.pushState(null, '', '/${WORD}')`],
    ['a redirect', `if (!location.search) location.search = '${WORD}'`],
    ['a forbidden address', `setTimeout(() => (location.href = 'http://${WORD}.localhost/'))`],
    ['a title', `document.title = '${WORD}'`],
    ['a dialog', `alert('${WORD}')`],
    ['an error', `setTimeout(() => { throw new Error('${WORD}') })`],
  ])('%s', async (name, script) => {
    const url = site.add(
      `/browser/${encodeURIComponent(name)}`,
      page('', `<div id="root"></div><script>document.getElementById('root').innerHTML = '${TEXT}';${script}</script>`),
    )
    const result = await readDocs(reader, url)
    expect(result.text).toContain('browser')
    expect(outside(result)).not.toContain(WORD)
  })
})

function redirect(location: string): Route {
  return (_, response) => void response.writeHead(302, { location }).end()
}

function refresh(url: string): string {
  return `<meta http-equiv="refresh" content="0; url=${url}">`
}

function alternate(href: string): string {
  return `<link rel="alternate" type="text/markdown" href="${href}"></head>`
}
