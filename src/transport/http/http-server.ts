// The HTTP server as a process sees it: it listens, over TLS where there are certificates, and ends when told.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

import { bunVersion } from '../../platform/bun.js'
import { loadOffers } from '../../protocol/methods/eras.js'
import { loadCompile } from '../../protocol/schema-check.js'
import type { Server } from '../../protocol/server.js'
import { drain } from './drain.js'
import { openFrontDoor } from './front-door.js'
import { openHouse, openStreams, type House, type HouseRules } from './house.js'
import { createNodeServer, refuseWish, type NodeServer, type Tls } from './node-server.js'
import { SseSessions } from './sse-endpoint.js'
import { openUpgrades, wantsWebSocket, withoutWish, type Upgrades } from './upgrade.js'
import { isWelcome } from './welcome.js'

const KEEP_ALIVE_MS = 15_000

export interface HttpServerOptions extends HouseRules {
  readonly host: string
  readonly port: number
  readonly maxConnections: number
  readonly tls?: Tls | undefined
}

export interface HttpListener {
  readonly port: number
  /** Takes no more requests, lets those in flight finish for a while, then stops them. */
  close(): Promise<void>
}

export async function startHttpTransport(server: Server, settings: HttpServerOptions): Promise<HttpListener> {
  const { tls, port, host, maxConnections } = settings
  // Beforehand: what must wait for them is answered as a stream.
  await Promise.all([loadCompile(), loadOffers()])
  const house = openHouse(server, settings)
  const sse = new SseSessions(house)
  const node = createNodeServer(tls, maxConnections, () => house.outbox.flush())
  const { webSockets } = house.extensions
  const upgrades = webSockets && openUpgrades(house, webSockets)
  const door = openFrontDoor(house, sse)
  const { receive } = door
  node.http.on('request', receive).on('checkContinue', receive).on('checkExpectation', receive)
  node.http.on('drop', () => house.metrics.refused('connections'))
  takeUpgrades(node, upgrades)
  await listen(node, port, host)
  const stopWatching = tls?.watch((options) => node.secureWith(options))
  // What a tool throws outside of its call must not take the other calls with it.
  const surprised = (error: unknown): void => server.logError(error)
  process.on('uncaughtException', surprised)
  const pulse = setInterval(() => look(house), KEEP_ALIVE_MS).unref()
  const address = node.http.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close() {
      stopWatching?.()
      clearInterval(pulse)
      await drain(house, node, sse, upgrades, door)
      process.off('uncaughtException', surprised)
    },
  }
}

function listen({ http }: NodeServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, host, resolve)
  })
}

function takeUpgrades({ http, isSecure }: NodeServer, upgrades: Upgrades | undefined): void {
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Behind a request that is still being answered there is no place for anything else.
    if ('_httpMessage' in socket && socket._httpMessage) socket.destroy()
    else if (upgrades && wantsWebSocket(request)) upgrades.take(request, socket, head)
    // Bun has thrown away what came behind the headers.
    else if (bunVersion() !== undefined) refuseWish(socket)
    else http.emit(isSecure ? 'secureConnection' : 'connection', withoutWish(request, socket, head))
  })
}

/** A sign of life for those who may stay; a stream ends whose credential is gone or can be judged no more. None waits. */
function look(house: House): void {
  for (const stream of openStreams(house)) {
    stream.keepAlive()
    isWelcome(house.authenticator, stream.response.req, stream.user).then(
      (mayStay) => !mayStay && stream.end(),
      (error: unknown) => {
        house.server.logError(error)
        stream.end()
      },
    )
  }
}
