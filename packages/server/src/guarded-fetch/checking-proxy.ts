// A proxy server on the loopback interface for clients that cannot use `fetch`, such as the browser: the same address
// policy checks their destinations. All its resources are bounded, it serves the OS user of this process only, and it
// does not keep the process alive. Opened by guarded-fetch.ts on first use. Opens a port and sockets.

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { endianness } from 'node:os'
import type { Duplex } from 'node:stream'

import { errorMessage } from '@scorpiox/mcp/errors'
import type { Connector } from './connector.js'
import { FetchFailure } from './fetch-failure.js'
import type { CheckingProxy } from './guarded-fetch.js'
import type { HttpClient } from './http-client.js'
import { forwardRequest, type ProxyDeps } from './proxy-requests.js'
import { forwardConnect, forwardUpgrade } from './proxy-tunnels.js'

type IsSameUser = (socket: Socket) => Promise<boolean>

const HOST = '127.0.0.1'
/** A table that is read while connections come and go may lack one of them. */
const MAX_TABLE_READS = 3

/**
 * Checks that the other end of a loopback connection belongs to the same OS user. Linux lists the owner of each end in
 * /proc/net/tcp, and a connection whose two ends are not found there is refused; on other systems every local user
 * passes.
 */
function createSameUserCheck(): IsSameUser {
  const readTable = createTableReader()
  return async ({ localAddress, localPort, remoteAddress, remotePort }) => {
    if (localAddress !== HOST || remoteAddress !== HOST || localPort === undefined || remotePort === undefined)
      return false
    if (process.platform !== 'linux') return true
    for (let reads = 0; reads < MAX_TABLE_READS; reads++) {
      const table = await readTable()
      const [ownOwner, otherOwner] = [findOwner(table, localPort, remotePort), findOwner(table, remotePort, localPort)]
      if (ownOwner !== undefined && otherOwner !== undefined) return ownOwner === otherOwner
    }
    return false
  }
}

/**
 * Reading the table takes milliseconds: callers that arrive during a read share the next one, which contains their
 * connection.
 */
function createTableReader(): () => Promise<string> {
  let reading: Promise<string> | undefined
  let next: Promise<string> | undefined
  const startRead = (): Promise<string> => {
    next = undefined
    return (reading = readFile('/proc/net/tcp', 'latin1')
      .catch(() => '')
      .finally(() => (reading = undefined)))
  }
  return () => (reading ? (next ??= reading.then(startRead)) : startRead())
}

/**
 * The columns are: number, local address:port, remote address:port, state, queues, timer, retransmits, uid, … in
 * hexadecimal. The addresses count too, because a connection between other addresses can have the same two ports; and
 * only an established one (01) has an owner: the end of a closed one is listed with uid 0.
 */
function findOwner(table: string, from: number, to: number): string | undefined {
  const ends = `${LOOPBACK_HEX}:${toHexPort(from)} ${LOOPBACK_HEX}:${toHexPort(to)}`
  return new RegExp(`: ${ends} 01 \\S+ \\S+ \\S+ +(\\d+) `).exec(table)?.[1]
}

/** 127.0.0.1 in the byte order of this machine. */
const LOOPBACK_HEX = endianness() === 'LE' ? '0100007F' : '7F000001'

function toHexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}

const MAX_CONNECTIONS = 512
const MAX_REMEMBERED = 50

const LIMITS = {
  maxHeaderSize: 128 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 30_000,
}

export interface CheckingProxyServer extends CheckingProxy {
  close(): Promise<void>
}

export async function openCheckingProxy(connector: Connector, httpClient: HttpClient): Promise<CheckingProxyServer> {
  const refused: string[] = []
  const sockets = new Set<Duplex>()
  const server = createProxyServer({
    connector,
    httpClient,
    trackSocket(socket) {
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
    recordRefusal(error) {
      const failure = toFetchFailure(error)
      if (failure.kind === 'refused' || failure.kind === 'bad-url') refused.push(failure.message)
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

function createProxyServer(deps: ProxyDeps): Server {
  const sameUserBySocket = new WeakMap<Socket, Promise<boolean>>()
  const isSameUser = createSameUserCheck()
  const ifSameUser = async (socket: Socket, work: () => Promise<void>): Promise<void> => {
    if (await sameUserBySocket.get(socket)) await work()
    else socket.destroy()
  }
  const server = createServer(LIMITS, (request, response) => {
    void ifSameUser(request.socket, () => forwardRequest(request, response, deps))
  })
  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', (socket) => {
    deps.trackSocket(socket).unref()
    socket.on('error', () => socket.destroy())
    sameUserBySocket.set(socket, isSameUser(socket))
  })
  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void ifSameUser(request.socket, () => forwardConnect(request, socket, head, deps))
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void ifSameUser(request.socket, () => forwardUpgrade(request, socket, head, deps))
  })
  return server
}

async function listenOnLoopback(server: Server): Promise<number> {
  server.listen(0, HOST).unref()
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new FetchFailure('unreachable', `The proxy for the browser cannot be opened: ${errorMessage(error)}.`, {
      cause: error,
    })
  }
  server.on('error', () => {})
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port')
  return address.port
}

function toFetchFailure(error: unknown): FetchFailure {
  return error instanceof FetchFailure ? error : new FetchFailure('broken', errorMessage(error), { cause: error })
}
