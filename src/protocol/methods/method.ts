// The type of a method handler, and helpers that several handlers share.

import type { Exchange } from '../exchange.js'
import { INVALID_PARAMS, ProtocolError } from '../protocol-error.js'
import type { Result } from '../reply.js'
import type { Server } from '../server.js'

export type Method = (server: Server, context: Exchange) => Result | Promise<Result>

/** Returns one page of a list, synchronously. */
export type ListMethod = (server: Server, context: Exchange) => string

export type Methods = Readonly<Record<string, Method>>

// Lists change only with a notification or a restart; after five minutes a client notices a restart with other
// settings.
export const LIST_CACHE = '"ttlMs":300000,"cacheScope":"private"'

/** Refreshes the lists before the handler runs; waits only if there is something to wait for. */
export function prepared(method: Method): Method {
  return (server, context) => {
    const refreshing = server.prepare()
    return refreshing ? refreshing.then(() => method(server, context)) : method(server, context)
  }
}

/** Reads a required string parameter. */
export function textParam({ params }: Exchange, name: string): string {
  const value = params[name]
  if (typeof value === 'string') return value
  throw new ProtocolError(INVALID_PARAMS, `Invalid params: '${name}' must be a string`)
}
