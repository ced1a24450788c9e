// A subscription to something that others change too: whoever looks after it is told that somebody wants to know. What
// goes wrong there is heard by whoever reads it.

import { Failure } from '../lib/failure.js'
import type { Server } from './server.js'

export function beginWatching(server: Server, uri: string, user: string): void {
  const found = server.library.at(uri)
  const resource = found && 'template' in found ? found.template : found
  if (resource?.watch) void watch(server, resource, user)
}

async function watch(server: Server, resource: Watched, user: string): Promise<void> {
  try {
    const services = await server.services.open(resource.needs ?? [])
    await resource.watch?.(services, user)
  } catch (error) {
    if (!(error instanceof Failure)) server.logError(error)
  }
}

interface Watched {
  readonly needs?: readonly string[]
  watch?(services: unknown, user: string): void | Promise<void>
}
