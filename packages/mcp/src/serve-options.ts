// The options of `serve`, `serveHttp` and `connect`, and the server they define. Used by open-server.ts and mount/. No
// effects: the server opens nothing by itself.

import { createChangeEvents } from './definitions/change-events.js'
import type { Middleware } from './definitions/middleware.js'
import type { HttpOptions } from './http/http-options.js'
import { createLog, formatErrorStack } from './log.js'
import type { HttpMount, ProgramMount } from './mount/mount-options.js'
import { createMcpServer, type McpServer, type ServerDefinition } from './server/mcp-server.js'
import type { createServiceTable, ServiceFactories } from './server/service-table.js'

/** The definition of a server. The same for `serve`, `serveHttp`, `connect` and `createMemoryTransport`. */
export interface ServeOptions<S extends object = object, Claims = unknown> extends Omit<
  ServerDefinition,
  'services' | 'middleware'
> {
  /** The services that tools name. Each is opened by the first call that needs it and closed at the end. */
  readonly services?: ServiceFactories<S>
  /** Other servers, whose tools, prompts and resources this one offers too. */
  readonly mount?: readonly ServerMount[]
  readonly stdio?: StdioOptions
  readonly http?: HttpOptions<Claims>
  /** Runs around the calls of tools, resources and prompts; the first is the outermost. */
  readonly middleware?: readonly Middleware<Claims>[]
}

/** A server that another one mounts: a program, a server over HTTP, or a definition in the same process. */
export type ServerMount = ProgramMount | HttpMount | LocalMount

/** A server in the same process, mounted by another. Its services are opened and closed with it. */
export interface LocalMount {
  /** Put before the names of its tools and prompts, and before its URIs; see `ProgramMount`. */
  readonly prefix: string
  readonly server: ServeOptions
}

/** Options of the stdio transport. */
export interface StdioOptions {
  /** Maximum length of a line in bytes. Default: 16 MiB. */
  readonly maxLineBytes?: number
}

/** `createTable` is needed if there are services; open-server.ts loads it then. */
export function createServerFromOptions<S extends object, Claims>(
  { services, ...definition }: ServeOptions<S, Claims>,
  createTable?: typeof createServiceTable,
): McpServer {
  const log = createLog(definition.name, 'info')
  const { changeEvents = createChangeEvents() } = definition
  return createMcpServer({
    logError: (error) => log.error(formatErrorStack(error)),
    ...definition,
    changeEvents,
    ...(services && createTable && { services: createTable(services, changeEvents) }),
  })
}
