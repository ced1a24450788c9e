// A proxy on the loopback interface for clients that cannot use `fetch`, such as a browser: the same address policy
// checks their destinations. All its resources are bounded, it serves the user of this process only, and it does not
// keep the process alive.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { reasonOf } from '../../lib/reason-of.js'
import type { Exchange } from './exchange.js'
import { FetchFailure } from './fetch-failure.js'
import { passOn } from './proxy-request.js'
import type { ProxyMeans } from './proxy-target.js'
import { openTunnel, passUpgrade } from './proxy-tunnel.js'
import type { Roads } from './roads.js'
import { sameUserCheck } from './same-user.js'
import type { CheckingProxy } from './way-out.js'

const HOST = '127.0.0.1'
const MAX_CONNECTIONS = 512
const MAX_REMEMBERED = 50

const LIMITS = {
  maxHeaderSize: 128 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 30_000,
}

export interface OpenProxy extends CheckingProxy {
  close(): Promise<void>
}

export async function openCheckingProxy(connector: Roads, httpClient: Exchange): Promise<OpenProxy> {
  const refused: string[] = []
  const sockets = new Set<Duplex>()
  const server = createProxyServer({
    roads: connector,
    exchange: httpClient,
    keep(socket) {
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
    note(error) {
      const failure = toFetchFailure(error)
      if (failure.problem === 'refused' || failure.problem === 'bad-url') refused.push(failure.message)
      if (refused.length > MAX_REMEMBERED) refused.shift()
      return failure
    },
  })
  const port = await listenOnLoopback(server)
  return {
    host: HOST,
    port,
    refused,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function createProxyServer(deps: ProxyMeans): Server {
  const sameUserBySocket = new WeakMap<Socket, Promise<boolean>>()
  const isSameUser = sameUserCheck()
  const ifSameUser = async (socket: Socket, work: () => Promise<void>): Promise<void> => {
    if (await sameUserBySocket.get(socket)) await work()
    else socket.destroy()
  }
  const server = createServer(LIMITS, (request, response) => {
    void ifSameUser(request.socket, () => passOn(request, response, deps))
  })
  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', (socket) => {
    deps.keep(socket).unref()
    socket.on('error', () => socket.destroy())
    sameUserBySocket.set(socket, isSameUser(socket))
  })
  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void ifSameUser(request.socket, () => openTunnel(request, socket, head, deps))
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void ifSameUser(request.socket, () => passUpgrade(request, socket, head, deps))
  })
  return server
}

async function listenOnLoopback(server: Server): Promise<number> {
  server.listen(0, HOST).unref()
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new FetchFailure('unreachable', `No proxy for the browser can be opened: ${reasonOf(error)}.`, {
      cause: error,
    })
  }
  server.on('error', () => {})
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port')
  return address.port
}

function toFetchFailure(error: unknown): FetchFailure {
  return error instanceof FetchFailure ? error : new FetchFailure('broken', reasonOf(error), { cause: error })
}
