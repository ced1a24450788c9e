// What a server is, apart from any client: its name, its tools and their services. Made once, shared by all sessions.

import type { Services } from '../services/services.js'
import type { Tool } from '../tools/tool.js'
import { createCatalogue, type Catalogue } from './catalogue.js'
import { signature } from './modern.js'
import type { Identity } from './projection.js'

export interface ServerDescription extends Identity {
  readonly instructions?: string
  readonly tools: readonly Tool[]
  readonly services?: Services
  /** Tools that exist but may not be called here, and why: the reason is told to whoever calls. */
  readonly refusals?: ReadonlyMap<string, string>
  /** Told about bugs; the client only learns that there was one. */
  readonly logError?: (error: unknown) => void
}

export interface Server {
  readonly identity: Identity
  /** What each modern result says of who gave it, ready to be sent. */
  readonly signature: string
  readonly instructions: string | undefined
  readonly catalogue: Catalogue
  readonly services: Services
  readonly refusals: ReadonlyMap<string, string>
  logError(error: unknown): void
  /** Closes its services. For whoever made the server, when the last session is over. */
  close(): Promise<void>
}

export function createServer(description: ServerDescription): Server {
  const { name, version, title, instructions, tools, services = NO_SERVICES, refusals, logError } = description
  for (const tool of tools) {
    const missing = tool.needs?.find((need) => !services.names.has(need))
    if (missing !== undefined)
      throw new Error(`tool ${tool.name} needs the service ${missing}, which this server lacks`)
  }
  const identity = title === undefined ? { name, version } : { name, version, title }
  return {
    identity,
    signature: signature(identity),
    instructions,
    catalogue: createCatalogue(tools),
    services,
    refusals: refusals ?? new Map(),
    logError: (error) => tell(logError, error),
    close: () => services.close().catch((error: unknown) => tell(logError, error)),
  }
}

/** A log that fails must not take the answer with it. */
function tell(logError: ServerDescription['logError'], error: unknown): void {
  try {
    logError?.(error)
  } catch {
    // There is nobody left to tell.
  }
}

const NO_SERVICES: Services = { names: new Set(), open: () => ({}), close: () => Promise.resolve() }
