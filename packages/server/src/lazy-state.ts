// Opens the database on first use and shares it between services. A failed attempt is repeated on the next use. Created
// once for each process, by services.ts of the app, the inbox and `ui`. Opens the database; no other I/O.

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from './config/load-config.js'
import type { StateDatabase, StateTables } from './state.js'
import type { Database } from './storage/database.js'
import type { LazyDatabase, WriteFence } from './storage/scoped-database.js'
import { createLazyResource } from './async/timeouts.js'

export type LazyStateDatabase = LazyDatabase<StateTables>

/** The database of a machine, and its right to write. */
export interface MachineDatabase {
  readonly database: Database
  readonly fence: WriteFence
}

export function createLazyDatabase(
  { settings }: Pick<Config, 'settings'>,
  machine?: MachineDatabase,
): LazyStateDatabase {
  let closing: Promise<void> | undefined
  let opened: StateDatabase | undefined
  const listeners: ((state: StateDatabase) => void)[] = []

  const database = createLazyResource(async () => {
    const [{ createFencedState, openStateDatabase }, { getDatabaseLocation }] = await Promise.all([
      import('./state.js'),
      import('./storage/open-database.js'),
    ])
    opened = machine
      ? createFencedState(machine.database, machine.fence)
      : await openStateDatabase(getDatabaseLocation(settings))
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
