// Starts the HTTP server, with TLS if there is a certificate, sends heartbeats, and shuts it down.

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
  /** Accepts no new requests, waits a limited time for those in progress, then aborts them. */
  close(): Promise<void>
}

export async function startHttpTransport(server: Server, options: HttpServerOptions): Promise<HttpListener> {
  const { tls, port, host, maxConnections } = options
  // Loaded before the first request: a response that has to wait for them would become a stream.
  await Promise.all([loadCompile(), loadOffers()])
  const context = openHouse(server, options)
  const sse = new SseSessions(context)
  const nodeServer = createNodeServer(tls, maxConnections, () => context.outbox.flush())
  const { webSockets } = context.extensions
  const upgrades = webSockets && openUpgrades(context, webSockets)
  const router = openFrontDoor(context, sse)
  const { receive } = router
  nodeServer.http.on('request', receive).on('checkContinue', receive).on('checkExpectation', receive)
  nodeServer.http.on('drop', () => context.metrics.refused('connections'))
  handleUpgrades(nodeServer, upgrades)
  await listen(nodeServer, port, host)
  const stopWatching = tls?.watch((certificate) => nodeServer.secureWith(certificate))
  // An exception outside of a call must not end the other calls.
  const logUncaught = (error: unknown): void => server.logError(error)
  process.on('uncaughtException', logUncaught)
  const heartbeat = setInterval(() => checkStreams(context), KEEP_ALIVE_MS).unref()
  const address = nodeServer.http.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close() {
      stopWatching?.()
      clearInterval(heartbeat)
      await drain(context, nodeServer, sse, upgrades, router)
      process.off('uncaughtException', logUncaught)
    },
  }
}

function listen({ http }: NodeServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, host, resolve)
  })
}

function handleUpgrades({ http, isSecure }: NodeServer, upgrades: Upgrades | undefined): void {
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // An upgrade behind an unfinished request on the same connection cannot be handled.
    if ('_httpMessage' in socket && socket._httpMessage) socket.destroy()
    else if (upgrades && wantsWebSocket(request)) upgrades.take(request, socket, head)
    // Bun has discarded the bytes after the headers.
    else if (bunVersion() !== undefined) refuseWish(socket)
    else http.emit(isSecure ? 'secureConnection' : 'connection', withoutWish(request, socket, head))
  })
}

/** Sends heartbeats, and ends streams whose credential was revoked or cannot be checked. */
function checkStreams(context: House): void {
  for (const stream of openStreams(context)) {
    stream.keepAlive()
    isWelcome(context.authenticator, stream.response.req, stream.user).then(
      (isAuthorized) => !isAuthorized && stream.end(),
      (error: unknown) => {
        context.server.logError(error)
        stream.end()
      },
    )
  }
}
