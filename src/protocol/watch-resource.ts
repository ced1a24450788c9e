// Readies a resource for whoever subscribed to it, so that what others change there is noticed although nobody reads it.

import type { Server } from './server.js'

/** What goes wrong is heard by whoever reads it. */
export async function watchResource({ library, services }: Server, uri: string, user: string): Promise<void> {
  const found = library.at(uri)
  if (!found || 'template' in found || !found.watch) return
  try {
    await found.watch(await services.open(found.needs ?? []), user)
  } catch {
    // Nothing is there to be noticed.
  }
}
