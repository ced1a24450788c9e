// Plays every search engine, well or badly: GET or POST /<play>/<engine>/…, where <play> is a behaviour, or several as in
// `ok;brave=429;exa=hang`. Pages are small and have the shape of the real ones. `/counts` says how often each was asked.
// In `weather` some hang, some block, and the others take their time.
//   node replay.mjs    prints the port it listens on; ends with its stdin

import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'

const SLOW_MS = 2000
const BOMB = gzipSync(Buffer.alloc(48 * 1024 * 1024, 32))

/** Listens on loopback; `close` ends every connection, also those that hang. */
export async function startReplay() {
  const counts = new Map()
  const timers = new Set()
  const server = createServer((request, response) => {
    if (request.url === '/counts') return response.end(JSON.stringify(Object.fromEntries(counts)))
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const [, play, engine, path] = decodeURI(request.url).split(/[/?]/)
      counts.set(engine, (counts.get(engine) ?? 0) + 1)
      const query = queryOf(request, Buffer.concat(chunks).toString())
      const visit = { engine, query, path, request, response }
      const timer = setTimeout(
        () => {
          timers.delete(timer)
          act(behaviourOf(play, engine), visit)
        },
        delayOf(play, visit),
      )
      timers.add(timer)
    })
    return undefined
  })
  // A connection must not be closed in the moment in which a test uses it again.
  server.keepAliveTimeout = 0
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: server.address().port,
    close() {
      timers.forEach(clearTimeout)
      server.closeAllConnections()
      server.close()
    },
  }
}

function queryOf({ url }, body) {
  const { searchParams } = new URL(url, 'http://replay')
  const form = body.startsWith('{') ? searchParams : new URLSearchParams(body)
  const json = body.startsWith('{') ? JSON.parse(body) : {}
  const named = ['q', 'p', 'query', 's', 'text', 'search', 'search_query', 'srsearch']
  const found = named.map((name) => searchParams.get(name) ?? form.get(name)).find((value) => value)
  if (searchParams.has('search_query')) return found.replaceAll(/all:| AND/g, '')
  return found ?? json.query ?? json.q ?? json.params?.arguments?.query ?? json.params?.arguments?.objective ?? ''
}

function behaviourOf(play, engine) {
  const [usual, ...others] = play.split(';')
  const own = others.map((pair) => pair.split('=')).find(([name]) => name === engine)?.[1]
  return own ?? usual
}

/** What the weather is like for one engine and query: the same whenever it is asked for. */
export function weatherOf(engine, query) {
  const random = randomFrom(`${engine} ${query}`)
  const luck = random()
  if (luck < 0.08) return { kind: 'hang', ms: Infinity }
  if (luck < 0.2) return { kind: 'challenge-202', ms: 50 + 200 * random() }
  const normal = Math.sqrt(-2 * Math.log(random() || 1e-9)) * Math.cos(2 * Math.PI * random())
  return { kind: 'ok', ms: 700 * Math.exp(0.5 * normal) }
}

function randomFrom(text) {
  let state = 2166136261
  for (const character of text) state = Math.imul(state ^ character.charCodeAt(0), 16777619)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

function delayOf(play, { engine, query }) {
  if (behaviourOf(play, engine) === 'slow') return SLOW_MS
  if (play !== 'weather') return 0
  const { ms } = weatherOf(engine, query)
  return ms === Infinity ? 0 : ms
}

function act(behaviour, visit) {
  const { engine, query, path, request, response } = visit
  if (behaviour === 'weather') return act(weatherOf(engine, query).kind, visit)
  // Startpage's form, which carries its token.
  if (engine === 'startpage' && request.method === 'GET' && path !== 'sp' && behaviour !== 'token-challenge') {
    return send(response, 'text/html', '<form action="/sp/search"><input type="hidden" name="sc" value="tok"></form>')
  }
  const shape = SHAPES[engine]
  if (!shape) return send(response, 'text/plain', 'unknown engine', { status: 404 })
  const page = (hits) => send(response, shape.type, shape.page(hits))
  switch (behaviour) {
    case 'ok':
    case 'slow':
      return page(honest(engine, query))
    case 'empty':
      return send(response, shape.type, shape.empty)
    case 'challenge-202':
    case 'token-challenge':
      return send(response, 'text/html', CHALLENGE, { status: 202 })
    case 'challenge-200':
      return send(response, 'text/html', CHALLENGE)
    case '429':
      return send(response, 'text/plain', 'slow down', { status: 429, 'retry-after': '120' })
    case '403':
      return send(response, 'text/html', '<h1>403 Forbidden</h1>', { status: 403 })
    case '403-cloudflare':
      return send(response, 'text/html', CHALLENGE, { status: 403, 'cf-mitigated': 'challenge' })
    case 'captcha':
      if (path === 'captcha') return send(response, 'text/html', '<h1>Please</h1><img src="letters.png">')
      return response.writeHead(302, { location: `/captcha/${engine}/captcha?back=1` }).end()
    case 'drift':
      return send(response, shape.type, shape.drift ?? (shape.type === 'text/html' ? DRIFTED_PAGE : DRIFTED_JSON))
    case 'poison':
      return page(poison)
    case 'echo':
      return page(echoes(query))
    case 'one-host':
      return page(ofOneHost(query))
    case 'hang':
      return undefined
    case 'stall':
    case 'truncated': {
      const body = Buffer.from(shape.page(honest(engine, query)))
      response.writeHead(200, { 'content-type': shape.type, 'content-length': body.length })
      const leave = behaviour === 'stall' ? () => {} : () => setTimeout(() => response.destroy(), 20)
      return response.write(body.subarray(0, Math.floor(body.length * 0.7)), leave)
    }
    case 'bomb':
      response.writeHead(200, { 'content-type': shape.type, 'content-encoding': 'gzip', 'content-length': BOMB.length })
      return response.end(BOMB)
    case 'wrong-charset':
    case 'lying-charset': {
      const text = shape.page(honest(engine, query).map((hit) => ({ ...hit, title: `${hit.title} café` })))
      const named = behaviour === 'wrong-charset' ? 'iso-8859-1' : 'utf-8'
      return response
        .writeHead(200, { 'content-type': `${shape.type}; charset=${named}` })
        .end(Buffer.from(text, 'latin1'))
    }
    case 'error':
      return send(response, 'text/plain', 'out of order', { status: 500 })
    default:
      return send(response, 'text/plain', `unknown behaviour ${behaviour}`, { status: 500 })
  }
}

function send(response, type, body, { status = 200, ...headers } = {}) {
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, ...headers }).end(body)
}

/** Eight pages that every engine knows, each in its own order; verticals know pages of their own. */
function honest(engine, query) {
  const turn = [...engine].reduce((sum, character) => sum + character.charCodeAt(0), 0) % 3
  return Array.from({ length: 8 }, (_, index) => {
    const number = (index + turn) % 8
    return {
      name: `${query.replaceAll(/\W+/g, '-')}-${number}`,
      url: `https://www.site${number}.example.org/about/${number}?utm_source=${engine}`,
      title: `${query}: page ${number}`,
      snippet: `What ${query} is, number ${number}, as ${engine} has it.`,
      date: `2026-0${number + 1}-15`,
    }
  })
}

const poison = Array.from({ length: 10 }, (_, index) => ({
  name: `zzz-${index}`,
  url: `https://cheap${index}.example.com/watches`,
  title: `Luxury watches ${index}`,
  snippet: 'Buy now, limited offer.',
  date: '2026-01-01',
}))

const echoes = (query) =>
  poison.map((hit, index) => ({ ...hit, title: `${query} | offer ${index}`, snippet: `${query}. ${query}. Buy now.` }))

const ofOneHost = (query) =>
  poison.map((hit, index) => ({
    ...hit,
    name: `${query.replaceAll(/\W+/g, '-')}-${index}`,
    url: `https://one.example.net/tutorial/${index}`,
    title: `${query} tutorial ${index}`,
  }))

const CHALLENGE =
  '<!doctype html><html><head><title>Just a moment...</title></head><body><form id="challenge-form" action="/x">' +
  '<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></form></body></html>'

const FILLER = '<div class="k9x"><p>Lorem ipsum dolor sit amet.</p></div>'.repeat(500)
const DRIFTED_PAGE = `<!doctype html><html><body><main>${FILLER}</main></body></html>`
const DRIFTED_JSON = '{"payload":{"entries":[{"href":"https://a.example.org/"}]}}'

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const html = (rows) => `<!doctype html><html><body>${rows}</body></html>`
const rowsOf = (hits, row) =>
  hits.map((hit) => row({ ...hit, title: escape(hit.title), snippet: escape(hit.snippet) })).join('\n')

const page = (row, { before = '', after = '', empty }) => ({
  type: 'text/html',
  page: (hits) => html(before + rowsOf(hits, row) + after),
  empty: html(empty),
})

const json = (wrap, record, empty = wrap([])) => ({
  type: 'application/json',
  page: (hits) => JSON.stringify(wrap(hits.map(record))),
  empty: JSON.stringify(empty),
})

const rpc = (text) => ({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }] } })
const events = (message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`

const SHAPES = {
  parallel: {
    ...json(
      (results) => rpc(JSON.stringify({ search_id: 's', results })),
      ({ url, title, snippet, date }) => ({ url, title, publish_date: date, excerpts: [snippet, 'More of it.'] }),
    ),
    drift: JSON.stringify(rpc(DRIFTED_JSON)),
  },
  exa: {
    type: 'text/event-stream',
    page: (hits) =>
      events(
        rpc(
          hits
            .map(({ url, title, snippet, date }) =>
              [
                `Title: ${title}`,
                `URL: ${url}`,
                `Published: ${date}T00:00:00Z`,
                'Author: N/A',
                `Highlights:\n${snippet}`,
              ].join('\n'),
            )
            .join('\n\n---\n\n'),
        ),
      ),
    empty: events(rpc('No search results found. Please try a different query.')),
    drift: events(rpc('Answer: see https://a.example.org/')),
  },
  firecrawl: {
    ...json(
      (web) => rpc(JSON.stringify({ success: true, data: { web } })),
      ({ url, title, snippet }) => ({ url, title, description: snippet, position: 1 }),
    ),
    drift: JSON.stringify(rpc(DRIFTED_JSON)),
  },
  keenable: json(
    (results) => ({ results }),
    ({ url, title, snippet, date }) => ({ url, title, description: '', snippet, published_at: `${date}T10:00:00Z` }),
  ),
  duckduckgo: page(
    ({ url, title, snippet }) =>
      `<div class="result results_links web-result"><h2 class="result__title"><a class="result__a" href="//duckduckgo.com/l/?uddg=${encodeURIComponent(url)}&amp;rut=1">${title}</a></h2><a class="result__snippet">${snippet}</a></div>`,
    {
      before:
        '<div id="links"><div class="result result--ad web-result"><h2><a href="https://duckduckgo.com/y.js?ad=1">An advertisement</a></h2></div>',
      after: '</div>',
      empty: '<div id="links"><div class="no-results">No results.</div></div>',
    },
  ),
  brave: page(
    ({ url, title, snippet }) =>
      `<div class="snippet" data-type="web"><a href="${url}"><div class="title search-snippet-title">${title}</div></a><div class="generic-snippet"><div class="content">${snippet}</div></div></div>`,
    {
      before: '<div class="snippet" data-type="ad"><a href="https://ad.example.com/">Ad</a></div>',
      empty: '<div id="no-results">Nothing</div>',
    },
  ),
  mojeek: page(
    ({ url, title, snippet }) =>
      `<li><h2><a class="title" href="${url}">${title}</a></h2><p class="s">${snippet}</p></li>`,
    {
      before: '<ul class="results-standard">',
      after: '</ul>',
      empty: '<p class="result-col">No pages found matching your query.</p>',
    },
  ),
  startpage: page(
    ({ url, title, snippet }) =>
      `<div class="result"><a class="result-title result-link" href="${url}"><h2>${title}</h2></a><p class="description">${snippet}</p></div>`,
    { empty: '<p>Sorry, there are no results for this search.</p>' },
  ),
  yahoo: page(
    ({ url, title, snippet }) =>
      `<div class="dd algo algo-sr"><div class="compTitle"><a href="https://r.search.yahoo.com/_ylt=A/RV=2/RE=1/RO=10/RU=${encodeURIComponent(url)}/RK=2/RS=x-"><h3><span>${title}</span></h3></a></div><div class="compText">${snippet}</div></div>`,
    { empty: '<p>We did not find results for: <b>x</b>.</p>' },
  ),
  bing: page(
    ({ url, title, snippet }) =>
      `<li class="b_algo"><h2><a href="https://www.bing.com/ck/a?!&amp;&amp;u=a1${Buffer.from(url).toString('base64url')}&amp;ntb=1">${title}</a></h2><div class="b_caption"><p>${snippet}</p></div></li>`,
    {
      before: '<ol id="b_results">',
      after: '</ol>',
      empty: '<ol id="b_results"><li class="b_no">There are no results</li></ol>',
    },
  ),
  wikipedia: json(
    (search) => ({ batchcomplete: '', query: { search } }),
    ({ title, snippet, date }) => ({
      title,
      snippet: `<span class="searchmatch">${snippet}</span>`,
      timestamp: `${date}T00:00:00Z`,
    }),
  ),
  stackexchange: json(
    (items) => ({ items, has_more: false, quota_remaining: 200 }),
    ({ url, title, date }) => ({
      link: url,
      title,
      tags: ['x'],
      score: 3,
      last_activity_date: Date.parse(date) / 1000,
    }),
  ),
  github: json(
    (items) => ({ total_count: items.length, items }),
    ({ url, title, snippet, date }) => ({
      html_url: url,
      full_name: title,
      description: snippet,
      pushed_at: `${date}T00:00:00Z`,
    }),
  ),
  hackernews: json(
    (hits) => ({ hits, nbHits: hits.length }),
    ({ url, title, date }) => ({
      url,
      objectID: '1',
      title,
      points: 5,
      story_text: null,
      created_at: `${date}T00:00:00Z`,
    }),
  ),
  mdn: json(
    (documents) => ({ documents, metadata: {} }),
    ({ name, title, snippet }) => ({ mdn_url: `/en-US/docs/${name}`, title, summary: snippet }),
  ),
  npm: json(
    (objects) => ({ objects, total: objects.length }),
    ({ title, snippet, date }) => ({ package: { name: title, description: snippet, date: `${date}T00:00:00Z` } }),
  ),
  crates: json(
    (crates) => ({ crates, meta: {} }),
    ({ title, snippet, date }) => ({ name: title, description: snippet, updated_at: `${date}T00:00:00Z` }),
  ),
  arxiv: {
    type: 'application/atom+xml',
    page: (hits) =>
      `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><totalResults>8</totalResults>${rowsOf(
        hits,
        ({ url, title, snippet, date }) =>
          `<entry><id>${url}</id><published>${date}T00:00:00Z</published><title>${title}</title><summary>${snippet}</summary><link href="${url}" rel="alternate"/></entry>`,
      )}</feed>`,
    empty:
      '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><opensearch:totalResults>0</opensearch:totalResults></feed>',
    drift: '<?xml version="1.0"?><rss><channel><item/></channel></rss>',
  },
  openalex: json(
    (results) => ({ meta: {}, results }),
    ({ url, title, snippet, date }) => ({
      display_name: title,
      publication_date: date,
      primary_location: { landing_page_url: url, source: { display_name: snippet } },
    }),
  ),
  crossref: json(
    (items) => ({ status: 'ok', message: { items } }),
    ({ url, title, snippet }) => ({
      URL: url,
      title: [title],
      'container-title': [snippet],
      issued: { 'date-parts': [[2026, 3]] },
    }),
  ),
  marginalia: json(
    (results) => ({ license: 'x', results }),
    ({ url, title, snippet }) => ({ url, title, description: snippet }),
  ),
  mwmbl: json(
    (list) => list,
    ({ url, title, snippet }) => ({
      url,
      title: [{ value: title, is_bold: true }],
      extract: [{ value: snippet, is_bold: false }],
    }),
  ),
  searxng: json(
    (results) => ({ query: 'x', results }),
    ({ url, title, snippet, date }) => ({ url, title, content: snippet, publishedDate: `${date}T00:00:00` }),
  ),
  'brave-api': json(
    (results) => ({ type: 'search', web: { results } }),
    ({ url, title, snippet, date }) => ({
      url,
      title: `<strong>${title}</strong>`,
      description: snippet,
      page_age: `${date}T00:00:00`,
    }),
    { type: 'search', query: {} },
  ),
  tavily: json(
    (results) => ({ query: 'x', results }),
    ({ url, title, snippet }) => ({ url, title, content: snippet, score: 0.9 }),
  ),
  kagi: json(
    (search) => ({ meta: {}, data: { search } }),
    ({ url, title, snippet, date }) => ({ url, title, snippet, time: `${date}T00:00:00Z` }),
    { meta: {}, data: {} },
  ),
  serper: json(
    (organic) => ({ searchParameters: {}, organic }),
    ({ url, title, snippet }) => ({ link: url, title, snippet, date: 'Jan 15, 2026' }),
  ),
  jina: json(
    (data) => ({ code: 200, data }),
    ({ url, title, snippet, date }) => ({ url, title, description: snippet, date }),
  ),
  you: json(
    (web) => ({ results: { web } }),
    ({ url, title, snippet }) => ({ url, title, description: '', snippets: [snippet] }),
  ),
}

if (import.meta.filename === process.argv[1]) {
  const replay = await startReplay()
  process.stdout.write(`${replay.port}\n`)
  process.stdin.resume().on('end', () => process.exit(0))
}
