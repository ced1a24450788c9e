// Forwards CONNECT tunnels and WebSocket upgrades through the checking proxy, without parsing their content. Their
// destination has been checked; bytes, idle time and age are bounded. Used by checking-proxy. Opens sockets; sets
// timers.

import { type IncomingMessage, request as requestPlain } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { FetchFailure } from './fetch-failure.js'
import { endToEndHeaders, parseAbsoluteUrl, parseAuthority, type ProxyDeps, proxyStatusFor } from './proxy-requests.js'
import { toDestination } from './web-url.js'

const MAX_BYTES = 256 * 1024 * 1024
const IDLE_TIMEOUT_MS = 60_000
const MAX_AGE_MS = 600_000

export async function forwardConnect(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { connector, trackSocket, recordRefusal }: ProxyDeps,
): Promise<void> {
  try {
    const server = trackSocket(await connector.connect(parseAuthority(request.url ?? ''), true)).unref()
    if (client.destroyed) return void server.destroy()
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    server.write(head)
    pipeBothWays(client, server)
  } catch (error) {
    sendTunnelRefusal(client, recordRefusal(error))
  }
}

export async function forwardUpgrade(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { connector, trackSocket, recordRefusal }: ProxyDeps,
): Promise<void> {
  try {
    const url = parseAbsoluteUrl(request.url ?? '')
    if (request.headers.upgrade?.toLowerCase() !== 'websocket' || request.method !== 'GET') {
      throw new FetchFailure('bad-url', 'only WebSocket upgrades are supported.')
    }
    const server = trackSocket(await connector.connect(toDestination(url), false)).unref()
    if (client.destroyed) return void server.destroy()
    const { response, rest } = await requestUpgrade(url, request, server)
    client.write(`HTTP/1.1 101 Switching Protocols\r\n${formatHeaders(response.rawHeaders)}\r\n`)
    client.write(rest)
    server.write(head)
    pipeBothWays(client, server)
  } catch (error) {
    sendTunnelRefusal(client, recordRefusal(error))
  }
}

interface UpgradeResult {
  readonly response: IncomingMessage
  readonly rest: Buffer
}

function requestUpgrade(url: URL, request: IncomingMessage, server: Socket): Promise<UpgradeResult> {
  return new Promise((resolve, reject) => {
    // An upgrade request has no body.
    const { 'content-length': _, ...headers } = endToEndHeaders(request.headersDistinct)
    const outgoing = requestPlain({
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, connection: 'Upgrade', upgrade: 'websocket' },
      timeout: IDLE_TIMEOUT_MS,
      // Without `agent: false`, with which Node.js would connect by itself.
      createConnection: () => server,
    })
    const fail = (): void => {
      server.destroy()
      reject(new FetchFailure('broken', 'it does not accept WebSocket connections.'))
    }
    outgoing.once('upgrade', (response, __, rest) => {
      // The request ends here; the connection stays open.
      outgoing.off('close', fail).off('timeout', fail)
      resolve({ response, rest })
    })
    outgoing.once('response', fail)
    outgoing.once('timeout', fail)
    outgoing.on('error', fail)
    outgoing.once('close', fail)
    outgoing.end()
  })
}

function formatHeaders(raw: readonly string[]): string {
  return raw.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('')
}

function pipeBothWays(client: Duplex, server: Socket): void {
  let size = 0
  const end = (): void => {
    clearTimeout(ageTimer)
    client.destroy()
    server.destroy()
  }
  const ageTimer = setTimeout(end, MAX_AGE_MS).unref()
  const countBytes = (chunk: Buffer): void => {
    size += chunk.length
    if (size > MAX_BYTES) end()
  }
  for (const side of [client, server]) side.on('data', countBytes).on('error', end).once('close', end)
  server.setTimeout(IDLE_TIMEOUT_MS, end)
  client.pipe(server).pipe(client)
}

function sendTunnelRefusal(client: Duplex, failure: FetchFailure): void {
  if (client.destroyed) return
  const { status, reason } = proxyStatusFor(failure)
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
