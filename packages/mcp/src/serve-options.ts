// The options of `serve`, `serveHttp` and `connect`, and the server they define. Used by index.ts of this package and
// by library.ts of the app. No effects: the server opens nothing by itself.

import { createChangeEvents } from './definitions/change-events.js'
import type { HttpOptions } from './http/http-options.js'
import { createLog, formatErrorStack } from './log.js'
import { createMcpServer, type McpServer, type ServerDefinition } from './server/mcp-server.js'
import { createServiceTable, type ServiceFactories } from './server/service-table.js'

/** The definition of a server. The same for `serve`, `serveHttp`, `connect` and `createMemoryTransport`. */
export interface ServeOptions<S extends object = object> extends Omit<ServerDefinition, 'services'> {
  /** The services that tools name. Each is opened by the first call that needs it and closed at the end. */
  readonly services?: ServiceFactories<S>
  readonly stdio?: StdioOptions
  readonly http?: HttpOptions
}

/** Options of the stdio transport. */
export interface StdioOptions {
  /** Maximum length of a line in bytes. Default: 16 MiB. */
  readonly maxLineBytes?: number
}

export function createServerFromOptions<S extends object>({ services, ...definition }: ServeOptions<S>): McpServer {
  const log = createLog(definition.name, 'info')
  const { changeEvents = createChangeEvents() } = definition
  return createMcpServer({
    logError: (error) => log.error(formatErrorStack(error)),
    ...definition,
    changeEvents,
    ...(services && { services: createServiceTable(services, changeEvents) }),
  })
}
