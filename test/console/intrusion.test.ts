// Attempts of other users and websites to read a user's console or to act on it. None may succeed; beside each attempt
// there is a legitimate request, which must.

import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { pidNamespace } from '@scorpiox/server/process/process-identity'
import { call, cleanEnv, PROGRAM, startJob, startServer, type TestClient } from '../support/client.js'
import {
  ANSWER,
  CURRENT_USER,
  insertPendingItems,
  type Machine,
  newMachine,
  newProject,
  sendCommand,
  socketsIn,
  startUi,
  watchConsole,
  withStore,
} from '../support/console-client.js'
import { eventually } from '../support/eventually.js'
import {
  type HttpRequest,
  type HttpServer,
  openConnection,
  sendRequest,
  startProgram,
  stream,
  tokenFor,
} from '../support/http-client.js'
import { requires, SANDBOX } from '../support/requirements.js'

const PUBLIC = 'https://mcp.example.com'
const NOBODY = 65_534
const canBeNobody = process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0

/** Every attempt is counted: there must be many, and none may succeed. */
let tries = 0
let successes = 0
const expectDenied = (isIn: boolean): void => {
  tries++
  if (isIn) successes++
  expect(isIn).toBe(false)
}

// Not in /tmp: other users and sandboxed commands should get as close as possible.
const machine: Machine = newMachine(mkdtempSync('/var/tmp/scorpiox-board-'))
const { home } = machine
chmodSync(home, 0o755)
const env = { HOME: home, SANDBOX: 'off' }
let http: HttpServer
let page: HttpServer
let stdio: TestClient
let job = 0
let bob = ''
let oauthToken = ''
let project = ''
let things: Awaited<ReturnType<typeof insertPendingItems>>
const issuer = createHttpServer()
let lost: Awaited<ReturnType<typeof loseToken>>

beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }]
  issuer.on('request', (_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys })),
  )
  issuer.listen(0, '127.0.0.1')
  await once(issuer, 'listening')
  const iss = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`
  oauthToken = await new SignJWT({ scope: 'mcp' })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .setIssuer(iss)
    .setAudience(`${PUBLIC}/mcp`)
    .setSubject(CURRENT_USER)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)
  bob = tokenFor('bob', env)
  project = newProject(machine, 'project')
  const oauth = { OAUTH_ISSUER: iss, OAUTH_JWKS: `${iss}/jwks`, PUBLIC_URL: PUBLIC }
  http = await startProgram({ cwd: newProject(machine, 'http'), env: { ...env, ...oauth } })
  // First, because an open stream is checked again only after a while.
  lost = await loseToken()
  page = await startUi(machine)
  stdio = startServer({ cwd: project, env })
  await stdio.initialize('2025-06-18')
  job = await startJob(stdio, 'echo the secret; sleep 300')
  things = await insertPendingItems(machine, { project, user: CURRENT_USER })
  await withStore(machine, { project, user: CURRENT_USER }, ({ tasks }) => tasks.insert('the secret', Date.now()))
})

afterAll(async () => {
  await Promise.all([http.stop(), page.stop(), stdio.close()])
  issuer.close()
  rmSync(home, { recursive: true, force: true })
  expect(tries).toBeGreaterThanOrEqual(canBeNobody && SANDBOX.isMet ? 90 : 60)
  expect(successes).toBe(0)
})

/** A token that was valid when a stream was opened with it, and is revoked now. */
async function loseToken() {
  const args = [PROGRAM, 'token', 'create', '--user', CURRENT_USER, '--name', 'lost', '--json']
  const { token } = JSON.parse(execFileSync(process.execPath, args, { env: cleanEnv(env), encoding: 'utf8' }))
  await vi.waitUntil(async () => (await openStreamStatus(http, { token })) === 200, { timeout: 10_000 })
  const consoleStream = await watchConsole(http, token)
  execFileSync(process.execPath, [PROGRAM, 'token', 'revoke', 'lost'], { env: cleanEnv(env) })
  await vi.waitUntil(async () => (await openStreamStatus(http, { token })) === 401, { timeout: 10_000 })
  return { token, board: consoleStream }
}

/** The status of a request to the stream; its events are not read. */
async function openStreamStatus(server: HttpServer, asked: HttpRequest = {}): Promise<number> {
  const events = await stream(server, { method: 'GET', path: '/board', ...asked })
  events.disconnect()
  return events.status
}

async function expectAccess(): Promise<void> {
  expect(await openStreamStatus(http)).toBe(200)
  expect(await openStreamStatus(page)).toBe(200)
}

/** On both servers, for reads and actions. */
async function refused(asked: HttpRequest, status: number): Promise<void> {
  for (const server of [http, page]) {
    const look = await openStreamStatus(server, asked)
    expectDenied(look === 200)
    expect(look).toBe(status)
    const act = await sendRequest(server, {
      path: '/board/dismiss',
      body: JSON.stringify({ project, id: things.message }),
      ...asked,
    })
    expectDenied(act.status < 400)
    expect(act.headers['access-control-allow-origin']).toBeUndefined()
  }
  await expectAccess()
}

describe('without the token', () => {
  test.each([
    ['no login', { token: '' }],
    ['a wrong token', { token: 'wrong' }],
    ['the beginning of the token', { token: 'a-token-for-test' }],
    ['a cookie', { token: '', headers: { cookie: 'token=a-token-for-tests; authorization=Bearer a-token-for-tests' } }],
    ['a name and password', { token: '', headers: { authorization: `Basic ${btoa('root:a-token-for-tests')}` } }],
  ])('%s', async (_, asked) => {
    await refused(asked, 401)
  })

  test.each(['token', 'access_token', 'key', 'authorization'])('the token in the query as %s', async (name) => {
    for (const server of [http, page]) {
      const path = `/board?${name}=${server.token}`
      expectDenied((await openStreamStatus(server, { token: '', path })) === 200)
    }
    await expectAccess()
  })
})

describe('from a page of another site', () => {
  const origins = (port: number): readonly string[] => [
    'http://evil.example',
    'https://evil.example',
    'null',
    'http://localhost:1',
    `http://127.0.0.1:${port + 1}`,
    `http://localhost:${port}`,
    `https://127.0.0.1:${port}`,
    `HTTP://127.0.0.1:${port}`,
    `http://127.0.0.1:${port}.evil.example`,
    `http://evil.127.0.0.1:${port}`,
    `http://127.0.0.1:${port}/`,
    `http://evil@127.0.0.1:${port}`,
    `http://127.0.0.1:${port} http://evil.example`,
    'https://mcp.example.com.evil.example',
    'http://mcp.example.com',
    'file://',
    '',
  ]

  test.each(origins(40_000).map((_, index) => index))('origin %i of the list', async (index) => {
    for (const server of [http, page]) {
      const headers = { host: `127.0.0.1:${server.port}`, origin: origins(server.port)[index] ?? '' }
      expectDenied((await openStreamStatus(server, { headers })) === 200)
      const body = JSON.stringify({ project, id: things.message })
      const { status, headers: responseHeaders } = await sendRequest(server, { path: '/board/dismiss', body, headers })
      expectDenied(status < 400)
      expect(responseHeaders['access-control-allow-origin']).toBeUndefined()
      const own = { host: `127.0.0.1:${server.port}`, origin: `http://127.0.0.1:${server.port}` }
      expect(await openStreamStatus(server, { headers: own })).toBe(200)
    }
  })

  test('the origin of the public URL is allowed', async () => {
    expect(await openStreamStatus(http, { headers: { host: 'mcp.example.com', origin: PUBLIC } })).toBe(200)
    expectDenied((await openStreamStatus(page, { headers: { origin: PUBLIC } })) === 200)
  })

  test.each(['cross-site', 'same-site', 'SAME-ORIGIN', 'same-origin, cross-site'])(
    'Sec-Fetch-Site: %s',
    async (site) => {
      await refused({ headers: { 'sec-fetch-site': site } }, 403)
      expect(await openStreamStatus(http, { headers: { 'sec-fetch-site': 'same-origin' } })).toBe(200)
    },
  )

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.nip.io',
    'mcp.example.com.evil.example',
    '127.0.0.1@evil.example',
  ])('a name that was rebound: %s', async (host) => {
    await refused({ headers: { host } }, 403)
    expect((await sendRequest(page, { method: 'GET', path: '/', headers: { host } })).status).toBe(403)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    '',
  ])('a form of the type "%s"', async (type) => {
    for (const server of [http, page]) {
      const body = JSON.stringify({ project, id: things.message })
      const { status } = await sendRequest(server, { path: '/board/dismiss', body, headers: { 'content-type': type } })
      expectDenied(status < 400)
      expect(status).toBe(415)
    }
  })

  test('a preflight request gets no permission', async () => {
    for (const origin of [
      'http://evil.example',
      `http://localhost:${http.port + 1}`,
      `http://127.0.0.1:${http.port}`,
    ]) {
      const headers = { origin, host: `127.0.0.1:${http.port}`, 'access-control-request-method': 'POST' }
      const answer = await sendRequest(http, { method: 'OPTIONS', path: '/board/kill', token: '', headers })
      expectDenied(answer.status < 400)
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
    const mcp = await sendRequest(http, {
      method: 'OPTIONS',
      path: '/mcp',
      headers: { origin: `http://localhost:${http.port}` },
    })
    expect(mcp.status).toBe(204)
  })

  test.each(['/board', '/board/kill', '/'])('a WebSocket at %s', async (path) => {
    for (const server of [http, page]) {
      for (const login of ['', `authorization: Bearer ${server.token}\r\n`]) {
        const client = await openConnection(server)
        const head = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\nconnection: upgrade\r\n${login}`
        client.write(
          `${head}sec-websocket-version: 13\r\nsec-websocket-key: ${btoa('0123456789abcdef')}\r\nsec-websocket-protocol: mcp\r\n\r\n`,
        )
        const answer = await client.until(/^HTTP\/1\.1 \d+/)
        expectDenied(answer.startsWith('HTTP/1.1 101') || answer.startsWith('HTTP/1.1 200'))
        client.socket.destroy()
      }
    }
  })
})

describe('as another user', () => {
  const foreignTokens = (): readonly (readonly [string, string])[] => [
    ['bob', bob],
    [`${CURRENT_USER} of another issuer`, oauthToken],
  ]

  test('reads nothing of the user', async () => {
    const own = await watchConsole(http)
    const { servers } = await own.until((view) => view.jobs.length === 1 && view.questions.length === 1)
    expect(servers.map(({ pid }) => pid)).toContain(stdio.child.pid)
    for (const [, token] of foreignTokens()) {
      const consoleStream = await watchConsole(http, token)
      await consoleStream.until((view) => view.servers.length > 0)
      const view = consoleStream.view()
      expectDenied(view.servers.some(({ pid }) => pid === stdio.child.pid))
      expectDenied(view.jobs.length + view.calls.length > 0)
      expectDenied(view.questions.length + view.messages.length + view.callbacks.length + view.projects.length > 0)
      consoleStream.leave()
    }
    own.leave()
  })

  test('changes nothing of the user', async () => {
    const own = await watchConsole(http)
    const { jobs } = await own.until((view) => view.jobs.length === 1 && view.callbacks.length === 1)
    const server = jobs[0]?.server
    const orders: readonly (readonly [string, object])[] = [
      ['output', { server, id: job }],
      ['download', { server, id: job }],
      ['find', { server, id: job, query: 'the secret', from: 0 }],
      ['answer', { project, id: things.question, replies: ANSWER }],
      ['cancel', { project, session: 'asker', slot: 3 }],
      ['dismiss', { project, id: things.message }],
      ['kill', { server, id: job }],
      ['task', { project, id: 1 }],
      ['change-task', { project, change: { kind: 'rename', id: 1, name: 'theirs', before: 'the secret' } }],
      ['change-task', { project, change: { kind: 'complete', id: 1 } }],
      ['change-task', { project, change: { kind: 'create', name: 'theirs' } }],
    ]
    for (const [, token] of foreignTokens()) {
      for (const [verb, body] of orders) {
        const answer = await sendCommand(http, verb, body, token)
        expectDenied(answer.status < 400)
        expect(answer.status).toBe(409)
        expect(answer.text).not.toContain('the secret')
      }
      // Another user may have their own share of a project, which is empty.
      expect((await sendCommand(http, 'plan', { project }, token)).json).toEqual({ text: null, changes: [] })
      expect((await sendCommand(http, 'tasks', { project }, token)).json).toMatchObject({ tasks: [], found: 0 })
      expect((await sendCommand(http, 'steps', { project, task: 1, from: 0 }, token)).json).toEqual({ steps: [] })
    }
    expect(own.view()).toMatchObject({ jobs: [{ isRunning: true }], questions: [{}], messages: [{}], callbacks: [{}] })
    // The legitimate request, on separate items, so that the others remain for other tests.
    const spare = await insertPendingItems(machine, { project, user: CURRENT_USER })
    expect((await sendCommand(http, 'answer', { project, id: spare.question, replies: ANSWER })).status).toBe(204)
    expect((await sendCommand(http, 'dismiss', { project, id: spare.message })).status).toBe(204)
    expect((await sendCommand(http, 'download', { server, id: job })).text).toContain('the secret')
    const found = await sendCommand(http, 'find', { server, id: job, query: 'the secret', from: 0 })
    expect(found.json).toEqual({ found: { from: 0 }, next: null })
    expect((await sendCommand(http, 'tasks', { project })).json.tasks).toMatchObject([
      { name: 'the secret', completedAt: null },
    ])
    const output = await stream(http, { path: '/board/output', body: JSON.stringify({ server, id: job }) })
    expect((await output.next())?.json.open).toContain('the secret')
    output.disconnect()
    own.leave()
  })
})

describe('for a file that is not part of the page', () => {
  test.each([
    '/../tokens.json',
    '/..%2ftokens.json',
    '/%2e%2e/%2e%2e/etc/passwd',
    '//etc/passwd',
    '/page.js/../../package.json',
    '/page/index.html',
    '/page.js%00.html',
    '/board/../board/../../etc/passwd',
    '/index.html',
    '/scorpiox-code.js',
  ])('%s', async (path) => {
    for (const token of ['', page.token]) {
      const { status, text } = await sendRequest(page, { method: 'GET', path, token })
      expectDenied(status === 200)
      expect(text).not.toContain('root:')
    }
    expect((await sendRequest(page, { method: 'GET', path: '/', token: '' })).status).toBe(200)
  })

  test('the page itself may load from and send to no other origin', async () => {
    const { headers } = await sendRequest(page, {
      method: 'GET',
      path: '/',
      token: '',
      headers: { 'accept-encoding': 'gzip' },
    })
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'content-encoding': 'gzip',
    })
    const again = { method: 'GET', path: '/', token: '', headers: { 'if-none-match': headers.etag ?? '' } }
    expect((await sendRequest(page, again)).status).toBe(304)
    expect((await sendRequest(page, { method: 'POST', path: '/', token: '' })).status).toBe(405)
  })
})

describe('at the socket', () => {
  const presence = JSON.stringify({ kind: 'presence', user: CURRENT_USER, watching: true })

  async function responseTo(lines: string): Promise<string> {
    const sockets = await socketsIn(machine, 2)
    const pidAt = (address: string): unknown =>
      JSON.parse(readFileSync(address.replace(/sock$/, 'json'), 'utf8')).owner.pid
    const socket = connect(sockets.find((address) => pidAt(address) === stdio.child.pid) ?? '')
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(lines)
    await eventually(() => socket.destroyed || received.includes('the secret'))
    socket.destroy()
    return received
  }

  test('legitimate messages are accepted', async () => {
    expect(await responseTo(`${presence}\n`)).toContain('the secret')
  })

  test.each([
    ['no JSON', 'nonsense\n'],
    ['no object', '[]\n'],
    ['no user', '{"kind":"presence","watching":true}\n'],
    ['a user that is no text', '{"kind":"presence","user":["root"],"watching":true}\n'],
    ['an order before its name', '{"kind":"ask","id":1,"verb":"output","job":1,"from":0,"maxBytes":9}\n'],
    ['a verb that does not exist', '{"kind":"ask","id":1,"verb":"run","job":1}\n'],
    ['a line that is too long', `{"kind":"presence","user":"${'x'.repeat(100_000)}","watching":true}\n`],
    ['a line that never ends', 'x'.repeat(100_000)],
    ['bytes that are no text', '\u0000\u0001\u0002\n'],
  ])('%s', async (_, lines) => {
    const answer = await responseTo(lines)
    expectDenied(answer.includes('"update"') || answer.includes('the secret'))
    expect((await call(stdio, 'Bash', { command: 'echo works' })).text).toContain('works')
  })
})

describe.skipIf(!canBeNobody)('as another user of the machine', () => {
  function asNobody(script: string, ...args: readonly string[]): number | null {
    const flags = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', process.execPath, '-e', script, ...args]
    return spawnSync('setpriv', flags, { env: { PATH: process.env.PATH }, timeout: 10_000 }).status
  }
  const CONNECT = `require('net').connect(process.argv[1]).on('connect', () => process.exit(0)).on('error', () => process.exit(7))`
  const READ = `try { require('fs').readFileSync(process.argv[1]); process.exit(0) } catch { process.exit(7) }`
  const LIST = `try { require('fs').readdirSync(process.argv[1]); process.exit(0) } catch { process.exit(7) }`
  const WRITE = `try { require('fs').writeFileSync(process.argv[1], 'x'); process.exit(0) } catch { process.exit(7) }`
  const LINK = `try { require('fs').symlinkSync('/etc', process.argv[1]); process.exit(0) } catch { process.exit(7) }`
  const LISTEN = `require('net').createServer().listen(process.argv[1], () => process.exit(0)).on('error', () => process.exit(7))`

  test('nothing can be connected to, read or created', async () => {
    const [address = ''] = await socketsIn(machine, 2)
    const entry = address.replace(/sock$/, 'json')
    const attempts: readonly (readonly [string, string])[] = [
      [CONNECT, address],
      [READ, entry],
      [LIST, machine.socketDirectory],
      [LIST, machine.stateDir],
      [READ, join(machine.stateDir, 'state.db')],
      [WRITE, join(machine.socketDirectory, 'planted.json')],
      [WRITE, entry],
      [LINK, join(machine.socketDirectory, 'fedcba9876543210.sock')],
      [LISTEN, join(machine.socketDirectory, 'fedcba9876543210.sock')],
    ]
    for (const [script, path] of attempts) {
      const status = asNobody(script, path)
      expectDenied(status === 0)
      expect(status).toBe(7)
    }
    // The socket is protected even if the user opened the directory around it.
    chmodSync(machine.stateDir, 0o755)
    for (const [script, path] of attempts.filter(([, each]) => each !== machine.stateDir)) {
      expectDenied(asNobody(script, path) === 0)
    }
    expect(asNobody(LIST, machine.stateDir)).toBe(0)
    chmodSync(machine.stateDir, 0o700)
    // The same scripts succeed where it is allowed.
    const open = mkdtempSync('/var/tmp/scorpiox-open-')
    chmodSync(open, 0o777)
    for (const script of [WRITE, READ]) expect(asNobody(script, join(open, 'file'))).toBe(0)
    expect(asNobody(LISTEN, join(open, 'socket'))).toBe(0)
    rmSync(open, { recursive: true })
  })

  test('a socket of another user is not connected to, even if this user owns its entry', async () => {
    const otherDirectory = mkdtempSync(join(tmpdir(), 'scorpiox-desk-'))
    const address = join(otherDirectory, 'desk.sock')
    let connections = 0
    const server = createServer(() => connections++).listen(address)
    await once(server, 'listening')
    const id = 'fedcba9876543210'
    const { currentProcessIdentity } = await import('@scorpiox/server/process/process-identity')
    const entry = { id, owner: currentProcessIdentity(), host: hostname(), pidSpace: pidNamespace(), address }
    execFileSync('chown', ['-R', String(NOBODY), otherDirectory])
    writeFileSync(join(machine.socketDirectory, `${id}.json`), JSON.stringify(entry), { mode: 0o600 })
    // An entry whose socket belongs to this user, read after the other one.
    const ownAddress = join(mkdtempSync(join(tmpdir(), 'scorpiox-desk-')), 'desk.sock')
    let ownConnections = 0
    const ownServer = createServer(() => ownConnections++).listen(ownAddress)
    await once(ownServer, 'listening')
    const ownEntry = join(machine.socketDirectory, 'ffffffffffffffff.json')
    writeFileSync(ownEntry, JSON.stringify({ ...entry, id: 'ffffffffffffffff', address: ownAddress }), { mode: 0o600 })
    const consoleStream = await watchConsole(page)
    await eventually(() => ownConnections > 0)
    ownServer.close()
    rmSync(ownEntry)
    expectDenied(connections > 0)
    // With this user as its owner it is connected to: only the owner was the reason.
    execFileSync('chown', ['-R', '0', otherDirectory])
    await expect.poll(() => connections, { timeout: 10_000 }).toBeGreaterThan(0)
    server.close()
    rmSync(join(machine.socketDirectory, `${id}.json`))
    consoleStream.leave()
  })
})

test('an entry that points elsewhere is not followed, and its target is not removed', async () => {
  const victim = join(home, 'victim')
  const own = newMachine()
  mkdirSync(own.socketDirectory, { recursive: true, mode: 0o700 })
  writeFileSync(victim, 'precious')
  const dead = { pid: 2 ** 22 - 1, startedAt: '1', boot: 'another' }
  for (const [index, address] of [
    victim,
    join(own.socketDirectory, '..', '..', 'x.sock'),
    join(home, 'desk.sock'),
  ].entries()) {
    const id = `000000000000000${index}`
    const entry = { id, owner: dead, host: hostname(), pidSpace: pidNamespace(), address }
    writeFileSync(join(own.socketDirectory, `${id}.json`), JSON.stringify(entry))
  }
  symlinkSync(victim, join(own.socketDirectory, '000000000000000a.json'))
  const server = await startUi(own)
  const consoleStream = await watchConsole(server)
  // A server that starts now is found by the next look at the directory.
  const running = startServer({ cwd: newProject(own, 'running'), env: { HOME: own.home } })
  await running.initialize('2025-06-18')
  await call(running, 'Bash', { command: 'true' })
  const { servers } = await consoleStream.until((view) => view.servers.length > 0)
  expectDenied(!existsSync(victim) || readFileSync(victim, 'utf8') !== 'precious')
  expectDenied(servers.length > 1 || servers[0]?.pid !== running.child.pid)
  await running.close()
  consoleStream.leave()
  await server.stop()
})

describe('as a command in the sandbox', requires(SANDBOX), () => {
  const script = `const fs = require('fs'), net = require('net')
    for (const path of process.argv.slice(1)) net.connect(path).on('connect', function () { console.log('IN'); this.destroy() }).on('error', (e) => console.log(e.code))
    try { console.log('LISTED ' + fs.readdirSync(require('path').dirname(process.argv[1]))) } catch (e) { console.log(e.code) }`

  for (const level of ['read-only', 'workspace', 'strict'])
    test(`at the level ${level}`, async () => {
      const own = newMachine(mkdtempSync('/var/tmp/scorpiox-board-'))
      const cwd = newProject(own, 'project')
      // Its temporary files are where the fallback would put the socket.
      const otherDirectory = mkdtempSync(join(tmpdir(), 'scorpiox-desk-'))
      const spare = createServer().listen(join(otherDirectory, 'desk.sock'))
      const server = startServer({
        cwd,
        env: { HOME: own.home, SANDBOX: level, SANDBOX_READ: dirname(process.execPath) },
      })
      await server.initialize('2025-06-18')
      const [address = ''] = await socketsIn(own, 1)
      const command = `'${process.execPath}' -e "${script.replaceAll('$', '\\$')}" '${address}' '${join(otherDirectory, 'desk.sock')}'`
      const { text } = await call(server, 'Bash', { command })
      expectDenied(text.includes('IN\n'))
      expectDenied(text.includes('.sock') || /LISTED \S/.test(text))
      expect(text).toMatch(/EACCES|ENOENT|EPERM|ECONNREFUSED|EAFNOSUPPORT/)
      const control = spawnSync(process.execPath, ['-e', script, address], { encoding: 'utf8', timeout: 30_000 })
      expect(control.stdout).toContain('IN\n')
      await server.close()
      spare.close()
      rmSync(own.home, { recursive: true, force: true })
    })
})

test('a revoked token opens nothing, and streams opened with it end', async () => {
  expectDenied((await openStreamStatus(http, { token: lost.token })) === 200)
  expectDenied((await sendCommand(http, 'dismiss', { project, id: things.message }, lost.token)).status < 400)
  await lost.board.ended
  await expectAccess()
})

test('no attempt has left a trace', () => {
  expect(readdirSync(machine.socketDirectory).filter((name) => !/^[0-9a-f]{16}\.(json|sock)$/.test(name))).toEqual([])
})
