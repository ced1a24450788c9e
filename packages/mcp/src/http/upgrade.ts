// Handles `Upgrade` requests of http-server.ts. Only a WebSocket with subprotocol `mcp` on /mcp is accepted, after the
// same checks as every request; other upgrades (such as h2c) are ignored, as HTTP allows. The WebSocket itself is an
// extension. Writes to and closes sockets.

import { type IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { loadOnce } from '../promises.js'
import { closeAfterDelay } from './connections.js'
import { checkHostAndOrigin, isRefusal } from './host-policy.js'
import type { HttpContext, HttpExtensions, WebSockets } from './http-context.js'
import { HttpExchange } from './http-exchange.js'
import { checkAdmission, requestPath } from './router.js'

const KEY_PATTERN = /^[+/\dA-Za-z]{22}==$/

export interface UpgradeHandler {
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Closes the WebSockets of one user. `isBusy`: calls were in progress. */
  closeUser(user: string, isBusy: boolean): void
  /** Closes the WebSockets whose request fits as soon as no call is in progress. */
  closeWhenIdle(fits: (request: IncomingMessage) => boolean): void
  /** Closes the WebSockets whose credential is not valid any more. */
  closeUnauthorized(): void
  close(): void
}

export function createUpgradeHandler(
  context: HttpContext,
  load: NonNullable<HttpExtensions['webSockets']>,
): UpgradeHandler {
  let sockets: WebSockets | undefined
  const loadSockets = loadOnce(async () => (sockets = await load(context)))

  async function take(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const exchange = new HttpExchange(request, new ServerResponse(request), context)
    exchange.protocol = 'websocket'
    const refusal = await findRefusal(context, exchange, socket, head)
    if (refusal === 'forwarded') return
    if (socket.destroyed) return exchange.clientClosed()
    if (!refusal) {
      // On the socket, not on the WebSocket: a failed handshake never creates one.
      socket.once('close', () => exchange.recordUpgrade())
      return (await loadSockets()).accept(exchange, socket, head)
    }
    respondOnSocket(socket, exchange.response)
    exchange.refuse(refusal.refusal, refusal.kind)
  }

  return {
    handleUpgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      take(request, socket, head).catch((error: unknown) => {
        context.server.logError(error)
        socket.destroy()
      })
    },
    closeUser: (user, isBusy) => sockets?.closeUser(user, isBusy),
    closeWhenIdle: (fits) => sockets?.closeWhenIdle(fits),
    closeUnauthorized: () => sockets?.closeUnauthorized(),
    close: () => sockets?.close(),
  }
}

async function findRefusal(context: HttpContext, exchange: HttpExchange, socket: Duplex, head: Buffer) {
  const { request } = exchange
  const { placement } = context.extensions
  const forwarded = placement?.readForwarded(request)
  if (forwarded && isRefusal(forwarded)) return { refusal: forwarded, kind: 'machine' } as const
  exchange.forwarded = forwarded
  const refusal = forwarded ? undefined : checkHostAndOrigin(request.headers, context.hostPolicy)
  if (refusal) return { refusal, kind: refusal.kind ?? 'host' }
  const principal = await context.authenticator.authenticate(request.headers)
  if (placement && !isRefusal(principal)) {
    exchange.principal = principal
    context.anonymousConnections?.markAuthenticated(request.socket)
    if (!(await placement.placeUpgrade(exchange, socket, head))) return 'forwarded'
  }
  const refused = checkAdmission(context, exchange, principal)
  if (refused) return refused
  if (requestPath(request) !== '/mcp' || context.servesMcp === false)
    return { refusal: { status: 404, reason: 'The endpoint is /mcp' }, kind: 'path' } as const
  if (isValidMcpUpgrade(request)) return undefined
  const reason = 'Upgrade to a WebSocket of version 13, with a key and the subprotocol mcp'
  return { refusal: { status: 400, reason }, kind: 'header' } as const
}

export function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/** Returns the connection to the parser with the request, but without its Upgrade header. */
export function withoutUpgradeHeader(
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[at + 1]}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  return socket
}

function isValidMcpUpgrade({ headers, method }: IncomingMessage): boolean {
  const protocols = headers['sec-websocket-protocol'] ?? ''
  const isValidHandshake = method === 'GET' && headers['sec-websocket-version'] === '13'
  return (
    isValidHandshake &&
    KEY_PATTERN.test(headers['sec-websocket-key'] ?? '') &&
    protocols.split(',').some((name) => name.trim() === 'mcp')
  )
}

function respondOnSocket(socket: Duplex, response: ServerResponse): void {
  response.shouldKeepAlive = false
  if (socket instanceof Socket) response.assignSocket(socket)
  response.on('finish', () => socket.end())
  closeAfterDelay(socket)
}
