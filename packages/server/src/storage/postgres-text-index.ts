// The trigram indexes of PostgreSQL (pg_trgm) over the texts of tasks and steps. Searches give the same results without
// them, but read every text. They are created outside of transactions and without blocking writers, by one of the
// processes that use the database; an attempt that was interrupted is repeated by the next one. Used by postgres.ts.

import { numberColumn, type Sql, type SqlRow, textColumn } from './database.js'

/** A connection that is used for nothing else, without time limits. */
export interface IndexConnection {
  readonly query: (text: string) => Promise<unknown>
  readonly all: Sql['all']
}

const INDEXES = [
  { name: 'tasks_search', table: 'tasks' },
  { name: 'steps_search', table: 'steps' },
] as const

/** An arbitrary number, another one than that of the migrations. */
const INDEX_LOCK = 7_267_702_630

const SELECT_VALID = `SELECT c.relname AS name FROM pg_catalog.pg_index AS i
  JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
  JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname = 'scorpiox' AND i.indisvalid AND c.relname IN (${INDEXES.map(({ name }) => `'${name}'`).join(', ')})`

/** Only a superuser can create operator classes, so this one is not planted. */
const SELECT_OPERATOR_CLASS = `SELECT pg_catalog.quote_ident(n.nspname) AS schema FROM pg_catalog.pg_opclass AS o
  JOIN pg_catalog.pg_namespace AS n ON n.oid = o.opcnamespace WHERE o.opcname = 'gin_trgm_ops'`

const SELECT_EXTENSION = `SELECT count(*) AS available FROM pg_catalog.pg_available_extensions WHERE name = 'pg_trgm'`

export async function createTextIndexes(connection: IndexConnection, signal: AbortSignal): Promise<void> {
  await connection.query('SET search_path TO pg_catalog, pg_temp; SET statement_timeout TO 0; SET lock_timeout TO 0')
  if ((await listMissing(connection.all)).length === 0) return
  const [lock] = await connection.all(`SELECT pg_catalog.pg_try_advisory_lock(${INDEX_LOCK}::bigint)::int AS held`)
  if (!lock || numberColumn(lock, 'held') === 0) return
  const schema = (await findOperatorClass(connection.all)) ?? (await createExtension(connection))
  if (schema === undefined) return
  for (const { name, table } of await listMissing(connection.all)) {
    if (signal.aborted) return
    // What an interrupted attempt has left is invalid.
    await connection.query(`DROP INDEX IF EXISTS scorpiox.${name}`)
    await connection.query(
      `CREATE INDEX CONCURRENTLY ${name} ON scorpiox.${table} USING gin (search ${schema}.gin_trgm_ops)`,
    )
  }
}

/** A sentence on why there are no indexes. */
export async function findTextIndexProblem(all: Sql['all']): Promise<string | undefined> {
  if ((await listMissing(all)).length === 0) return undefined
  const slow = 'Searches for tasks read every task, because'
  if ((await findOperatorClass(all)) !== undefined)
    return `${slow} the index does not exist yet; a running server creates it.`
  const [row] = await all(SELECT_EXTENSION)
  if (!row || numberColumn(row, 'available') === 0)
    return `${slow} the database server does not have the extension pg_trgm; install it (Debian: the package postgresql-contrib), then run CREATE EXTENSION pg_trgm in the database.`
  return `${slow} the database does not have the extension pg_trgm, and its user may not be allowed to create it; run CREATE EXTENSION pg_trgm in it as an administrator, then restart the server.`
}

async function listMissing(all: Sql['all']): Promise<readonly (typeof INDEXES)[number][]> {
  const valid = new Set((await all(SELECT_VALID)).map((row) => textColumn(row, 'name')))
  return INDEXES.filter(({ name }) => !valid.has(name))
}

async function findOperatorClass(all: Sql['all']): Promise<string | undefined> {
  const [row]: readonly SqlRow[] = await all(SELECT_OPERATOR_CLASS)
  return row && textColumn(row, 'schema')
}

/** Not in our schema, where no objects of other roles may be: those of an extension belong to a superuser. */
async function createExtension({ query, all }: IndexConnection): Promise<string | undefined> {
  try {
    await query('CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public')
  } catch {
    // Not installed on the server, or not allowed; `doctor` says so.
    return undefined
  }
  return findOperatorClass(all)
}
