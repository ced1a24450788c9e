// Records which client connections belong to one user only. Where processes share a port, the answer to a forwarded
// request closes such a connection: the client opens another, which may reach the owner directly. A connection of
// several users, such as a proxy's, stays open. Used by machine-placement.ts. Changes response.shouldKeepAlive; no I/O.

import type { Socket } from 'node:net'

import { hasPipelined } from '@scorpiox/mcp/http/connections'
import type { HttpExchange } from '@scorpiox/mcp/http/http-exchange'

export class UserConnections {
  /** Undefined as soon as there are several users. */
  readonly #users = new WeakMap<Socket, string | undefined>()

  note({ request: { socket }, user }: HttpExchange): void {
    if (!this.#users.has(socket)) this.#users.set(socket, user)
    else if (this.#users.get(socket) !== user) this.#users.set(socket, undefined)
  }

  /** Requests that were sent before the answer would be lost, so a client that does that keeps its connection. */
  closeIfOfOneUser({ request: { socket }, response, user }: HttpExchange): void {
    if (this.#users.get(socket) === user && !hasPipelined(socket)) response.shouldKeepAlive = false
  }
}
