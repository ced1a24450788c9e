// Which connections belong to one user. Where processes share a port, the answer to a request that had to be forwarded
// closes such a connection: the client opens another, which may reach the owner, and then needs no second process. A
// connection of several users, as a proxy has, stays open. Used by machine-placement.ts.

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
