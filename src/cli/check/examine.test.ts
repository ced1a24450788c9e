// The check against servers made by hand: one as the page asks for, the page's own sample, and one for each defect.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, describe, expect, test } from 'vitest'

import type { JsonObject } from '../../lib/json.js'
import { examine, type Examination } from './examine.js'
import type { Verdict } from './verdict.js'

const TOKEN = 'right-token'
const open: Server[] = []

afterEach(() => {
  for (const server of open.splice(0)) {
    server.close()
    if ('closeAllConnections' in server && typeof server.closeAllConnections === 'function')
      server.closeAllConnections()
  }
})

async function listening(server: Server): Promise<number> {
  open.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

interface Reply {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string
  /** The body is sent, and nothing ends. */
  readonly open?: boolean
}

interface Asked {
  readonly request: IncomingMessage
  readonly text: string
  readonly message: JsonObject
}

/** A defect: what is replied instead of the right thing; 'silence' is no reply at all. */
type Defect = (asked: Asked, right: () => Reply) => Reply | 'silence'

const sse = (message: unknown): Reply => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: `event: message\ndata: ${JSON.stringify(message)}\n\n`,
})

const TOOL = {
  name: 'echo',
  description: 'Says it back.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}

const INITIALIZE = {
  protocolVersion: '2024-11-05',
  capabilities: { tools: {} },
  serverInfo: { name: 'example', version: '1.0.0' },
}

function wellBehaved({ request, text, message }: Asked): Reply {
  const { headers, method } = request
  if (headers.origin !== undefined) return { status: 403 }
  if (headers.authorization !== `Bearer ${TOKEN}`) return { status: 401, headers: { 'www-authenticate': 'Bearer' } }
  if (method !== 'POST') return { status: 405, headers: { allow: 'POST' } }
  if (text === '{') return { status: 400 }
  if (message.id === undefined) return { status: 202 }
  const { id } = message
  const said = answerTo(message)
  return sse({ jsonrpc: '2.0', id, ...said })
}

function answerTo({ method, params }: JsonObject): JsonObject {
  if (method === 'initialize') return { result: INITIALIZE }
  if (method === 'notifications/initialized') return { result: {} }
  if (method === 'tools/list') return { result: { tools: [TOOL] } }
  const { name, arguments: args } = (params ?? {}) as JsonObject
  if (method !== 'tools/call' || name !== 'echo') return { error: { code: -32601, message: 'no such thing' } }
  return { result: { content: [{ type: 'text', text: JSON.stringify({ result: args }) }] } }
}

function listenerFor(defect: Defect): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const message = parse(text)
      const asked = { request, text, message }
      const reply = defect(asked, () => wellBehaved(asked))
      if (reply === 'silence') return
      response.writeHead(reply.status, reply.headers)
      if (reply.open) response.write(reply.body ?? '')
      else response.end(reply.body)
    })
  }
}

function parse(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return {}
  }
}

const none: Defect = (_, right) => right()

async function check(defect: Defect, more: Partial<Examination> = {}): Promise<readonly Verdict[]> {
  const url = new URL(`http://127.0.0.1:${await listening(createServer(listenerFor(defect)))}/mcp`)
  return examine({
    url,
    token: TOKEN,
    keyHeader: undefined,
    tool: 'echo',
    args: { text: 'hello' },
    timeoutMs: 20_000,
    ...more,
  })
}

const failures = (verdicts: readonly Verdict[]): string[] =>
  verdicts.filter(({ state }) => state === 'failed').map(({ name }) => name)

const stateOf = (verdicts: readonly Verdict[], name: string): string | undefined =>
  verdicts.find((verdict) => verdict.name === name)?.state

test('a server that does everything right has nothing to mend', async () => {
  const verdicts = await check(none)
  expect(verdicts.map(({ name, state }) => `${state} ${name}`)).toMatchInlineSnapshot(`
    [
      "skipped HTTPS",
      "skipped certificate",
      "ok no credentials",
      "ok wrong credentials",
      "ok foreign Origin",
      "ok GET",
      "ok POST",
      "ok SSE format",
      "ok initialize",
      "ok initialized with an id",
      "ok initialized without an id",
      "ok tools/list",
      "ok unknown tool",
      "ok tools/call echo",
      "ok text is JSON",
      "ok four at once",
      "ok revision 2026-07-28",
      "ok revision 2025-06-18",
      "ok pace",
    ]
  `)
})

/** Changes answers to requests by method; everything else stays right. */
const answering =
  (method: string, change: (right: Reply, message: JsonObject) => Reply | 'silence'): Defect =>
  ({ message }, right) =>
    message.method === method && right().status === 200 ? change(right(), message) : right()

/** Changes the message inside of an answer. */
const saying = (method: string, change: (message: JsonObject) => JsonObject): Defect =>
  answering(method, (right) => sse({ ...messageOf(right), ...change(messageOf(right)) }))

const messageOf = ({ body = '' }: Reply): JsonObject => parse(/data: (.*)/.exec(body)?.[1] ?? '')

/** Changes the framing of every answer. */
const framing =
  (change: (json: string) => string): Defect =>
  (_, right) => {
    const reply = right()
    return reply.status === 200 ? { ...reply, body: change(JSON.stringify(messageOf(reply))) } : reply
  }

const tool = (more: object): Defect => saying('tools/list', () => ({ result: { tools: [{ ...TOOL, ...more }] } }))

const content = (...items: unknown[]): Defect =>
  saying('tools/call', (message) => ('error' in message ? message : { result: { content: items } }))

const pretty = (json: string): string => JSON.stringify(JSON.parse(json), null, 2)

/** Each case: what is wrong, how, the one verdict that fails, and what it says. */
const FAILING: readonly [string, Defect, string, RegExp][] = [
  ['no space after data:', framing((json) => `event: message\ndata:${json}\n\n`), 'SSE format', /no space after/],
  [
    'JSON over several data lines',
    framing((json) => `event: message\n${pretty(json).replace(/^/gm, 'data: ')}\n\n`),
    'SSE format',
    /spread over \d+ lines/,
  ],
  [
    'JSON that goes on without data:',
    framing((json) => `event: message\ndata: ${pretty(json)}\n\n`),
    'SSE format',
    /spread/,
  ],
  ['no event line', framing((json) => `data: ${json}\n\n`), 'SSE format', /no `event: message`/],
  [
    'another event',
    framing((json) => `event: answer\ndata: ${json}\n\n`),
    'SSE format',
    /event line is "event: answer"/,
  ],
  ['no empty line at the end', framing((json) => `event: message\ndata: ${json}\n`), 'SSE format', /no empty line/],
  [
    'progress before the answer',
    framing((json) => `event: message\ndata: {"jsonrpc":"2.0","method":"x"}\n\nevent: message\ndata: ${json}\n\n`),
    'SSE format',
    /2 events/,
  ],
  [
    'an empty event to begin with',
    framing((json) => `id: 1\ndata: \n\nevent: message\ndata: ${json}\n\n`),
    'SSE format',
    /2 events/,
  ],
  [
    'application/json',
    (_, right) => ({ ...right(), headers: { ...right().headers, 'content-type': 'application/json' } }),
    'SSE format',
    /content type is "application\/json"/,
  ],
  [
    'plain JSON',
    (_, right) => (right().status === 200 ? { status: 200, body: JSON.stringify(messageOf(right())) } : right()),
    'SSE format',
    /content type is missing; there is no event/,
  ],
  [
    'a stream that stays open',
    answering('tools/list', (right) => ({ ...right, open: true })),
    'SSE format',
    /stayed open/,
  ],
  ['another id', saying('tools/list', ({ id }) => ({ id: id === 1 ? '1' : id })), 'tools/list', /the id is "1"/],
  [
    'no jsonrpc',
    saying('tools/list', ({ id }) => ({ jsonrpc: id === 1 ? '1.0' : '2.0' })),
    'tools/list',
    /"jsonrpc" is not/,
  ],
  [
    'no capabilities',
    saying('initialize', () => ({ result: { ...INITIALIZE, capabilities: {} } })),
    'initialize',
    /capabilities.tools/,
  ],
  [
    'no server info',
    saying('initialize', () => ({ result: { ...INITIALIZE, serverInfo: {} } })),
    'initialize',
    /serverInfo/,
  ],
  ['tools that are no array', saying('tools/list', () => ({ result: { tools: {} } })), 'tools/list', /not an array/],
  ['a tool without a description', tool({ description: '' }), 'tools/list', /"echo" has no description/],
  ['a tool without a schema', tool({ inputSchema: undefined }), 'tools/list', /"echo" has no inputSchema/],
  [
    'a schema of another type',
    tool({ inputSchema: { type: 'string' } }),
    'tools/list',
    /no inputSchema of type "object"/,
  ],
  [
    'a schema that requires the unknown',
    tool({ inputSchema: { ...TOOL.inputSchema, required: ['texts'] } }),
    'tools/list',
    /requires what it does not describe/,
  ],
  [
    'two tools of one name',
    saying('tools/list', () => ({ result: { tools: [TOOL, TOOL] } })),
    'tools/list',
    /"echo" is listed twice/,
  ],
  [
    'success for an unknown tool',
    saying('tools/call', () => ({ error: undefined, result: { content: [{ type: 'text', text: '{}' }] } })),
    'unknown tool',
    /does not exist succeeds/,
  ],
  [
    'silence for an unknown tool',
    answering('tools/call', (right) => (right.body?.includes('error') ? 'silence' : right)),
    'unknown tool',
    /no answer within/,
  ],
  ['text that is not JSON', content({ type: 'text', text: 'hello' }), 'text is JSON', /not JSON: "hello"/],
  ['an image', content({ type: 'image', data: 'x' }), 'text is JSON', /type "image"/],
  ['a raw object as text', content({ type: 'text', text: { a: 1 } }), 'text is JSON', /without text/],
  [
    'content that is no array',
    saying('tools/call', (message) => ('error' in message ? message : { result: { content: '{}' } })),
    'tools/call echo',
    /not an array/,
  ],
  [
    '202 for initialized with an id',
    answering('notifications/initialized', () => ({ status: 202 })),
    'initialized with an id',
    /HTTP 202/,
  ],
  [
    'data: null for initialized with an id',
    answering('notifications/initialized', () => sse(null)),
    'initialized with an id',
    /data: null/,
  ],
  [
    '400 for a notification',
    (_, right) => (right().status === 202 ? { status: 400 } : right()),
    'initialized without an id',
    /HTTP 400/,
  ],
  [
    'a GET that hangs',
    ({ request }, right) => (request.method === 'GET' ? 'silence' : right()),
    'GET',
    /no answer to GET/,
  ],
  [
    'a GET that opens a stream',
    ({ request }, right) => (request.method === 'GET' ? { ...sse({}), open: true } : right()),
    'GET',
    /does not end/,
  ],
  [
    'no look at Origin',
    (asked, right) => {
      delete asked.request.headers.origin
      return right()
    },
    'foreign Origin',
    /evil\.example may call it/,
  ],
  [
    'any token will do',
    (asked, right) => {
      if (asked.request.headers.authorization !== undefined) asked.request.headers.authorization = `Bearer ${TOKEN}`
      return right()
    },
    'wrong credentials',
    /wrong token is not turned away/,
  ],
  [
    'parsing before asking who it is',
    ({ text }, right) => (text === '{' ? { status: 400 } : right()),
    'no credentials',
    /body is read before credentials/,
  ],
  [
    'a session that is needed',
    ({ message }, right) =>
      String(message.id).startsWith('conmap-tools')
        ? sse({ jsonrpc: '2.0', id: message.id, error: { code: 1, message: 'no session' } })
        : right(),
    'four at once',
    /tools\/list: error "1" "no session"/,
  ],
]

/** Of those whose server does not answer: how long they are waited for. The others have all the time they need. */
const HANG_MS = 1000
const HANGING: ReadonlySet<string> = new Set([
  'a stream that stays open',
  'silence for an unknown tool',
  'a GET that hangs',
  'a GET that opens a stream',
])

describe('one defect', () => {
  test.each(FAILING)('%s is named', async (title, defect, name, words) => {
    const verdicts = await check(defect, HANGING.has(title) ? { timeoutMs: HANG_MS } : {})
    expect(failures(verdicts)).toEqual([name])
    const verdict = verdicts.find((each) => each.name === name)
    expect(verdict?.seen).toMatch(words)
    expect(verdict?.fix).toMatch(/\w+ \w+/)
  })

  test.each<[string, Defect, string, RegExp]>([
    ['CR LF', framing((json) => `event: message\r\ndata: ${json}\r\n\r\n`), 'SSE format', /CR LF/],
    ['a comment', framing((json) => `: hello\n\nevent: message\ndata: ${json}\n\n`), 'SSE format', /comment/],
    ['an id line', framing((json) => `event: message\nid: 7\ndata: ${json}\n\n`), 'SSE format', /`id:`/],
    [
      '401 without a challenge',
      (_, right) => (right().status === 401 ? { status: 401 } : right()),
      'no credentials',
      /without WWW/,
    ],
    ['405 without Allow', (_, right) => (right().status === 405 ? { status: 405 } : right()), 'GET', /without Allow/],
    ['404 for GET', (_, right) => (right().status === 405 ? { status: 404 } : right()), 'GET', /HTTP 404/],
    [
      '400 for a foreign Origin',
      (_, right) => (right().status === 403 ? { status: 400 } : right()),
      'foreign Origin',
      /HTTP 400/,
    ],
    [
      '204 for a notification',
      (_, right) => (right().status === 202 ? { status: 204 } : right()),
      'initialized without an id',
      /204/,
    ],
    [
      'no required',
      tool({ inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }),
      'tools/list',
      /no "required"/,
    ],
    ['no tools', saying('tools/list', () => ({ result: { tools: [] } })), 'tools/list', /no tools/],
    ['pages', saying('tools/list', () => ({ result: { tools: [TOOL], nextCursor: 'x' } })), 'tools/list', /more pages/],
    [
      'another revision',
      saying('initialize', () => ({ result: { ...INITIALIZE, protocolVersion: '2025-03-26' } })),
      'initialize',
      /2025-03-26/,
    ],
  ])('%s is only warned about', async (_, defect, name, words) => {
    const verdicts = await check(defect, { tool: undefined, args: undefined })
    expect(failures(verdicts)).toEqual([])
    const verdict = verdicts.find((each) => each.name === name)
    expect(verdict).toMatchObject({ state: 'warning', seen: expect.stringMatching(words) })
  })
})

test("the page's own sample has the format right and the rest not", async () => {
  const verdicts = await check(({ request, message }) => {
    if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' } }
    if (Object.keys(message).length === 0) return { status: 500, body: 'Internal Server Error' }
    const { id, method } = message
    if (method === 'initialize') return sse({ jsonrpc: '2.0', id, result: INITIALIZE })
    if (method === 'tools/list') return sse({ jsonrpc: '2.0', id, result: { tools: [TOOL] } })
    if (method !== 'tools/call') return sse(null)
    const text = JSON.stringify({ result: 'processed data' })
    return sse({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })
  })
  for (const name of ['POST', 'SSE format', 'initialize', 'tools/list', 'tools/call echo', 'text is JSON', 'GET']) {
    expect(stateOf(verdicts, name)).toBe('ok')
  }
  expect(failures(verdicts)).toEqual(['wrong credentials', 'foreign Origin', 'initialized with an id', 'unknown tool'])
  // On loopback an open door is a warning.
  expect(stateOf(verdicts, 'no credentials')).toBe('warning')
})

describe('an examination ends early', () => {
  test('where the host does not resolve, and nothing is said to work', async () => {
    const url = new URL('https://does-not-exist.invalid/mcp')
    const verdicts = await examine({ url, token: TOKEN, keyHeader: undefined, tool: undefined, args: undefined })
    expect(verdicts.map(({ name, state }) => `${state} ${name}`)).toEqual([
      'skipped HTTPS',
      'skipped certificate',
      'failed POST',
    ])
    expect(verdicts.at(-1)?.fix).toContain('The host name does not resolve')
  })

  test('where nobody answers', async () => {
    const verdicts = await check(() => 'silence', { timeoutMs: HANG_MS })
    expect(failures(verdicts)).toEqual(['POST'])
    expect(verdicts.at(-1)?.seen).toContain('no answer within 1000 ms')
  })

  test('where credentials are asked for and none were given, or the wrong ones', async () => {
    const without = await check(none, { token: undefined })
    expect(without.at(-2)).toMatchObject({ name: 'credentials', fix: 'Run this again with --token.' })
    const wrong = await check(none, { token: 'other' })
    expect(wrong.at(-2)).toMatchObject({ name: 'credentials', seen: expect.stringContaining('refused: HTTP 401') })
    const elsewhere = await check(none, { keyHeader: 'x-api-key' })
    expect(failures(elsewhere)).toEqual(['credentials'])
  })

  test('where the path is wrong, or moved', async () => {
    const missing = await check((_, right) =>
      right().status === 200 ? { status: 404, body: 'nothing here' } : right(),
    )
    expect(missing.at(-2)).toMatchObject({
      name: 'POST',
      state: 'failed',
      seen: expect.stringContaining('404 "nothing here"'),
    })
    const moved = await check(() => ({ status: 308, headers: { location: 'https://x/mcp' } }))
    expect(moved.at(-2)).toMatchObject({ name: 'POST', seen: 'it redirects (HTTP 308) to "https://x/mcp"' })
  })
})

describe('what is run on the server', () => {
  const called: unknown[] = []
  const noting: Defect = ({ message }, right) => {
    if (message.method === 'tools/call') called.push(message.params)
    return right()
  }

  afterEach(() => void called.splice(0))

  test('nothing, unless a tool was named; and that is told', async () => {
    const verdicts = await check(noting, { tool: undefined, args: undefined })
    expect(called).toEqual([{ name: 'scorpiox_check_no_such_tool', arguments: {} }])
    expect(verdicts.find(({ name }) => name === 'tools/call')).toMatchObject({
      state: 'skipped',
      seen: /unless you name it/,
    })
    expect(stateOf(verdicts, 'text is JSON')).toBe('skipped')
    expect(failures(verdicts)).toEqual([])
  })

  test('Bash runs true, and a tool that is not listed is not called', async () => {
    const bash = tool({ name: 'Bash' })
    await check((asked, right) => noting(asked, () => bash(asked, right) as Reply), { tool: 'Bash', args: undefined })
    expect(called.at(-1)).toEqual({ name: 'Bash', arguments: { command: 'true' } })
    called.splice(0)
    expect(failures(await check(noting, { tool: 'Rm', args: {} }))).toEqual(['tools/call Rm'])
    expect(called).toHaveLength(1)
  })

  test('sessions that were opened are ended', async () => {
    const ended: unknown[] = []
    let count = 0
    await check(({ request, message }, right) => {
      if (request.method === 'DELETE') ended.push(request.headers['mcp-session-id'])
      const reply = right()
      if (message.method !== 'initialize' || reply.status !== 200) return reply
      return { ...reply, headers: { ...reply.headers, 'mcp-session-id': `s${++count}` } }
    })
    expect(count).toBeGreaterThan(2)
    expect(new Set(ended)).toEqual(new Set(Array.from({ length: count }, (_, index) => `s${index + 1}`)))
  })
})

const hasOpenssl = ((): boolean => {
  try {
    return execFileSync('openssl', ['version']).length > 0
  } catch {
    return false
  }
})()

test.skipIf(!hasOpenssl)('a certificate nobody trusts fails; on this machine the rest goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-check-'))
  const [certFile, keyFile] = [join(folder, 'crt'), join(folder, 'key')]
  const made = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    keyFile,
    '-out',
    certFile,
  ]
  const subject = ['-subj', '/CN=me', '-addext', 'subjectAltName=DNS:localhost', '-days', '90']
  execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'ignore' })
  const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
  const port = await listening(createHttpsServer(tls, listenerFor(none)))
  const given = { token: TOKEN, keyHeader: undefined, tool: undefined, args: undefined, timeoutMs: 2000 }
  const distrusted = await examine({ ...given, url: new URL(`https://localhost:${port}/mcp`) })
  expect(failures(distrusted)).toEqual(['certificate'])
  expect(distrusted[1]?.seen).toMatch(/not trusted here \(DEPTH_ZERO_SELF_SIGNED_CERT\), issued by "me"/)
  const misnamed = await examine({ ...given, url: new URL(`https://127.0.0.1:${port}/mcp`) })
  expect(misnamed[1]?.seen).toContain('does not match certificate')
  const secrets = createHttpsServer(tls, (request, response) => {
    expect(request.headers.authorization).toBeUndefined()
    listenerFor(none)(request, response)
  })
  // An address of this machine that does not look like one.
  const far = await examine({ ...given, url: new URL(`https://0.0.0.0:${await listening(secrets)}/mcp`) })
  expect(far.at(-1)).toMatchObject({ state: 'skipped', seen: expect.stringContaining('the token is not sent') })
})
