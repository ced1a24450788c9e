// Determines from the settings where the database is, and opens it: loads the SQLite or PostgreSQL driver, but does not
// connect yet. Used by state.ts, and by `state` and `doctor`, which need no scopes.

import { join } from 'node:path'

import type { Settings } from '../config/options.js'
import { getStateDir } from '../config/paths.js'
import type { SqliteDurability } from './sqlite-connection.js'
import type { Database, ReservingDatabase } from './database.js'

export interface DatabaseLocation {
  /** The SQLite file; its folder is created on the first write. */
  readonly file: string
  /** The URL of a PostgreSQL database; '' for none. */
  readonly databaseUrl: string
  /** Of the SQLite file; by default nothing that was written is lost. */
  readonly durability?: SqliteDurability
}

export function getDatabaseLocation(settings: Pick<Settings, 'STATE_DIR' | 'DATABASE_URL'>): DatabaseLocation {
  return { file: join(getStateDir(settings), 'state.db'), databaseUrl: settings.DATABASE_URL }
}

export async function openDatabase({ file, databaseUrl, durability }: DatabaseLocation): Promise<Database> {
  if (databaseUrl === '') return (await import('./sqlite.js')).openSqlite(file, durability)
  return (await import('./postgres.js')).openPostgres(databaseUrl)
}

/** For one of several machines. */
export async function openMachineDatabase(databaseUrl: string, leaseMs: number): Promise<ReservingDatabase> {
  return (await import('./postgres.js')).openReservingPostgres(databaseUrl, leaseMs)
}
