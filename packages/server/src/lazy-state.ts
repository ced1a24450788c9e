// Opens the database on first use and shares it between services. A failed attempt is repeated on the next use.

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from './config/load-config.js'
import type { StateDatabase } from './state.js'

export interface LazyDatabase {
  open(): Promise<StateDatabase>
  /** Calls back once the database is open. */
  onOpen(listener: (state: StateDatabase) => void): void
  close(): Promise<void>
}

export function createLazyDatabase({ settings }: Pick<Config, 'settings'>): LazyDatabase {
  let opening: Promise<StateDatabase> | undefined
  let closing: Promise<void> | undefined
  let opened: StateDatabase | undefined
  const listeners: ((state: StateDatabase) => void)[] = []

  async function openNow(): Promise<StateDatabase> {
    const [{ openStateDatabase }, { getDatabaseLocation }] = await Promise.all([
      import('./state.js'),
      import('./storage/open-database.js'),
    ])
    opened = await openStateDatabase(getDatabaseLocation(settings))
    for (const listener of listeners.splice(0)) listener(opened)
    return opened
  }

  async function closeNow(): Promise<void> {
    const database = await opening?.catch(() => undefined)
    await database?.close()
  }

  return {
    open() {
      if (closing) return Promise.reject(new Failure('The server is stopping.'))
      if (opening) return opening
      opening = openNow()
      opening.catch(() => (opening = undefined))
      return opening
    },
    onOpen(listener) {
      if (opened) listener(opened)
      else listeners.push(listener)
    },
    close: () => (closing ??= closeNow()),
  }
}
