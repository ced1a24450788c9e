// Connections that the proxy passes on as they are: tunnels that were asked for with CONNECT, and WebSockets. Where they
// lead was judged; what goes through is bounded in bytes, in silence and in age.

import { request as requestPlain, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { FetchFailure } from './fetch-failure.js'
import { statusOf } from './proxy-request.js'
import { passedHeaders, readAbsolute, readAuthority, type ProxyMeans } from './proxy-target.js'
import { destinationOf } from './web-url.js'

const MAX_BYTES = 256 * 1024 * 1024
const SILENCE_MS = 60_000
const MAX_AGE_MS = 600_000

export async function openTunnel(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { roads, keep, note }: ProxyMeans,
): Promise<void> {
  try {
    const server = keep(await roads.reach(readAuthority(request.url ?? ''), true)).unref()
    if (client.destroyed) return void server.destroy()
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    server.write(head)
    join(client, server)
  } catch (error) {
    refuse(client, note(error))
  }
}

export async function passUpgrade(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { roads, keep, note }: ProxyMeans,
): Promise<void> {
  try {
    const url = readAbsolute(request.url ?? '')
    if (request.headers.upgrade?.toLowerCase() !== 'websocket' || request.method !== 'GET') {
      throw new FetchFailure('bad-url', 'only WebSockets can be asked for so.')
    }
    const server = keep(await roads.reach(destinationOf(url), false)).unref()
    if (client.destroyed) return void server.destroy()
    const { answer, rest } = await upgraded(url, request, server)
    client.write(`HTTP/1.1 101 Switching Protocols\r\n${printHeaders(answer.rawHeaders)}\r\n`)
    client.write(rest)
    server.write(head)
    join(client, server)
  } catch (error) {
    refuse(client, note(error))
  }
}

interface Upgraded {
  readonly answer: IncomingMessage
  readonly rest: Buffer
}

function upgraded(url: URL, request: IncomingMessage, server: Socket): Promise<Upgraded> {
  return new Promise((resolve, reject) => {
    // What follows is no body.
    const { 'content-length': _, ...headers } = passedHeaders(request.headersDistinct)
    const outgoing = requestPlain({
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, connection: 'Upgrade', upgrade: 'websocket' },
      timeout: SILENCE_MS,
      // Not beside `agent: false`: then Node would dial by itself.
      createConnection: () => server,
    })
    const fail = (): void => {
      server.destroy()
      reject(new FetchFailure('broken', 'it does not speak WebSocket there.'))
    }
    outgoing.once('upgrade', (answer, __, rest) => {
      // The request ends here, the connection does not.
      outgoing.off('close', fail).off('timeout', fail)
      resolve({ answer, rest })
    })
    outgoing.once('response', fail)
    outgoing.once('timeout', fail)
    outgoing.on('error', fail)
    outgoing.once('close', fail)
    outgoing.end()
  })
}

function printHeaders(raw: readonly string[]): string {
  return raw.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('')
}

function join(client: Duplex, server: Socket): void {
  let size = 0
  const end = (): void => {
    clearTimeout(age)
    client.destroy()
    server.destroy()
  }
  const age = setTimeout(end, MAX_AGE_MS).unref()
  const count = (chunk: Buffer): void => {
    size += chunk.length
    if (size > MAX_BYTES) end()
  }
  for (const side of [client, server]) side.on('data', count).on('error', end).once('close', end)
  server.setTimeout(SILENCE_MS, end)
  client.pipe(server).pipe(client)
}

function refuse(client: Duplex, failure: FetchFailure): void {
  if (client.destroyed) return
  const { status, reason } = statusOf(failure)
  const text = `${failure.message}\n`
  const head = [
    `HTTP/1.1 ${status} Refused`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    `proxy-status: scorpiox-code; error=${reason}`,
    'connection: close',
  ]
  client.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => client.destroy())
}
