import { expect, test } from 'vitest'

import type { PageSignals } from '../extract-types.js'
import { extractContent } from './extract-content.js'

const read = (html: string, format: 'markdown' | 'text' = 'markdown') =>
  extractContent({
    url: 'https://site.example/a/b',
    contentType: 'text/html',
    bytes: new TextEncoder().encode(html),
    format,
    fragment: '',
  })

const readSignals = async (html: string) => (await read(html)).signals

const PROSE = Array.from(
  { length: 30 },
  (_, at) =>
    `<p>Sentence number ${at} of a page that people can read without any trouble, since all of its words are there.</p>`,
).join('')

const page = (body: string, head = '<title>A page</title>') =>
  `<!doctype html><html><head>${head}</head><body>${body}</body></html>`

test('an ordinary page has no signals', async () => {
  const { htmlChars, textChars, contentChars, ...rest } = await readSignals(
    page(`<article><h1>A page</h1>${PROSE}</article>`),
  )
  expect(htmlChars).toBeGreaterThan(textChars)
  expect(contentChars).toBeGreaterThan(2000)
  const expected: Omit<PageSignals, 'htmlChars' | 'textChars' | 'contentChars'> = {
    scriptCount: 0,
    hasEmptyRoot: false,
    saysScriptsRequired: false,
    isFromEmbeddedData: false,
    challenge: '',
    hasLoginForm: false,
    hasPaywall: false,
    saysNotFound: false,
    alternates: [],
    refreshTo: '',
  }
  expect(rest).toEqual(expected)
})

test.each([
  [
    'Cloudflare',
    '<title>Just a moment...</title>',
    '<div id="challenge-error-text">Enable JavaScript and cookies to continue</div><script>window._cf_chl_opt={}</script>',
  ],
  ['DDoS-Guard', '<title>DDoS-Guard</title>', '<p>Checking your browser before accessing site.example</p>'],
  [
    'Akamai',
    '<title>Access Denied</title>',
    "You don't have permission. Reference #18.2f<p>https://errors.edgesuite.net/18.2f</p>",
  ],
  ['HUMAN (PerimeterX)', '<title>Access to this page has been denied</title>', '<div id="px-captcha"></div>'],
  ['DataDome', '', '<script src="https://ct.captcha-delivery.com/c.js"></script>'],
  [
    'Imperva',
    '',
    '<iframe src="/_Incapsula_Resource?SWUDNSAI=31&incident_id=1">Request unsuccessful. Incapsula incident ID: 1</iframe>',
  ],
  [
    'AWS WAF',
    '',
    '<script src="https://a.token.awswaf.com/a/b/challenge.js"></script><script>AwsWafIntegration.getToken()</script>',
  ],
  [
    'Anubis',
    '',
    '<script id="anubis_challenge" type="application/json">{}</script><h1>Making sure you\'re not a bot!</h1>',
  ],
  ['hCaptcha', '', '<div class="h-captcha" data-sitekey="x"></div>'],
  ['reCAPTCHA', '', '<p>Our systems have detected unusual traffic.</p><div class="g-recaptcha"></div>'],
  ['unknown vendor', '', '<h1>Please verify you are a human</h1>'],
])('detects a bot check: %s', async (name, head, body) => {
  expect((await readSignals(page(body, head))).challenge).toBe(name)
})

const SHORT =
  '<p>We are a small workshop in Lyon. Write to us, and we shall answer within two working days.</p>'.repeat(4)
const MENU = Array.from({ length: 12 }, (_, at) => `<a href="/${at}">Part ${at}</a>`).join(' ')

test.each([
  ['a contact form with a captcha', `${SHORT}<form><div class="g-recaptcha"></div></form>`],
  [
    'the script that Cloudflare puts into pages',
    `${SHORT}<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>`,
  ],
  [
    'a menu and the same script',
    `${MENU}<p>Open from ten to six.</p><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>`,
  ],
  ['a question about a check', `${MENU}<h1>Site says: verify you are human</h1>${SHORT}<script src="/a.js"></script>`],
  ['a note on a check, without scripts', `<h1>What "checking your browser before accessing" means</h1>${SHORT}`],
  [
    'a saved copy that names the parts of a check',
    `${MENU}<p>The page has _cf_chl_opt and id="px-captcha" in it.</p>${SHORT}`,
  ],
])('is not a bot check: %s', async (_, body) => {
  expect((await readSignals(page(body))).challenge).toBe('')
})

test('a login form beside text is not a login page, and a question about a missing file is not a missing page', async () => {
  const form = '<form><input name="user"><input type="password" name="p"><button>Go</button></form>'
  expect((await readSignals(page(`<h1>Oak table</h1>${SHORT}${form}`))).hasLoginForm).toBe(false)
  expect((await readSignals(page(`<h1>Sign in</h1>${SHORT}${form}`))).hasLoginForm).toBe(true)
  expect((await readSignals(page(`<h1>Maven: resource file not found</h1>${SHORT}`))).saysNotFound).toBe(false)
})

test.each([
  [
    'opacity that a script removes',
    `<div style="opacity:0"><nav>${MENU}</nav><div>${PROSE}</div><footer>${MENU}</footer></div>`,
  ],
  ['an unclosed CDATA section', `<![CDATA[\n<div id="top"></div><div>${SHORT}</div>`],
  [
    'tabs in one list with their panels',
    `<div role="tablist"><input role="tab" id="t"><div role="tabpanel" aria-labelledby="t"><p>One more thing.</p></div></div>`,
  ],
  ['everything in a form', `<form id="page"><div>${SHORT}</div></form>`],
  ['everything in a footer', `<nav>${MENU}</nav><footer>${SHORT}</footer>`],
  ['everything in links', `<nav>${MENU}</nav>`],
  ['everything in buttons', '<button>Start the tour</button><button>Buy a ticket</button>'],
])('a page with text is never empty: %s', async (_, body) => {
  for (const format of ['markdown', 'text'] as const) expect((await read(page(body, ''), format)).content).not.toBe('')
})

test('a captcha form on a readable page is not a bot check', async () => {
  expect((await readSignals(page(`${PROSE}<form><div class="g-recaptcha"></div></form>`))).challenge).toBe('')
})

test.each<[string, string, Partial<PageSignals>]>([
  ['an empty root', '<div id="root"></div><script src="/app.js"></script>', { hasEmptyRoot: true, scriptCount: 1 }],
  ['a root with nothing but scripts', '<div id="__next"><script>x()</script></div>', { hasEmptyRoot: true }],
  [
    'a noscript notice',
    '<noscript>You need to enable JavaScript to run this app.</noscript><div id="app"></div>',
    { saysScriptsRequired: true, hasEmptyRoot: true },
  ],
  ['a scripts notice in the text', '<p>Please enable JavaScript to view this page.</p>', { saysScriptsRequired: true }],
  [
    'a login',
    '<form action="/login"><input name="user"><input type="password" name="p"></form>',
    { hasLoginForm: true },
  ],
  ['a paywall class', '<div class="paywall">Subscribe to continue reading</div>', { hasPaywall: true }],
  [
    'a declared paywall',
    `<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script>${PROSE}`,
    { hasPaywall: true },
  ],
  ['a missing page', '<h1>404</h1><p>Page not found</p>', { saysNotFound: true }],
  ['a missing page in words', '<h1>Sorry, this page could not be found</h1>', { saysNotFound: true }],
])('%s', async (_, body, expected) => {
  expect(await readSignals(page(body))).toMatchObject(expected)
})

test('an article about 404 pages is not a missing page', async () => {
  expect((await readSignals(page(`<h1>How to design a 404 page not found error</h1>${PROSE}`))).saysNotFound).toBe(
    false,
  )
})

test('meta refresh', async () => {
  expect((await readSignals(page('', '<meta http-equiv="Refresh" content="0; url=\'/new\'">'))).refreshTo).toBe(
    'https://site.example/new',
  )
})

test('reads a script shell from its embedded state', async () => {
  const state = {
    props: {
      pageProps: { post: { title: 'The real title of it', body: `<h2>Part</h2>${PROSE}`, url: 'https://x.example' } },
    },
  }
  const { content, signals } = await read(
    page(
      `<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">${JSON.stringify(state).replaceAll('<', '\\u003c')}</script>`,
    ),
  )
  expect([signals.isFromEmbeddedData, signals.hasEmptyRoot]).toEqual([true, true])
  expect(content).toContain('Sentence number 7 of a page')
  expect(content).toContain('## Part')
})

test('reads a script shell from JSON-LD', async () => {
  const data = {
    '@type': 'NewsArticle',
    headline: 'A headline',
    articleBody:
      'First paragraph that is long enough to count as text.\n\nSecond paragraph, with some more of the same kind of words in it, and then a few more of them so that it is an article worth reading, which it would not be if it ended here.',
  }
  const { content, signals } = await read(
    page(`<div id="app"></div><script type="application/ld+json">${JSON.stringify(data)}</script>`),
  )
  expect(signals.isFromEmbeddedData).toBe(true)
  expect(content).toContain('Second paragraph')
})

test('does not read hidden text', async () => {
  const hidden = [
    '<p style="display: none">evil1 words that nobody sees</p>',
    '<p hidden>evil2 words</p>',
    '<div style="position:absolute; left:-9999px">evil3 words</div>',
    '<span style="font-size:0px">evil4</span>',
    '<p class="sr-only">evil5 words</p>',
    '<p style="VISIBILITY:HIDDEN">evil6 words</p>',
    '<p>seen <span style="display:none">evil7</span> words that everybody can see on this page</p>',
    '<p style="opacity:0">evil8 words</p>',
    '<!-- evil9 -->',
    '<div aria-hidden="true">evil10</div>',
  ]
  for (const format of ['markdown', 'text'] as const) {
    const { content } = await read(page(`<article><h1>A page</h1>${PROSE}${hidden.join('')}${PROSE}</article>`), format)
    expect(content).toContain('that everybody can see')
    expect(content).not.toContain('evil')
  }
})

test('reads hidden text if the page has no other', async () => {
  expect((await read(page(`<main style="display:none"><h1>A page</h1>${PROSE}</main>`))).content).toContain(
    'Sentence number 7',
  )
})

test('reads noscript content if it is a whole page', async () => {
  expect(
    (await read(page(`<div id="app"></div><noscript><div><h1>Thread</h1>${PROSE}</div></noscript>`))).content,
  ).toContain('Sentence number 7')
})
