// What a method is, and what several of them share.

import type { Exchange } from '../exchange.js'
import { INVALID_PARAMS, ProtocolError } from '../protocol-error.js'
import type { Result } from '../reply.js'
import type { Server } from '../server.js'

export type Method = (server: Server, exchange: Exchange) => Result | Promise<Result>

/** A page of a list, at once. */
export type ListMethod = (server: Server, exchange: Exchange) => string

export type Methods = Readonly<Record<string, Method>>

// The lists are settled when the process starts, or their changes are told; five minutes let a client notice a restart
// with other settings.
export const LIST_CACHE = '"ttlMs":300000,"cacheScope":"private"'

/** A method that shows what the server offers; it waits only where there is something to wait for. */
export function prepared(method: Method): Method {
  return (server, exchange) => {
    const preparing = server.prepare()
    return preparing ? preparing.then(() => method(server, exchange)) : method(server, exchange)
  }
}

/** A parameter that must be a string. */
export function textParam({ params }: Exchange, name: string): string {
  const value = params[name]
  if (typeof value === 'string') return value
  throw new ProtocolError(INVALID_PARAMS, `Invalid params: '${name}' must be a string`)
}
