// Calls a resource's `watch` when a client subscribes. A Failure is ignored here, because resources/read reports it.

import { Failure } from '../lib/failure.js'
import type { Resource, ResourceTemplate } from '../tools/resource.js'
import type { Server } from './server.js'

export function beginWatching(server: Server, uri: string, user: string): void {
  const match = server.library.at(uri)
  const resource = match && 'template' in match ? match.template : match
  if (resource?.watch) void watch(server, resource, user)
}

async function watch(server: Server, resource: Resource | ResourceTemplate, user: string): Promise<void> {
  try {
    const services = await server.services.open(resource.needs ?? [])
    await resource.watch?.(services, user)
  } catch (error) {
    if (!(error instanceof Failure)) server.logError(error)
  }
}
