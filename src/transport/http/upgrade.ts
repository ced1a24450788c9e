// Connections that want to become something else: only a WebSocket on /mcp that asks for `mcp`, and only through the
// gate. What is refused gets a status and a sentence like every other request.

import { ServerResponse, type IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { admission, pathOf } from './front-door.js'
import { checkGate } from './gate.js'
import type { House } from './house.js'
import { Visit } from './visit.js'
import type { WebSockets } from './websocket.js'

export interface Upgrades {
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): void
}

export function openUpgrades(house: House): Upgrades {
  let opening: Promise<WebSockets> | undefined
  const open = (): Promise<WebSockets> =>
    (opening ??= import('./websocket.js').then(({ openWebSockets }) => openWebSockets(house)))

  async function take(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const visit = new Visit(request, new ServerResponse(request), house)
    visit.era = 'websocket'
    const refused = await refusalOf(house, visit)
    if (!refused) return (await open()).accept(request, socket, head, visit.user, () => visit.upgraded())
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
    close: () => void opening?.then((sockets) => sockets.close()),
  }
}

async function refusalOf(house: House, visit: Visit) {
  const { request } = visit
  const refusal = checkGate(request.headers, house.policy)
  if (refusal) return { refusal, kind: refusal.kind ?? 'host' }
  const refused = admission(house, visit, await house.authenticator.authenticate(request.headers))
  if (refused) return refused
  if (pathOf(request) !== '/mcp')
    return { refusal: { status: 404, reason: 'The endpoint is /mcp' }, kind: 'path' } as const
  if (asksForMcp(request)) return undefined
  const reason = 'Upgrade to a WebSocket with the subprotocol mcp'
  return { refusal: { status: 400, reason }, kind: 'header' } as const
}

function asksForMcp({ headers, method }: IncomingMessage): boolean {
  const offered = headers['sec-websocket-protocol'] ?? ''
  const isWebSocket = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
  return isWebSocket && offered.split(',').some((name) => name.trim() === 'mcp')
}

function answerOn(socket: Duplex, response: ServerResponse): void {
  response.shouldKeepAlive = false
  if (socket instanceof Socket) response.assignSocket(socket)
  response.on('finish', () => socket.end())
}
