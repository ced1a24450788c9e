// Runs the checks against test servers: a correct one, the sample of ArmorIQ's documentation, and one for each defect.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, describe, expect, test } from 'vitest'

import type { JsonObject } from '@scorpiox/mcp/json/json'
import { needs } from '../../../../../test/support/runtime.js'
import type { CheckResult } from './check-result.js'
import { type CheckRequest, runChecks } from './run-checks.js'

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
  /** Sends the body and leaves the response open. */
  readonly open?: boolean
}

interface ReceivedRequest {
  readonly request: IncomingMessage
  readonly text: string
  readonly message: JsonObject
}

/** A defect: the reply instead of the correct one; 'silence' sends no reply. */
type Defect = (received: ReceivedRequest, correctReply: () => Reply) => Reply | 'silence'

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

function correctServer({ request, text, message }: ReceivedRequest): Reply {
  const { headers, method } = request
  if (headers.origin !== undefined) return { status: 403 }
  if (headers.authorization !== `Bearer ${TOKEN}`) return { status: 401, headers: { 'www-authenticate': 'Bearer' } }
  if (method !== 'POST') return { status: 405, headers: { allow: 'POST' } }
  if (text === '{') return { status: 400 }
  if (message.id === undefined) return { status: 202 }
  const { id } = message
  const result = answerTo(message)
  return sse({ jsonrpc: '2.0', id, ...result })
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
      const received = { request, text, message }
      const reply = defect(received, () => correctServer(received))
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

const none: Defect = (_, correctReply) => correctReply()

async function check(defect: Defect, more: Partial<CheckRequest> = {}): Promise<readonly CheckResult[]> {
  const url = new URL(`http://127.0.0.1:${await listening(createServer(listenerFor(defect)))}/mcp`)
  return runChecks({
    url,
    token: TOKEN,
    keyHeader: undefined,
    tool: 'echo',
    args: { text: 'hello' },
    timeoutMs: 20_000,
    ...more,
  })
}

const failures = (verdicts: readonly CheckResult[]): string[] =>
  verdicts.filter(({ state }) => state === 'failed').map(({ name }) => name)

const stateOf = (verdicts: readonly CheckResult[], name: string): string | undefined =>
  verdicts.find((verdict) => verdict.name === name)?.state

test('a correct server has no findings', async () => {
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

/** Changes the responses to one method; all others stay correct. */
const answering =
  (method: string, change: (correctReply: Reply, message: JsonObject) => Reply | 'silence'): Defect =>
  ({ message }, correctReply) =>
    message.method === method && correctReply().status === 200 ? change(correctReply(), message) : correctReply()

/** Changes the message inside a response. */
const withMessage = (method: string, change: (message: JsonObject) => JsonObject): Defect =>
  answering(method, (correctReply) => sse({ ...messageOf(correctReply), ...change(messageOf(correctReply)) }))

const messageOf = ({ body = '' }: Reply): JsonObject => parse(/data: (.*)/.exec(body)?.[1] ?? '')

/** Changes the framing of every response. */
const framing =
  (change: (json: string) => string): Defect =>
  (_, correctReply) => {
    const reply = correctReply()
    return reply.status === 200 ? { ...reply, body: change(JSON.stringify(messageOf(reply))) } : reply
  }

const tool = (more: object): Defect => withMessage('tools/list', () => ({ result: { tools: [{ ...TOOL, ...more }] } }))

const content = (...items: unknown[]): Defect =>
  withMessage('tools/call', (message) => ('error' in message ? message : { result: { content: items } }))

const pretty = (json: string): string => JSON.stringify(JSON.parse(json), null, 2)

/** Each case: title, defect, the one check that fails, and its text. */
const FAILING: readonly [string, Defect, string, RegExp][] = [
  ['no space after data:', framing((json) => `event: message\ndata:${json}\n\n`), 'SSE format', /no space after/],
  [
    'JSON over several data lines',
    framing((json) => `event: message\n${pretty(json).replace(/^/gm, 'data: ')}\n\n`),
    'SSE format',
    /spread over \d+ lines/,
  ],
  [
    'JSON that continues without data:',
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
  [
    'no empty line at the end',
    framing((json) => `event: message\ndata: ${json}\n`),
    'SSE format',
    /does not end with an empty line/,
  ],
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
    (_, correctReply) => ({
      ...correctReply(),
      headers: { ...correctReply().headers, 'content-type': 'application/json' },
    }),
    'SSE format',
    /content type is "application\/json"/,
  ],
  [
    'plain JSON',
    (_, correctReply) =>
      correctReply().status === 200 ? { status: 200, body: JSON.stringify(messageOf(correctReply())) } : correctReply(),
    'SSE format',
    /content type is missing; there is no event/,
  ],
  [
    'a stream that stays open',
    answering('tools/list', (correctReply) => ({ ...correctReply, open: true })),
    'SSE format',
    /stayed open/,
  ],
  ['another id', withMessage('tools/list', ({ id }) => ({ id: id === 1 ? '1' : id })), 'tools/list', /the id is "1"/],
  [
    'no jsonrpc',
    withMessage('tools/list', ({ id }) => ({ jsonrpc: id === 1 ? '1.0' : '2.0' })),
    'tools/list',
    /"jsonrpc" is not/,
  ],
  [
    'no capabilities',
    withMessage('initialize', () => ({ result: { ...INITIALIZE, capabilities: {} } })),
    'initialize',
    /capabilities.tools/,
  ],
  [
    'no server info',
    withMessage('initialize', () => ({ result: { ...INITIALIZE, serverInfo: {} } })),
    'initialize',
    /serverInfo/,
  ],
  [
    'tools that are no array',
    withMessage('tools/list', () => ({ result: { tools: {} } })),
    'tools/list',
    /not an array/,
  ],
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
    /requires parameters that it does not describe/,
  ],
  [
    'two tools of one name',
    withMessage('tools/list', () => ({ result: { tools: [TOOL, TOOL] } })),
    'tools/list',
    /"echo" is listed twice/,
  ],
  [
    'success for an unknown tool',
    withMessage('tools/call', () => ({ error: undefined, result: { content: [{ type: 'text', text: '{}' }] } })),
    'unknown tool',
    /does not exist succeeds/,
  ],
  [
    'silence for an unknown tool',
    answering('tools/call', (correctReply) => (correctReply.body?.includes('error') ? 'silence' : correctReply)),
    'unknown tool',
    /no answer within/,
  ],
  ['text that is not JSON', content({ type: 'text', text: 'hello' }), 'text is JSON', /not JSON: "hello"/],
  ['an image', content({ type: 'image', data: 'x' }), 'text is JSON', /type "image"/],
  ['a raw object as text', content({ type: 'text', text: { a: 1 } }), 'text is JSON', /without text/],
  [
    'content that is no array',
    withMessage('tools/call', (message) => ('error' in message ? message : { result: { content: '{}' } })),
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
    (_, correctReply) => (correctReply().status === 202 ? { status: 400 } : correctReply()),
    'initialized without an id',
    /HTTP 400/,
  ],
  [
    'a GET that hangs',
    ({ request }, correctReply) => (request.method === 'GET' ? 'silence' : correctReply()),
    'GET',
    /no response to GET/,
  ],
  [
    'a GET that opens a stream',
    ({ request }, correctReply) => (request.method === 'GET' ? { ...sse({}), open: true } : correctReply()),
    'GET',
    /does not end/,
  ],
  [
    'Origin not checked',
    (received, correctReply) => {
      delete received.request.headers.origin
      return correctReply()
    },
    'foreign Origin',
    /evil\.example may call it/,
  ],
  [
    'any token accepted',
    (received, correctReply) => {
      if (received.request.headers.authorization !== undefined)
        received.request.headers.authorization = `Bearer ${TOKEN}`
      return correctReply()
    },
    'wrong credentials',
    /wrong token is not rejected/,
  ],
  [
    'body parsed before authentication',
    ({ text }, correctReply) => (text === '{' ? { status: 400 } : correctReply()),
    'no credentials',
    /body is read before the credentials/,
  ],
  [
    'a session is required',
    ({ message }, correctReply) =>
      String(message.id).startsWith('conmap-tools')
        ? sse({ jsonrpc: '2.0', id: message.id, error: { code: 1, message: 'no session' } })
        : correctReply(),
    'four at once',
    /tools\/list: error "1" "no session"/,
  ],
]

/** Timeout for cases whose server does not answer; the others use the default. */
const HANG_MS = 1000
const HANGING: ReadonlySet<string> = new Set([
  'a stream that stays open',
  'silence for an unknown tool',
  'a GET that hangs',
  'a GET that opens a stream',
])

describe('one defect', () => {
  test.each(FAILING)('%s is named', async (title, defect, name, pattern) => {
    const verdicts = await check(defect, HANGING.has(title) ? { timeoutMs: HANG_MS } : {})
    expect(failures(verdicts)).toEqual([name])
    const verdict = verdicts.find((each) => each.name === name)
    expect(verdict?.seen).toMatch(pattern)
    expect(verdict?.fix).toMatch(/\w+ \w+/)
  })

  test.each<[string, Defect, string, RegExp]>([
    ['CR LF', framing((json) => `event: message\r\ndata: ${json}\r\n\r\n`), 'SSE format', /CR LF/],
    ['a comment', framing((json) => `: hello\n\nevent: message\ndata: ${json}\n\n`), 'SSE format', /comment/],
    ['an id line', framing((json) => `event: message\nid: 7\ndata: ${json}\n\n`), 'SSE format', /`id:`/],
    [
      '401 without a challenge',
      (_, correctReply) => (correctReply().status === 401 ? { status: 401 } : correctReply()),
      'no credentials',
      /without WWW/,
    ],
    [
      '405 without Allow',
      (_, correctReply) => (correctReply().status === 405 ? { status: 405 } : correctReply()),
      'GET',
      /without Allow/,
    ],
    [
      '404 for GET',
      (_, correctReply) => (correctReply().status === 405 ? { status: 404 } : correctReply()),
      'GET',
      /HTTP 404/,
    ],
    [
      '400 for a foreign Origin',
      (_, correctReply) => (correctReply().status === 403 ? { status: 400 } : correctReply()),
      'foreign Origin',
      /HTTP 400/,
    ],
    [
      '204 for a notification',
      (_, correctReply) => (correctReply().status === 202 ? { status: 204 } : correctReply()),
      'initialized without an id',
      /204/,
    ],
    [
      'no required',
      tool({ inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }),
      'tools/list',
      /no "required"/,
    ],
    ['no tools', withMessage('tools/list', () => ({ result: { tools: [] } })), 'tools/list', /no tools/],
    [
      'pages',
      withMessage('tools/list', () => ({ result: { tools: [TOOL], nextCursor: 'x' } })),
      'tools/list',
      /more pages/,
    ],
    [
      'another revision',
      withMessage('initialize', () => ({ result: { ...INITIALIZE, protocolVersion: '2025-03-26' } })),
      'initialize',
      /2025-03-26/,
    ],
  ])('%s is only warned about', async (_, defect, name, pattern) => {
    const verdicts = await check(defect, { tool: undefined, args: undefined })
    expect(failures(verdicts)).toEqual([])
    const verdict = verdicts.find((each) => each.name === name)
    expect(verdict).toMatchObject({ state: 'warning', seen: expect.stringMatching(pattern) })
  })
})

test("the sample of ArmorIQ's documentation passes the format checks only", async () => {
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
  // On loopback, access without credentials is only a warning.
  expect(stateOf(verdicts, 'no credentials')).toBe('warning')
})

describe('the checks stop early', () => {
  test('if the host does not resolve; no check passes', async () => {
    const url = new URL('https://does-not-exist.invalid/mcp')
    const verdicts = await runChecks({ url, token: TOKEN, keyHeader: undefined, tool: undefined, args: undefined })
    expect(verdicts.map(({ name, state }) => `${state} ${name}`)).toEqual([
      'skipped HTTPS',
      'skipped certificate',
      'failed POST',
    ])
    expect(verdicts.at(-1)?.fix).toContain('The host name does not resolve')
  })

  test('if there is no response', async () => {
    const verdicts = await check(() => 'silence', { timeoutMs: HANG_MS })
    expect(failures(verdicts)).toEqual(['POST'])
    expect(verdicts.at(-1)?.seen).toContain('no answer within 1000 ms')
  })

  test('if credentials are required and missing or wrong', async () => {
    const without = await check(none, { token: undefined })
    expect(without.at(-2)).toMatchObject({ name: 'credentials', fix: 'Run this again with --token.' })
    const wrong = await check(none, { token: 'other' })
    expect(wrong.at(-2)).toMatchObject({ name: 'credentials', seen: expect.stringContaining('rejected: HTTP 401') })
    const wrongHeader = await check(none, { keyHeader: 'x-api-key' })
    expect(failures(wrongHeader)).toEqual(['credentials'])
  })

  test('if the path is wrong or redirects', async () => {
    const missing = await check((_, correctReply) =>
      correctReply().status === 200 ? { status: 404, body: 'nothing here' } : correctReply(),
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

describe('tool calls', () => {
  const called: unknown[] = []
  const recordCalls: Defect = ({ message }, correctReply) => {
    if (message.method === 'tools/call') called.push(message.params)
    return correctReply()
  }

  afterEach(() => void called.splice(0))

  test('no tool is called without --tool, and the report says so', async () => {
    const verdicts = await check(recordCalls, { tool: undefined, args: undefined })
    expect(called).toEqual([{ name: 'scorpiox_check_no_such_tool', arguments: {} }])
    expect(verdicts.find(({ name }) => name === 'tools/call')).toMatchObject({
      state: 'skipped',
      seen: expect.stringMatching(/without --tool/),
    })
    expect(stateOf(verdicts, 'text is JSON')).toBe('skipped')
    expect(failures(verdicts)).toEqual([])
  })

  test('Bash runs the command true; an unlisted tool is not called', async () => {
    const bash = tool({ name: 'Bash' })
    await check((received, correctReply) => recordCalls(received, () => bash(received, correctReply) as Reply), {
      tool: 'Bash',
      args: undefined,
    })
    expect(called.at(-1)).toEqual({ name: 'Bash', arguments: { command: 'true' } })
    called.splice(0)
    expect(failures(await check(recordCalls, { tool: 'Rm', args: {} }))).toEqual(['tools/call Rm'])
    expect(called).toHaveLength(1)
  })

  test('opened sessions are closed', async () => {
    const ended: unknown[] = []
    let count = 0
    await check(({ request, message }, correctReply) => {
      if (request.method === 'DELETE') ended.push(request.headers['mcp-session-id'])
      const reply = correctReply()
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

test(
  'an untrusted certificate fails; on loopback the other checks still run',
  needs(hasOpenssl ? undefined : 'openssl is not installed'),
  async () => {
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
    const request = { token: TOKEN, keyHeader: undefined, tool: undefined, args: undefined, timeoutMs: 2000 }
    const untrusted = await runChecks({ ...request, url: new URL(`https://localhost:${port}/mcp`) })
    expect(failures(untrusted)).toEqual(['certificate'])
    expect(untrusted[1]?.seen).toMatch(/not trusted here \(DEPTH_ZERO_SELF_SIGNED_CERT\), issued by "me"/)
    const wrongHost = await runChecks({ ...request, url: new URL(`https://127.0.0.1:${port}/mcp`) })
    expect(wrongHost[1]?.seen).toContain('does not match certificate')
    const secrets = createHttpsServer(tls, (received, response) => {
      expect(received.headers.authorization).toBeUndefined()
      listenerFor(none)(received, response)
    })
    // An address of this machine that is not recognized as loopback.
    const far = await runChecks({ ...request, url: new URL(`https://0.0.0.0:${await listening(secrets)}/mcp`) })
    expect(far.at(-1)).toMatchObject({ state: 'skipped', seen: expect.stringContaining('the token is not sent') })
  },
)
