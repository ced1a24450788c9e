// The library as this package publishes it: all of @scorpiox/mcp, with WebSockets and the ArmorIQ format over HTTP.
// Built by scripts/build.mjs as the entry for programs that import the package. Transports are loaded on first use.

import type { RunningHttpServer } from '@scorpiox/mcp/http/http-options'
import type { JsonObject } from '@scorpiox/mcp/json/json'
import { openServer } from '@scorpiox/mcp/open-server'
import type { ServeOptions } from '@scorpiox/mcp/serve-options'

export * from '@scorpiox/mcp/index'

/** Serves over HTTP until it is closed. Default: a free port of the loopback interface. */
export async function serveHttp<S extends object, Claims = JsonObject>(
  options: ServeOptions<S, Claims>,
): Promise<RunningHttpServer> {
  const [{ startHttpServer }, { PROGRAM_EXTENSIONS }] = await Promise.all([
    import('@scorpiox/mcp/http/serve-http'),
    import('./http/program-extensions.js'),
  ])
  return startHttpServer(await openServer(options), options.http, PROGRAM_EXTENSIONS)
}
