// The options of `serve`, `serveHttp` and `connect`, and the server they define. Used by index.ts of this package and
// by library.ts of the app. No effects: the server opens nothing by itself.

import { createChangeEvents } from './definitions/change-events.js'
import type { Middleware } from './definitions/middleware.js'
import type { HttpOptions } from './http/http-options.js'
import { createLog, formatErrorStack } from './log.js'
import { createMcpServer, type McpServer, type ServerDefinition } from './server/mcp-server.js'
import { createServiceTable, type ServiceFactories } from './server/service-table.js'

/** The definition of a server. The same for `serve`, `serveHttp`, `connect` and `createMemoryTransport`. */
export interface ServeOptions<S extends object = object, Claims = unknown> extends Omit<
  ServerDefinition,
  'services' | 'middleware'
> {
  /** The services that tools name. Each is opened by the first call that needs it and closed at the end. */
  readonly services?: ServiceFactories<S>
  readonly stdio?: StdioOptions
  readonly http?: HttpOptions<Claims>
  /** Runs around the calls of tools, resources and prompts; the first is the outermost. */
  readonly middleware?: readonly Middleware<Claims>[]
}

/** Options of the stdio transport. */
export interface StdioOptions {
  /** Maximum length of a line in bytes. Default: 16 MiB. */
  readonly maxLineBytes?: number
}

export function createServerFromOptions<S extends object, Claims>({
  services,
  ...definition
}: ServeOptions<S, Claims>): McpServer {
  const log = createLog(definition.name, 'info')
  const { changeEvents = createChangeEvents() } = definition
  return createMcpServer({
    logError: (error) => log.error(formatErrorStack(error)),
    ...definition,
    changeEvents,
    ...(services && { services: createServiceTable(services, changeEvents) }),
  })
}
