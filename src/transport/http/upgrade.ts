// Connections that want to become something else: only a WebSocket on /mcp that asks for `mcp`, and only through the
// gate. What is refused gets a status and a sentence like every other request. Other wishes are overlooked, as HTTP
// allows: some clients add one for HTTP/2 to whatever they ask first.

import { ServerResponse, type IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { admission, pathOf } from './front-door.js'
import { checkGate } from './gate.js'
import type { House, HttpExtensions, WebSockets } from './house.js'
import { linger } from './linger.js'
import { Visit } from './visit.js'

const KEY = /^[+/\dA-Za-z]{22}==$/

export interface Upgrades {
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): void
}

export function openUpgrades(house: House, load: NonNullable<HttpExtensions['webSockets']>): Upgrades {
  let opening: Promise<WebSockets> | undefined
  let sockets: WebSockets | undefined
  const open = (): Promise<WebSockets> =>
    (opening ??= load(house).then(
      (loaded) => (sockets = loaded),
      (error: unknown) => {
        opening = undefined
        throw error
      },
    ))

  async function take(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const visit = new Visit(request, new ServerResponse(request), house)
    visit.era = 'websocket'
    const refused = await refusalOf(house, visit)
    if (socket.destroyed) return visit.lost()
    if (!refused) {
      // Of the socket, not of the WebSocket: a handshake that fails never becomes one.
      socket.once('close', () => visit.upgraded())
      return (await open()).accept(request, socket, head, visit.user)
    }
    answerOn(socket, visit.response)
    visit.refuse(refused.refusal, refused.kind)
  }

  return {
    take(request, socket, head) {
      socket.on('error', () => socket.destroy())
      take(request, socket, head).catch((error: unknown) => {
        house.server.logError(error)
        socket.destroy()
      })
    },
    close: () => sockets?.close(),
  }
}

async function refusalOf(house: House, visit: Visit) {
  const { request } = visit
  const refusal = checkGate(request.headers, house.policy)
  if (refusal) return { refusal, kind: refusal.kind ?? 'host' }
  const refused = admission(house, visit, await house.authenticator.authenticate(request.headers))
  if (refused) return refused
  if (pathOf(request) !== '/mcp' || house.mcp === false)
    return { refusal: { status: 404, reason: 'The endpoint is /mcp' }, kind: 'path' } as const
  if (asksForMcp(request)) return undefined
  const reason = 'Upgrade to a WebSocket of version 13, with a key and the subprotocol mcp'
  return { refusal: { status: 400, reason }, kind: 'header' } as const
}

export function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/** Gives a connection back whose wish is overlooked, to be read again without it. */
export function withoutWish({ method, url, httpVersion, rawHeaders }: IncomingMessage, socket: Duplex, head: Buffer) {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[at + 1]}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  return socket
}

function asksForMcp({ headers, method }: IncomingMessage): boolean {
  const offered = headers['sec-websocket-protocol'] ?? ''
  const isSound = method === 'GET' && headers['sec-websocket-version'] === '13'
  return (
    isSound && KEY.test(headers['sec-websocket-key'] ?? '') && offered.split(',').some((name) => name.trim() === 'mcp')
  )
}

function answerOn(socket: Duplex, response: ServerResponse): void {
  response.shouldKeepAlive = false
  if (socket instanceof Socket) response.assignSocket(socket)
  response.on('finish', () => socket.end())
  linger(socket)
}
