// Starts the HTTP server with what this program adds to the protocol: the console, WebSockets and the ArmorIQ format.

import { type HttpListener, type HttpServerOptions, startHttpTransport } from '@scorpiox/mcp/http/http-server'
import type { McpServer } from '@scorpiox/mcp/server/mcp-server'
import { type ConsoleRouteOptions, createConsoleRoutes } from './console-routes.js'
import { PROGRAM_EXTENSIONS } from './program-extensions.js'

export interface ProgramHttpOptions extends Omit<HttpServerOptions, 'extensions'> {
  /** The console; none by default. */
  readonly console?: ConsoleRouteOptions | undefined
}

export function startProgramHttp(
  server: McpServer,
  { console, ...settings }: ProgramHttpOptions,
): Promise<HttpListener> {
  const routes =
    console && ((context: Parameters<typeof createConsoleRoutes>[0]) => createConsoleRoutes(context, console))
  return startHttpTransport(server, { ...settings, extensions: { ...PROGRAM_EXTENSIONS, routes } })
}
