// Limits the connections of one network that have not carried an accepted credential, so that they cannot use up the
// connections of all clients. Many clients may connect at the same moment, from behind one proxy: a connection has some
// seconds to send its first request. Created by http-server. Counts in memory; closes connections. Sets timers.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

import { toNetwork } from './rate-limits.js'

/** Of one network, once they have had time to send a request. */
const MAX_IDLE_PER_NETWORK = 256
const GRACE_MS = 5000

export interface AnonymousConnections {
  /** The connection has carried an accepted credential and is not limited any more. */
  markAuthenticated(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void
}

interface AnonymousConnection {
  readonly openedAt: number
  /** The encrypted connection, once there is one. */
  socket: Socket
}

/** `refuse` answers and closes a connection. One network may have half of `maxConnections` at most. */
export function limitAnonymousConnections(
  http: Server,
  maxConnections: number,
  refuse: (socket: Socket) => void,
): AnonymousConnections {
  const networks = new Map<string, Map<string, AnonymousConnection>>()
  const maxPerNetwork = Math.max(MAX_IDLE_PER_NETWORK, Math.floor(maxConnections / 2))
  const authenticated = new WeakSet<object>()
  let timer: NodeJS.Timeout | undefined

  function add(socket: Socket): void {
    const { network, key } = locate(socket)
    const connections = networks.get(network) ?? new Map<string, AnonymousConnection>()
    // A connection that was returned to the server after an upgrade is emitted again.
    if (connections.has(key)) return
    networks.set(network, connections)
    connections.set(key, { socket, openedAt: performance.now() })
    socket.once('close', () => remove(network, key))
    const [oldest] = connections
    if (connections.size > maxPerNetwork && oldest) close(network, ...oldest)
    else if (connections.size > MAX_IDLE_PER_NETWORK) timer ??= setTimeout(closeOldest, GRACE_MS).unref()
  }

  function remove(network: string, key: string): void {
    const connections = networks.get(network)
    connections?.delete(key)
    if (connections?.size === 0) networks.delete(network)
  }

  function close(network: string, key: string, { socket }: AnonymousConnection): void {
    remove(network, key)
    refuse(socket)
  }

  /** Those that exceed the limit and have had their time, the oldest first. */
  function closeOldest(): void {
    timer = undefined
    const before = performance.now() - GRACE_MS
    for (const [network, connections] of networks) {
      if (connections.size <= MAX_IDLE_PER_NETWORK) continue
      timer ??= setTimeout(closeOldest, GRACE_MS / 5).unref()
      const excess = [...connections].slice(0, connections.size - MAX_IDLE_PER_NETWORK)
      for (const [key, connection] of excess) if (connection.openedAt <= before) close(network, key, connection)
    }
  }

  http.on('connection', add)
  http.on('secureConnection', (socket: Socket) => {
    const { network, key } = locate(socket)
    const connection = networks.get(network)?.get(key)
    if (connection) connection.socket = socket
  })
  http.on('close', () => clearTimeout(timer))
  return {
    markAuthenticated(socket) {
      if (authenticated.has(socket)) return
      authenticated.add(socket)
      const { network, key } = locate(socket)
      remove(network, key)
    },
  }
}

/** Address and port are the same for a connection and the encrypted connection on it. */
function locate({ remoteAddress = '', remotePort = 0 }: Pick<Socket, 'remoteAddress' | 'remotePort'>) {
  return { network: toNetwork(remoteAddress), key: `${remoteAddress} ${remotePort}` }
}
