// Pages that cannot be read: the reason is typed, with what was found and what to do, and is never returned as content.

import { afterAll, beforeAll, expect, test } from 'vitest'

import type { TestClient } from '../support/client.js'
import { article, fenced, openReader, openSite, page, quoted, readDocs, type Route, send, type Site } from './site.js'

let site: Site
let client: TestClient

beforeAll(async () => {
  site = await openSite()
  client = await openReader(site)
})

afterAll(async () => {
  await client?.close()
  await site?.close()
})

const SHELL = page(
  'App',
  '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/app.js"></script>',
)
const CHALLENGE = page(
  'Just a moment...',
  '<div id="challenge-running">Checking your browser before accessing the site.</div><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script>',
)
const LOGIN = page(
  'Sign in',
  '<h1>Sign in</h1><form action="/session" method="post"><input name="user"><input type="password" name="password"><button>Sign in</button></form>',
)
const WALLED = article(
  'An article for subscribers',
  '<div class="paywall"><h2>Subscribe to continue reading</h2><p>This article is for subscribers only. Already a subscriber? Log in.</p></div>',
  4,
).replace(
  '</head>',
  '<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","isAccessibleForFree":false}</script></head>',
)

const answering =
  (status: number, body = '', headers = {}): Route =>
  (_, response) =>
    send(response, status, 'text/html', body, headers)

test.each<[string, Route, string, RegExp]>([
  [
    'a page made by scripts',
    SHELL,
    'needs_javascript',
    /0 characters of text in \d+ of HTML with 1 script, an empty root element.*BROWSER_PATH/s,
  ],
  ['a bot check', answering(403, CHALLENGE), 'blocked', /bot check .*status 403.*WebSearch/s],
  ['a bot check that says it is fine', CHALLENGE, 'blocked', /bot check .*status 200/s],
  ['a bot check that says it is busy', answering(503, CHALLENGE), 'blocked', /bot check .*status 503/s],
  [
    'a bot check that says so in a header',
    answering(202, page('', '<p>one moment</p>'), { 'x-amzn-waf-action': 'challenge' }),
    'blocked',
    /bot check \(AWS WAF\).*status 202/s,
  ],
  ['forbidden', answering(403, page('Forbidden', '<h1>403 Forbidden</h1>')), 'blocked', /status 403/],
  [
    'too many requests',
    answering(429, '', { 'retry-after': '30' }),
    'blocked',
    /status 429 and Retry-After 30 s\. .*Do not retry now/s,
  ],
  ['unauthorized', answering(401, ''), 'login', /status 401.*ask the user/is],
  ['a login form', LOGIN, 'login', /login form/],
  ['a payment', answering(402, ''), 'paywall', /status 402/],
  ['not found', answering(404, page('Oops', '<h1>Not here</h1>')), 'not_found', /status 404.*Check the URL/s],
  ['gone', answering(410, ''), 'not_found', /status 410/],
  [
    'not found, in a friendly text',
    page('404 - Page not found', '<h1>Page not found</h1><p>The page you are looking for does not exist.</p>'),
    'not_found',
    /status 200, but the page says that it was not found/,
  ],
  ['an error', answering(500, '<h1>Oh no</h1>'), 'http_error', /status 500.*Try again later/s],
  ['a teapot', answering(418, ''), 'http_error', /status 418.*Retrying does not help/s],
  ['moved to nowhere', answering(302, ''), 'http_error', /status 302.*does not say where the page has moved/s],
  [
    'a wall of cookies',
    page(
      'We value your privacy',
      '<p>We and our partners use cookies. Accept them to go on.</p><button>Accept</button>',
    ),
    'consent',
    /asks for consent to cookies.*ask the user/s,
  ],
  [
    'readers sent round in circles',
    (request, response) => {
      const next = (request.url ?? '').replace(/(\?\d*)?$/, `?${Date.now() % 1000}${request.headers.host?.length}`)
      send(response, 200, 'text/html', page('r', '<p>wait</p>', `<meta http-equiv="refresh" content="0;url=${next}x">`))
    },
    'empty',
    /redirects repeatedly \(meta refresh\)/,
  ],
  ['no content', answering(204), 'empty', /status 204.*0 bytes/s],
  ['nothing at all', answering(200, ''), 'empty', /0 bytes/],
  ['an empty page', page('', ''), 'empty', /0 characters of text/],
  ['an empty text', (_, response) => send(response, 200, 'text/plain', '  \n \n'), 'empty', /no text/],
])('%s', async (name, route, status, pattern) => {
  const result = await readDocs(client, site.add(`/${encodeURIComponent(name)}`, route))
  expect(result).toMatchObject({ isError: true, structured: { status } })
  expect(result.text.startsWith(`${status}: `)).toBe(true)
  expect(result.text).toMatch(pattern)
})

test('an unreadable response is not an empty page', async () => {
  const url = site.add('/damaged', (_, response) =>
    send(response, 200, 'text/html', page('x', '<p>not compressed at all</p>'), { 'content-encoding': 'gzip' }),
  )
  const result = await readDocs(client, url)
  expect(result).toMatchObject({ isError: true, structured: { status: 'broken' } })
  expect(result.text).toMatch(/damaged or incomplete\. Try again later/)
})

test('a page of frames lists them', async () => {
  const frames =
    '<frameset cols="20%,80%"><frame src="menu.html"><frame name="b" src=\'/api/body.html?a=1&amp;b=2\'></frameset>'
  const url = site.add('/api/', `<html><head><title>API</title></head>${frames}</html>`)
  const result = await readDocs(client, url)
  expect(fenced(result)).toBe(`Frames: ${site.origin}/api/menu.html ${site.origin}/api/body.html?a=1&b=2`)
  expect(result.text).toContain('[The page consists of frames. Read one of those listed above.]')
})

test('a page with a single frame around another names it', async () => {
  const result = await readDocs(client, site.add('/around', page('Docs', '<iframe src="/inner.html"></iframe>')))
  expect(result).toMatchObject({ isError: true, structured: { status: 'empty' } })
  expect(fenced(result)).toBe(`Frames: ${site.origin}/inner.html`)
})

test('a page about cookies is a document', async () => {
  const result = await readDocs(
    client,
    site.add('/cookie-settings', article('Cookie settings of the API', '<p>cookies</p>')),
  )
  expect(result).toMatchObject({ isError: false, structured: { status: 'ok' } })
})

test('a redirect to a login reports its URL', async () => {
  site.add('/accounts/login', LOGIN)
  const url = site.add('/private', (_, response) =>
    response.writeHead(302, { location: '/accounts/login?next=/private' }).end(),
  )
  const result = await readDocs(client, url)
  expect(result.structured.status).toBe('login')
  expect(result.text).toContain('/accounts/login')
})

test('text before a paywall is returned with a note', async () => {
  const result = await readDocs(client, site.add('/walled', WALLED))
  expect(result).toMatchObject({ isError: false, structured: { status: 'paywall' } })
  expect(result.text).toMatch(/^paywall: .*subscribers/)
  expect(quoted(result)).toContain('The lighthouse keeper')
})

test('a documentation page with a login form, a script and a few words about paywalls is a document', async () => {
  const form = '<header><form><input name="user"><input type="password"></form></header><script src="/x.js"></script>'
  const html = article(
    'How to sign in',
    '<p>Status 404 means that a page was not found. Enable JavaScript to see the demo.</p>',
  )
  const result = await readDocs(client, site.add('/how-to', html.replace('<body>', `<body>${form}`)))
  expect(result).toMatchObject({ isError: false, structured: { status: 'ok' } })
})

test('a short page with a script is returned with the note that there may be more', async () => {
  const result = await readDocs(client, site.add('/short', page('Hi', '<p>It works!</p><script src="/x.js"></script>')))
  expect(result).toMatchObject({ isError: false, structured: { status: 'ok' } })
  expect(quoted(result)).toContain('It works!')
  expect(result.text).toMatch(/\[This is the page as fetched over HTTP; its scripts did not run\. .*BROWSER_PATH/)
})

test('a page created by scripts has a Markdown alternate by its name', async () => {
  site.add('/guide/intro.md', (_, response) =>
    send(response, 200, 'text/markdown', `# Intro\n\n${'Written by hand. '.repeat(10)}`),
  )
  const result = await readDocs(client, site.add('/guide/intro', SHELL))
  expect(result).toMatchObject({ isError: false, structured: { status: 'ok', title: 'Intro' } })
})

test('an error page is quoted in part', async () => {
  const url = site.add(
    '/lost',
    answering(404, page('Lost', `<main><p>It moved to /docs/new. ${'x '.repeat(2000)}</p></main>`)),
  )
  const result = await readDocs(client, url)
  expect(quoted(result)).toContain('It moved to /docs/new.')
  expect(result.text.length).toBeLessThan(2000)
})
