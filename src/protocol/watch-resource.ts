// Somebody subscribed to a resource: whoever keeps it begins to look for changes. That takes its time and may fail; the
// subscription stands all the same, and whoever reads the resource hears what is wrong.

import type { Server } from './server.js'

export function watchResource({ library, services }: Server, uri: string, user: string): void {
  const found = library.at(uri)
  if (!found || 'template' in found || !found.watch) return
  const begin = async (): Promise<unknown> => found.watch?.(await services.open(found.needs ?? []), user)
  begin().catch(() => undefined)
}
