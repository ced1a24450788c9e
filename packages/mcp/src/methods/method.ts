// The type of a method handler, and helpers that several handlers share. Used by every file of methods/ and by
// active-requests. Pure.

import { INVALID_PARAMS, ProtocolError } from '../errors.js'
import type { HandlerResult } from '../jsonrpc/result.js'
import type { RequestContext } from '../request/request-context.js'
import type { McpServer } from '../server/mcp-server.js'
import { andThen } from '../promises.js'

export type MethodHandler = (server: McpServer, context: RequestContext) => HandlerResult | Promise<HandlerResult>

/** Returns one page of a list, synchronously. */
export type ListHandler = (server: McpServer, context: RequestContext) => string

export type MethodTable = Readonly<Record<string, MethodHandler>>

// Lists change only with a notification or a restart; after five minutes a client notices a restart with other
// settings.
export const LIST_CACHE_MEMBERS = '"ttlMs":300000,"cacheScope":"private"'

/** Refreshes the lists before the handler runs; waits only if there is something to wait for. */
export function withRefreshedLists(method: MethodHandler): MethodHandler {
  return (server, context) => andThen(server.refreshLists(), () => method(server, context))
}

/** Reads a required string parameter. */
export function requireStringParam({ params }: RequestContext, name: string): string {
  const value = params[name]
  if (typeof value === 'string') return value
  throw new ProtocolError(INVALID_PARAMS, `Invalid params: '${name}' must be a string`)
}
