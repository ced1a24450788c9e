// Creates the server of `serve`, `serveHttp` and `connect`. Services, and servers that are mounted, are loaded if there
// are any. Called by index.ts and by library.ts of the app.

import { createLog } from './log.js'
import { formatValue } from './methods/tools.js'
import { createServerFromOptions, type ServeOptions } from './serve-options.js'
import type { McpServer } from './server/mcp-server.js'

export async function openServer<S extends object, Claims>(options: ServeOptions<S, Claims>): Promise<McpServer> {
  if (options.mount) {
    const { createMountedServer } = await import('./mount/mounted-server.js')
    return createMountedServer(options, { createServer: createServerFromOptions, createLog, formatValue })
  }
  const table = options.services && (await import('./server/service-table.js'))
  return createServerFromOptions(options, table?.createServiceTable)
}
