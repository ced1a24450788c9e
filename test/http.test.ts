// The plain HTTP server: it answers who may ask, and nobody else.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { emptyFolder, isAlive, modernMeta, PROGRAM, type Json } from './support.js'

const TOKEN = 'test-token'
let server: ReturnType<typeof spawn>
let port = 0

beforeAll(async () => {
  server = spawn(process.execPath, [PROGRAM, 'serve', '--http', '--port', '0'], {
    cwd: emptyFolder(),
    env: { PATH: process.env.PATH, HOME: emptyFolder(), HTTP_TOKEN: TOKEN, MAX_LINE_BYTES: '100000' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  while (port === 0) {
    const [chunk] = (await once(server.stdout!, 'data')) as [Buffer]
    printed += chunk.toString()
    port = Number(/http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(printed)?.[1] ?? 0)
  }
  expect(printed).not.toContain(TOKEN)
  expect(printed).toContain('claude mcp add')
})

afterAll(async () => {
  server.kill('SIGTERM')
  const [code] = (await once(server, 'exit')) as [number]
  expect(code).toBe(0)
})

interface Answer {
  readonly status: number
  readonly body: Json
}

function send(
  body: string | Buffer,
  headers: Record<string, string> = {},
  method = 'POST',
  path = '/mcp',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...headers }
    const call = request({ host: '127.0.0.1', port, path, method, headers: all }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) }),
      )
    })
    call.on('error', reject)
    call.end(body)
  })
}

const rpc = (method: string, params: object = {}): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

describe('POST /mcp', () => {
  test('serves legacy and modern requests', async () => {
    expect((await send(rpc('initialize', { protocolVersion: '2025-06-18' }))).body.result.protocolVersion).toBe(
      '2025-06-18',
    )
    expect((await send(rpc('tools/list', modernMeta()))).body.result.resultType).toBe('complete')
    const call = await send(rpc('tools/call', { name: 'Bash', arguments: { command: 'echo over http' } }))
    expect(call.body.result.content[0].text).toBe('over http\n')
  })

  test('shapes the answer by the version header', async () => {
    const list = async (version: string): Promise<string[]> =>
      Object.keys((await send(rpc('tools/list'), { 'mcp-protocol-version': version })).body.result.tools[0])
    expect(await list('2024-11-05')).not.toContain('annotations')
    expect(await list('2025-06-18')).toContain('title')
  })

  test('answers a batch, a notification and a broken body', async () => {
    const batch = await send(
      `[${rpc('ping')},${rpc('tools/call', { name: 'Bash', arguments: { command: 'echo b' } })}]`,
    )
    expect(batch.body).toMatchObject([{ result: {} }, { result: { isError: false } }])
    expect((await send('{"jsonrpc":"2.0","method":"notifications/initialized"}')).status).toBe(202)
    expect((await send('{')).body).toMatchObject({ id: null, error: { code: -32700 } })
  })
})

describe('the gate', () => {
  test.each([
    ['another host', { host: 'evil.example' }, 403],
    ['a host that only begins like ours', { host: 'localhost.evil.example:80' }, 403],
    ['a web page', { origin: 'https://evil.example' }, 403],
    ['a sandboxed page', { origin: 'null' }, 403],
    ['a page whose name begins like ours', { origin: 'http://localhost.evil.example' }, 403],
    ['a page whose name ends like ours', { origin: 'http://evil-localhost' }, 403],
    ['a token that begins like ours', { authorization: 'Bearer test-tokem' }, 401],
    ['our token and more', { authorization: 'Bearer test-token2' }, 401],
    ['no token', { authorization: '' }, 401],
    ['a wrong token', { authorization: 'Bearer nope' }, 401],
    ['a form', { 'content-type': 'text/plain' }, 415],
  ])('%s is refused with a sentence', async (_, headers, status) => {
    const answer = await send(rpc('ping'), headers)
    expect(answer.status).toBe(status)
    expect(answer.body.error.message).toMatch(/\w+ \w+/)
  })

  test('a page on this machine may ask, with the token', async () => {
    expect((await send(rpc('ping'), { origin: 'http://localhost:3000' })).status).toBe(200)
  })

  test.each(['localhost', '127.0.0.2:80', '[::1]:8808', 'LOCALHOST:1'])('the host %s is this machine', async (host) => {
    expect((await send(rpc('ping'), { host })).status).toBe(200)
  })

  test.each(['//', 'http://[', '*', '/mcp/../mcp', '/MCP'])('the path %s is not found', async (path) => {
    expect((await send(rpc('ping'), {}, 'POST', path)).status).toBe(404)
  })

  test('a body that is not UTF-8 is refused, a byte order mark is forgiven', async () => {
    expect(await send(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({
      status: 400,
      body: { error: { code: -32700 } },
    })
    expect((await send(`\uFEFF${rpc('ping')}`)).status).toBe(200)
  })

  test('another path, another method, and a body that is too large', async () => {
    expect((await send(rpc('ping'), {}, 'POST', '/')).status).toBe(404)
    expect((await send('', {}, 'GET')).status).toBe(405)
    expect((await send('x'.repeat(200_000))).status).toBe(413)
  })
})

describe('a start without settings', () => {
  test('makes a token of its own, prints it once, and asks for it', async () => {
    const tokens = await Promise.all([firstToken(), firstToken()])
    expect(tokens[0]).not.toBe(tokens[1])
  })

  test('listens where it says, and tells when the port is taken', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'serve', '--http', '--port', String(port)], {
      cwd: emptyFolder(),
      env: { PATH: process.env.PATH, HOME: emptyFolder() },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [words] = (await once(child.stderr, 'data')) as [Buffer]
    expect(words.toString()).toBe(`scorpiox-code: port ${port} is in use; choose another with --port\n`)
  })
})

async function firstToken(): Promise<string> {
  const { child, url, greeting } = await startHttp([])
  const token = /Bearer ([\w-]{32})'/.exec(greeting)?.[1] ?? ''
  const ask = async (authorization: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', authorization }
    return (await fetch(url, { method: 'POST', headers, body: rpc('ping') })).status
  }
  expect(await ask(`Bearer ${token}`)).toBe(200)
  expect(await ask(`Bearer ${token.slice(0, 4)}${'x'.repeat(28)}`)).toBe(401)
  expect(await ask('')).toBe(401)
  child.kill('SIGTERM')
  await once(child, 'exit')
  return token
}

async function startHttp(flags: readonly string[], cwd = emptyFolder()) {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--http', '--port', '0', ...flags], {
    cwd,
    env: { PATH: process.env.PATH, HOME: emptyFolder() },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
  const greeting = chunk.toString()
  return { child, greeting, url: /http:\S+\/mcp/.exec(greeting)?.[0] ?? '' }
}

test('a client that goes away takes its command with it', async () => {
  const cwd = emptyFolder()
  const { child, url } = await startHttp(['--no-auth'], cwd)
  const leaving = new AbortController()
  const body = rpc('tools/call', { name: 'Bash', arguments: { command: 'echo $$ > pid; exec sleep 300' } })
  const headers = { 'content-type': 'application/json' }
  const call = fetch(url, { method: 'POST', headers, body, signal: leaving.signal }).catch(() => {})
  await vi.waitFor(() => expect(readFileSync(join(cwd, 'pid'), 'utf8')).toMatch(/\d+\n/), 5000)
  leaving.abort()
  await call
  const pid = Number(readFileSync(join(cwd, 'pid'), 'utf8'))
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5000)
  child.kill('SIGTERM')
  await once(child, 'exit')
})

test('on SIGTERM calls in flight are answered before the exit, and what they started is gone', async () => {
  const { child, url } = await startHttp(['--no-auth'])
  const command = 'sleep 300 >/dev/null 2>&1 & echo $!; sleep 1'
  const answer = fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: rpc('tools/call', { name: 'Bash', arguments: { command } }),
  })
  await new Promise((resolve) => setTimeout(resolve, 500))
  child.kill('SIGTERM')
  const { result } = (await (await answer).json()) as Json
  const [code] = (await once(child, 'exit')) as [number]
  expect(code).toBe(0)
  expect(isAlive(Number(result.content[0].text))).toBe(false)
})
