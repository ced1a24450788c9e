// HTTPS: serves the configured certificate, renews it without dropping connections, and limits the time for a
// handshake.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, writeFileSync } from 'node:fs'
import { get, request } from 'node:https'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import { emptyFolder } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { type HttpServer, logComplaints, openConnection, rpc, startProgram, TOKEN } from '../support/http-client.js'
import { underLoad } from '../support/load.js'
import { MISSING, skipIfMissing } from '../support/runtime.js'

const folder = emptyFolder()
const certFile = join(folder, 'cert.pem')
const keyFile = join(folder, 'key.pem')
let server: HttpServer

/** A certificate for localhost with a name that identifies it. */
function makePair(name: string): void {
  const subject = ['-subj', `/O=${name}/CN=localhost`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const out = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.cert`), '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...key, ...out, ...subject], { stdio: 'ignore' })
}

function install(name: string): void {
  copyFileSync(join(folder, `${name}.key`), keyFile)
  copyFileSync(join(folder, `${name}.cert`), certFile)
}

beforeAll(async () => {
  for (const name of ['first', 'second']) makePair(name)
  install('first')
  server = await startProgram({ env: { TLS_CERT: certFile, TLS_KEY: keyFile } })
})

afterAll(async () => {
  expect(await server.stop()).toBe(0)
  // Of the incomplete renewal, where renewals are supported.
  expect(logComplaints(server).filter((line) => !line.includes('was not loaded'))).toEqual([])
})

const options = () => ({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false, agent: false as const })

async function ping(): Promise<number> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` }
  const call = request({ ...options(), path: '/mcp', method: 'POST', headers })
  call.end(rpc('ping'))
  const [response] = await once(call, 'response')
  response.resume()
  return response.statusCode
}

/** The certificate that a new connection gets. */
async function shown(): Promise<string> {
  const socket: TLSSocket = connect(options())
  await once(socket, 'secureConnect')
  const { O: name } = socket.getPeerCertificate().subject
  socket.destroy()
  return String(name)
}

test('the printed URL is https, and it works', async () => {
  expect(server.url).toMatch(/^https:/)
  expect(await ping()).toBe(200)
  expect(await shown()).toBe('first')
})

test('a WebSocket works over TLS', async () => {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const socket = new WebSocket(`wss://127.0.0.1:${server.port}/mcp`, 'mcp', { headers, rejectUnauthorized: false })
  await once(socket, 'open')
  socket.send(rpc('ping', {}, 'secure'))
  const [data] = await once(socket, 'message')
  expect(JSON.parse(String(data)).id).toBe('secure')
  socket.terminate()
})

test('old versions of TLS are refused', async () => {
  const socket = connect({ ...options(), maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })
  const [error] = await once(socket, 'error')
  expect(String(error)).toMatch(/SSL|TLS|protocol|ECONNRESET/i)
})

describe.concurrent('a new certificate', () => {
  test('is used for new connections, and open ones stay', async (context) => {
    skipIfMissing(context, MISSING.renewal)
    const headers = { authorization: `Bearer ${TOKEN}` }
    const before = get({ ...options(), path: '/sse', headers })
    const [stream] = await once(before, 'response')
    let text = ''
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
    let isDropped = false
    stream.on('close', () => (isDropped = true))
    await vi.waitFor(() => expect(text).toContain('/messages'))
    // An incomplete renewal must not be used.
    writeFileSync(certFile, 'half a certificate')
    await eventually(server.stderr, (log) => log.includes('was not loaded'))
    expect(await ping()).toBe(200)
    expect(await shown()).toBe('first')
    install('second')
    await vi.waitFor(async () => expect(await shown()).toBe('second'), { timeout: 15_000, interval: 250 })
    const [, path = ''] = /data: (\S+)/.exec(text) ?? []
    const post = { ...headers, 'content-type': 'application/json' }
    request({ ...options(), path, method: 'POST', headers: post }).end(rpc('ping', {}, 'still here'))
    await vi.waitFor(() => expect(text).toContain('still here'))
    expect(isDropped).toBe(false)
    stream.destroy()
  })
})

describe.concurrent('a missing handshake', () => {
  test('does not delay the shutdown', async () => {
    const files = { TLS_CERT: join(folder, 'first.cert'), TLS_KEY: join(folder, 'first.key') }
    const other = await startProgram({ env: files })
    const client = await openConnection(other)
    const before = Date.now()
    expect(await other.stop()).toBe(0)
    expect(Date.now() - before).toBeLessThan(underLoad(8000))
    client.socket.destroy()
  })

  test.each([
    ['silence', ''],
    ['half a greeting', '\x16\x03\x01\x02\x00\x01\x00'],
    ['plain HTTP', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('%s is closed within 15 s', async (_, bytes) => {
    const client = await openConnection(server)
    client.write(Buffer.from(bytes, 'latin1'))
    const late = new Promise((wait) => setTimeout(wait, underLoad(15_000), 'open'))
    expect(await Promise.race([client.closed.then(() => 'closed'), late])).toBe('closed')
    expect(client.text()).not.toContain('ok')
    client.socket.destroy()
  })
})
