// Opens the database on first use and shares it between services. A failed attempt is repeated on the next use.

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from './config/load-config.js'
import type { StateDatabase, StateTables } from './state.js'
import type { LazyDatabase } from './storage/scoped-database.js'
import { createLazyResource } from './util/async.js'

export type LazyStateDatabase = LazyDatabase<StateTables>

export function createLazyDatabase({ settings }: Pick<Config, 'settings'>): LazyStateDatabase {
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
