// Opens the database on first use and shares it between services. A failed attempt is repeated on the next use.

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from './config/load-config.js'
import type { StateDatabase } from './state.js'
import { createLazyResource } from './util/async.js'

export interface LazyDatabase {
  open(): Promise<StateDatabase>
  /** Calls back once the database is open. */
  onOpen(listener: (state: StateDatabase) => void): void
  close(): Promise<void>
}

export function createLazyDatabase({ settings }: Pick<Config, 'settings'>): LazyDatabase {
  let closing: Promise<void> | undefined
  let opened: StateDatabase | undefined
  const listeners: ((state: StateDatabase) => void)[] = []

  const database = createLazyResource(async () => {
    const [{ openStateDatabase }, { getDatabaseLocation }] = await Promise.all([
      import('./state.js'),
      import('./storage/open-database.js'),
    ])
    opened = await openStateDatabase(getDatabaseLocation(settings))
    for (const listener of listeners.splice(0)) listener(opened)
    return opened
  })

  async function closeNow(): Promise<void> {
    await (await database.current())?.close()
  }

  return {
    open: () => (closing ? Promise.reject(new Failure('The server is stopping.')) : database.open()),
    onOpen(listener) {
      if (opened) listener(opened)
      else listeners.push(listener)
    },
    close: () => (closing ??= closeNow()),
  }
}
