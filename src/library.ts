// The public door for people who write their own server: define tools, serve them.

import { createLog, stackOf } from './platform/log.js'
import { createServer, type ServerDescription } from './protocol/server.js'
import { createServices, type Openers } from './services/services.js'
import { serveStdio } from './transport/stdio.js'

export { Failure } from './lib/failure.js'
export { defineTool, toolsOver } from './tools/tool.js'
export type { Block, Call, Hints, Schema, Tool, Words } from './tools/tool.js'
export type { StandardSchema } from './tools/standard-schema.js'

export interface ServeOptions<S extends object = object> extends Omit<ServerDescription, 'services'> {
  /** What tools name in `needs`, each opened by the first call that needs it. */
  readonly services?: Openers<S>
}

/** Serves the tools over stdio until the client goes away, then ends the process. */
export async function serve<S extends object>(options: ServeOptions<S>): Promise<never> {
  const { services, ...description } = options
  const log = createLog(options.name, 'info')
  const server = createServer({
    logError: (error) => log.error(stackOf(error)),
    ...description,
    ...(services && { services: createServices(services) }),
  })
  await serveStdio(server)
  process.exit(0)
}
