// Opens the database at a location: loads its driver, but does not connect yet.

import type { StatePlace } from '../../config/state-place.js'
import type { Database } from './sql.js'

export async function openDatabase({ file, databaseUrl }: StatePlace): Promise<Database> {
  if (databaseUrl === '') return (await import('./sqlite.js')).openSqlite(file)
  return (await import('./postgres.js')).openPostgres(databaseUrl)
}
