// Access control over real sockets: Host and Origin on every endpoint, then tokens and where they are stored.

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import { call, cleanEnv, emptyFolder, type Json, PROGRAM, startServer } from '../support/client.js'
import {
  type HttpServer,
  logComplaints,
  openConnection,
  rpc,
  sendRequest,
  startProgram,
  TOKEN,
} from '../support/http-client.js'

let server: HttpServer

beforeAll(async () => {
  const env = { RATE_LIMIT: '0', PUBLIC_URL: 'https://mcp.example.com', ALLOWED_HOSTS: 'other.example:8443' }
  server = await startProgram({ env })
})

afterAll(async () => {
  expect(await server.stop()).toBe(0)
  expect(logComplaints(server)).toEqual([])
})

const ENDPOINTS = [
  'POST /mcp',
  'GET /mcp',
  'DELETE /mcp',
  'OPTIONS /mcp',
  'GET /sse',
  'POST /messages?sessionId=x',
  'GET /metrics',
  'GET /healthz',
  'GET /readyz',
  'GET /nowhere',
  'upgrade /mcp',
] as const

const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Protocol: mcp',
]

/** The status of one request with exactly these lines and a valid token. */
async function statusOf(endpoint: (typeof ENDPOINTS)[number], lines: readonly string[]): Promise<number> {
  const [word = '', path = ''] = endpoint.split(' ')
  const isPost = word === 'POST'
  const body = isPost ? rpc('ping') : ''
  const client = await openConnection(server)
  const head = [
    `${word === 'upgrade' ? 'GET' : word} ${path} HTTP/1.1`,
    `Authorization: Bearer ${TOKEN}`,
    'Accept: application/json, text/event-stream',
    ...(isPost ? ['Content-Type: application/json', `Content-Length: ${body.length}`] : []),
    ...(word === 'upgrade' ? UPGRADE : []),
    ...lines,
  ]
  client.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(await client.until(/^HTTP\/1\.1 \d+ .*\r\n/)) ?? []
  client.socket.destroy()
  return Number(status)
}

const EVIL_HOSTS = [
  ['Host: evil.example'],
  ['Host: evil.example:8808'],
  ['Host: localhost.evil.example'],
  ['Host: evil-localhost'],
  ['Host: localhost@evil.example'],
  ['Host: evil.example@localhost'],
  ['Host: localhost:80:80'],
  ['Host: localhost:'],
  ['Host: localhost:0'],
  ['Host: localhost:99999'],
  ['Host: localhost.'],
  ['Host: http://localhost'],
  ['Host: localhost/'],
  ['Host: localhost, evil.example'],
  ['Host: localhost evil.example'],
  ['Host: 127.0.0.1.evil.example'],
  ['Host: 127.1'],
  ['Host: 0177.0.0.1'],
  ['Host: 2130706433'],
  ['Host: 0x7f000001'],
  ['Host: 0.0.0.0'],
  ['Host: 127.0.0.256'],
  ['Host: 128.0.0.1'],
  ['Host: [::]'],
  ['Host: [::ffff:127.0.0.1]'],
  ['Host: [::1'],
  ['Host: ::1'],
  ['Host: [::1%25lo]'],
  ['Host: mcp.example.com.evil.example'],
  ['Host: xmcp.example.com'],
  ['Host: mcp.example.com.'],
  ['Host:'],
  ['Host: *'],
  ['Host: null'],
  ['Host: localhost', 'Host: evil.example'],
  ['Host: evil.example', 'Host: localhost'],
  ['X-Forwarded-Host: localhost', 'Host: evil.example'],
  [],
]

const EVIL_ORIGINS = [
  'https://evil.example',
  'http://evil.example',
  'null',
  '',
  '*',
  'file://',
  'chrome-extension://abcdef',
  'http://localhost.evil.example',
  'http://evil-localhost',
  'http://localhost@evil.example',
  'http://evil.example@localhost',
  'http://localhost:99999',
  'http://localhost:0',
  'http://localhost:80:80',
  'http://localhost/',
  'http://localhost/path',
  'http://localhost?x',
  'http://localhost#x',
  'http://LOCALHOST',
  'HTTP://localhost',
  'localhost',
  '//localhost',
  'ws://localhost',
  'http:localhost',
  'http:///localhost',
  'http://127.0.0.1.evil.example',
  'http://127.1',
  'http://0.0.0.0',
  'http://[::ffff:127.0.0.1]',
  'http://localhost, http://evil.example',
  'http://mcp.example.com',
  'https://mcp.example.com:444',
  'https://MCP.example.com',
  'https://mcp.example.com.evil.example',
  'https://xmcp.example.com',
  'https://other.example',
  'http://other.example:8443',
] as const

describe('a foreign Host', () => {
  test.each(ENDPOINTS)(`is refused by %s, all ${EVIL_HOSTS.length} of them`, async (endpoint) => {
    const statuses = await Promise.all(EVIL_HOSTS.map((lines) => statusOf(endpoint, lines)))
    const accepted = EVIL_HOSTS.filter((_, index) => ![400, 403].includes(statuses[index] ?? 0))
    expect(accepted).toEqual([])
  })
})

describe('a foreign Origin', () => {
  test.each(ENDPOINTS)(`is refused by %s, all ${EVIL_ORIGINS.length} of them`, async (endpoint) => {
    const all = EVIL_ORIGINS.map((origin) => statusOf(endpoint, ['Host: localhost', `Origin: ${origin}`]))
    const statuses = await Promise.all(all)
    expect(EVIL_ORIGINS.filter((_, index) => statuses[index] !== 403)).toEqual([])
  })

  test.each([
    [{ host: 'evil.example' }, 'Host not allowed; the operator of the server can add it to ALLOWED_HOSTS'],
    [{ origin: 'null' }, 'Origin not allowed; the operator of the server can add its host to ALLOWED_HOSTS'],
  ])('is refused with a message that names the setting: %o', async (headers, message) => {
    const { status, text } = await sendRequest(server, { body: rpc('ping'), headers })
    expect([status, text]).toEqual([403, expect.stringContaining(message)])
  })

  test('is refused beside an allowed one', async () => {
    const lines = ['Host: localhost', 'Origin: http://localhost', 'Origin: https://evil.example']
    expect(await statusOf('POST /mcp', lines)).toBe(403)
  })
})

describe('the own host', () => {
  test.each([
    'localhost',
    'LOCALHOST:1',
    '127.0.0.1',
    '127.9.9.9:80',
    '[::1]:8808',
    'mcp.example.com',
    'other.example',
  ])('the Host %s is served', async (host) => {
    expect(await statusOf('POST /mcp', [`Host: ${host}`])).toBe(200)
  })

  test.each([
    'http://localhost',
    'https://localhost:3000',
    'http://127.0.0.1:5173',
    'http://[::1]',
    'https://mcp.example.com',
    'https://other.example:8443',
  ])('a page of %s is served, with the token', async (origin) => {
    const { status, headers } = await sendRequest(server, { body: rpc('ping'), headers: { origin } })
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'origin' })
    expect((await sendRequest(server, { token: '', body: rpc('ping'), headers: { origin } })).status).toBe(401)
  })

  test('a page gets the CORS headers', async () => {
    const headers = {
      origin: 'http://localhost:3000',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,mcp-session-id',
    }
    const { status, headers: given } = await sendRequest(server, { method: 'OPTIONS', token: '', headers })
    expect(status).toBe(204)
    expect(given).toMatchObject({
      'access-control-allow-origin': 'http://localhost:3000',
      'access-control-allow-headers': 'authorization,mcp-session-id',
    })
  })

  test('an absolute URL does not bypass the check', async () => {
    const client = await openConnection(server)
    client.write(
      `GET http://evil.example/metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
    )
    expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 404 /)
    client.socket.destroy()
  })
})

describe('credentials', () => {
  const statusWith = async (to: HttpServer, headers: Record<string, string>, path = '/mcp'): Promise<number> =>
    (await sendRequest(to, { token: '', path, body: rpc('ping'), headers })).status

  test('are a bearer token or a key header, and nothing else', async () => {
    expect(await statusWith(server, { authorization: `Bearer ${TOKEN}` })).toBe(200)
    expect(await statusWith(server, { authorization: `bearer   ${TOKEN}` })).toBe(200)
    expect(await statusWith(server, { 'x-api-key': TOKEN })).toBe(200)
    expect(await statusWith(server, { 'x-api-key': TOKEN, authorization: `Bearer ${TOKEN}` })).toBe(200)
    const wrong: readonly (readonly [Record<string, string>, string?])[] = [
      [{}],
      [{}, `/mcp?token=${TOKEN}`],
      [{ cookie: `token=${TOKEN}` }],
      [{ authorization: TOKEN }],
      [{ authorization: 'Bearer' }],
      [{ authorization: `Bearer ${TOKEN}x` }],
      [{ authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
      [{ authorization: `Basic ${Buffer.from(`user:${TOKEN}`).toString('base64')}` }],
      [{ 'x-api-key': '' }],
      [{ 'x-api-key': `Bearer ${TOKEN}` }],
      [{ 'x-api-key': 'other', authorization: `Bearer ${TOKEN}` }],
      [{ 'x-api-key': TOKEN, authorization: 'Bearer other' }],
    ]
    for (const [headers, path] of wrong)
      expect([headers, await statusWith(server, headers, path)]).toEqual([headers, 401])
  })

  test('are required before the body is read', async () => {
    const fresh = await startProgram()
    const { status, headers, json } = await sendRequest(fresh, { token: '', body: '{ not json' })
    expect({ status, challenge: headers['www-authenticate'] }).toEqual({ status: 401, challenge: 'Bearer' })
    expect(json.error.message).toMatch(/Authorization: Bearer/)
    for (const path of ['/metrics', '/sse', '/nowhere']) {
      expect((await sendRequest(fresh, { method: 'GET', path, token: '' })).status).toBe(401)
    }
    await fresh.stop()
  })

  test('may be in a header with another name, and then not in the default one', async () => {
    const other = await startProgram({ env: { HTTP_KEY_HEADER: 'X-My-Key' } })
    expect(await statusWith(other, { 'x-my-key': TOKEN })).toBe(200)
    expect(await statusWith(other, { 'x-api-key': TOKEN })).toBe(401)
    await other.stop()
  })

  test('too many wrong tokens get 429, and the right one still works', async () => {
    const other = await startProgram()
    const guesses = Array.from({ length: 60 }, (_, index) =>
      sendRequest(other, { token: `guess-${index}`, body: rpc('ping') }),
    )
    const answers = await Promise.all(guesses)
    const blocked = answers.filter(({ status }) => status === 429)
    expect(answers.map(({ status }) => status).filter((status) => status !== 401 && status !== 429)).toEqual([])
    expect(blocked.length).toBeGreaterThan(10)
    for (const { headers } of blocked) expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect((await sendRequest(other, { body: rpc('ping') })).status).toBe(200)
    await other.stop()
  })
})

const run = promisify(execFile)

async function program(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await run(process.execPath, [PROGRAM, ...args], { cwd: emptyFolder(), env: cleanEnv(env) })
  return stdout
}

describe('tokens', () => {
  test('are created, listed and revoked while the server runs, and only their hashes are stored', async () => {
    const env = { STATE_DIR: emptyFolder() }
    const tokens = await startProgram({ env })
    const made: Json = JSON.parse(
      await program(['token', 'create', '--user', 'carol', '--name', 'hers', '--json'], env),
    )
    const pingAs = async (token: string): Promise<number> =>
      (await sendRequest(tokens, { token, body: rpc('ping') })).status
    expect(await pingAs(made.token)).toBe(200)
    const listed = await program(['token', 'list'], env)
    expect(listed).toMatch(/hers\s+carol/)
    const kept = readFileSync(join(env.STATE_DIR, 'tokens.json'), 'utf8')
    for (const shown of [listed, kept]) expect(shown).not.toContain(made.token)
    const headers = { authorization: `Bearer ${made.token}` }
    const socket = new WebSocket(`ws://127.0.0.1:${tokens.port}/mcp`, 'mcp', { headers })
    const closed = once(socket, 'close').then(([code, reason]) => [code, String(reason)])
    await once(socket, 'open')
    expect(await program(['token', 'revoke', 'hers'], env)).toContain('Revoked')
    await vi.waitFor(async () => expect(await pingAs(made.token)).toBe(401), 5000)
    expect(await pingAs(TOKEN)).toBe(200)
    // The connection was authorized by the revoked token.
    expect(await closed).toEqual([1008, 'the credential is no longer valid'])
    await tokens.stop()
  })

  test('the first start creates one, prints it once, and it stays valid', async () => {
    const env = { HTTP_TOKEN: '', STATE_DIR: emptyFolder() }
    // A failed start, because the port is in use, does not use it up.
    await expect(startProgram({ env, flags: ['--port', String(server.port)] })).rejects.toThrow('is in use')
    const first = await startProgram({ env })
    const [, token = ''] = /Bearer (\S+)'/.exec(first.greeting) ?? []
    expect(token).toMatch(/^\S{32,}$/)
    expect((await sendRequest(first, { token, body: rpc('ping') })).status).toBe(200)
    expect((await sendRequest(first, { token: '', body: rpc('ping') })).status).toBe(401)
    await first.stop()
    const file = join(env.STATE_DIR, 'tokens.json')
    expect(readFileSync(file, 'utf8')).not.toContain(token)
    expect(statSync(file).mode & 0o077).toBe(0)
    const second = await startProgram({ env })
    expect(second.greeting).not.toContain(token)
    expect(second.greeting).toContain('<token>')
    expect((await sendRequest(second, { token, body: rpc('ping') })).status).toBe(200)
    await second.stop()
  })

  test('a token from the environment is not printed', () => {
    expect(server.greeting).not.toContain(TOKEN)
  })
})

describe('a start without access control', () => {
  test.each([
    ['--no-auth beyond loopback', ['--no-auth', '--host', '0.0.0.0'], {}, /--no-auth is for loopback/],
    ['--no-auth on every address of IPv6', ['--no-auth', '--host', '::'], {}, /--no-auth is for loopback/],
    ['tokens in the clear', ['--host', '0.0.0.0'], { HTTP_TOKEN: TOKEN }, /TLS_CERT/],
    ['no user with access', ['--host', '0.0.0.0', '--behind-proxy'], {}, /token create/],
    ['a key header that browsers send', [], { HTTP_TOKEN: TOKEN, HTTP_KEY_HEADER: 'Cookie' }, /HTTP_KEY_HEADER/],
  ])('is refused: %s', async (_, flags, env, pattern) => {
    const failure: Json = await program(['serve', '--http', '--port', '0', ...flags], env).catch(
      (error: unknown) => error,
    )
    expect(failure.code).toBeGreaterThan(0)
    expect(failure.stderr).toMatch(pattern)
    expect(failure.stdout).toBe('')
  })

  test('--no-auth on loopback serves this machine, and still no web page', async () => {
    const open = await startProgram({ flags: ['--no-auth'], env: { HTTP_TOKEN: '' }, token: '' })
    expect((await sendRequest(open, { body: rpc('ping') })).status).toBe(200)
    expect((await sendRequest(open, { body: rpc('ping'), headers: { origin: 'https://evil.example' } })).status).toBe(
      403,
    )
    expect((await sendRequest(open, { body: rpc('ping'), headers: { host: 'evil.example' } })).status).toBe(403)
    await open.stop()
  })

  test('--no-auth: a caller, such as a sandboxed command, gets neither the console nor plan mode', async () => {
    const open = await startProgram({ flags: ['--no-auth'], env: { HTTP_TOKEN: '' }, token: '' })
    const board = (token: string) => sendRequest(open, { method: 'GET', path: '/board', token, headers: {} })
    const kill = (token: string) =>
      sendRequest(open, { path: '/board/kill', token, body: JSON.stringify({ server: 'x', id: 1 }) })
    const refusal = [401, expect.stringContaining('the link that the server printed')]
    for (const token of ['', 'none', 'a-wrong-one']) {
      const killed = await kill(token)
      expect([killed.status, killed.text]).toEqual(refusal)
      const watched = await board(token)
      expect([watched.status, watched.text]).toEqual(refusal)
    }
    const [, key = ''] = /#key=(\S+)/.exec(open.greeting) ?? []
    // Known, but there is no such job.
    expect((await kill(key)).status).toBe(409)
    const { tools } = (await sendRequest(open, { body: rpc('tools/list') })).json.result
    expect(tools.map(({ name }: Json) => name)).not.toContain('PlanMode')
    for (const action of ['enter', 'exit', 'reset', 'status']) {
      const body = rpc('tools/call', { name: 'PlanMode', arguments: { action } })
      expect((await sendRequest(open, { body })).text).toContain('PlanMode is not available without authentication')
    }
    await open.stop()
  })

  test('--no-auth: a plan that is open elsewhere is not ended, and holds for its callers', async () => {
    const [home, cwd] = [emptyFolder(), emptyFolder()]
    const open = await startProgram({ flags: ['--no-auth'], env: { HTTP_TOKEN: '', HOME: home }, cwd, token: '' })
    const client = startServer({ cwd, env: { HOME: home } })
    await client.initialize('2025-11-25')
    await call(client, 'PlanMode', { action: 'enter', goal: 'look' })
    const end = rpc('tools/call', { name: 'PlanMode', arguments: { action: 'exit', plan: 'done' } })
    // As a command in the sandbox of plan mode would: that one has the network of the machine.
    const command = `exec 3<>/dev/tcp/127.0.0.1/${open.port}; printf 'POST /mcp HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\nAccept: application/json, text/event-stream\\r\\nContent-Length: ${end.length}\\r\\nConnection: close\\r\\n\\r\\n%s' '${end}' >&3; cat <&3; touch written`
    await call(client, 'Bash', { command })
    await sendRequest(open, { body: end })
    await sendRequest(open, { body: rpc('tools/call', { name: 'Bash', arguments: { command: 'touch written' } }) })
    expect((await call(client, 'PlanMode', { action: 'status' })).text).toContain('look')
    expect(existsSync(join(cwd, 'written'))).toBe(false)
    await client.close()
    await open.stop()
  })

  test('a port in use is reported', async () => {
    const failure: Json = await program(['serve', '--http', '--port', String(server.port)], {
      HTTP_TOKEN: TOKEN,
      // A machine without bubblewrap would print a warning first.
      SANDBOX: 'off',
    }).catch((error: unknown) => error)
    expect(failure.stderr).toBe(`scorpiox-code: port ${server.port} is in use; choose another with --port\n`)
  })
})
