// The database that a place names; its driver is loaded now, its server or file is not touched yet.

import type { StatePlace } from '../../config/state-place.js'
import type { Database } from './sql.js'

export async function openDatabase({ file, databaseUrl }: StatePlace): Promise<Database> {
  if (databaseUrl === '') return (await import('./sqlite.js')).openSqlite(file)
  return (await import('./postgres.js')).openPostgres(databaseUrl)
}
