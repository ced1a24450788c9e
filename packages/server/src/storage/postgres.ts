// Database over a PostgreSQL pool. Uses its own schema, because the database may belong to an application. A broken
// connection is replaced by the next transaction; if it breaks during commit, the result is reported as unknown.

import type { Pool, PoolClient, QueryResult } from 'pg'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { createKeyedMutex } from '../util/concurrency.js'
import { redactDatabaseUrl, redactPassword } from './database-url.js'
import {
  type Database,
  numberColumn,
  type RunStatement,
  type Sql,
  type SqlRow,
  type TransactionResult,
} from './database.js'
import { pendingStatements, SCHEMA_VERSION } from './migrations.js'
import {
  isConnectionLost,
  isRetryableConnectionError,
  isSchemaMissing,
  toPostgresFailure,
  uncertainPostgresCommit,
  unreachableDatabase,
} from './postgres-errors.js'
import { runTransaction } from './transaction.js'

const BIGINT = 20
const MAX_CONNECTIONS = 8
/** An arbitrary number, the same in every version of this program. */
const MIGRATION_LOCK = 7_267_702_629

const SESSION_LIMITS = `SET LOCAL search_path TO scorpiox, pg_catalog; SET LOCAL statement_timeout TO '15s';
  SET LOCAL lock_timeout TO '10s'; SET LOCAL idle_in_transaction_session_timeout TO '60s';`
// A server may be configured to acknowledge commits before they are on disk.
const DURABLE_COMMIT = `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';`
const BEGIN_STATEMENTS = {
  read: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${SESSION_LIMITS} SELECT number FROM version`,
  write: `BEGIN ISOLATION LEVEL READ COMMITTED; ${SESSION_LIMITS} ${DURABLE_COMMIT} SELECT number FROM version`,
}

type Kind = keyof typeof BEGIN_STATEMENTS

export async function openPostgres(url: string): Promise<Database> {
  const name = redactDatabaseUrl(url) ?? 'the database'
  const pool = await createPool(url)
  const serialize = createKeyedMutex()

  async function transact<T>(kind: Kind, work: (sql: Sql) => Promise<TransactionResult<T>>): Promise<T> {
    const client = await beginWithRetry(kind, MAX_CONNECTIONS + 2)
    let isUsable = false
    try {
      const { value, commit: keep } = await runTransaction(createSql(client), kind, work)
      if (keep) await commit(client)
      else await client.query('ROLLBACK')
      isUsable = true
      return value
    } catch (error) {
      isUsable = await tryRollback(client)
      throw toFailure(error)
    } finally {
      client.release(!isUsable)
    }
  }

  /** Retries: an idle connection may have broken, and the tables may have to be created. */
  async function beginWithRetry(kind: Kind, attempts: number): Promise<PoolClient> {
    const client = await acquireClient()
    try {
      await begin(client, kind)
      return client
    } catch (error) {
      client.release(!(await tryRollback(client)))
      const needsMigration = error instanceof OutdatedSchemaError || isSchemaMissing(error)
      if (attempts === 1 || !(needsMigration || isRetryableConnectionError(error))) throw toFailure(error)
      if (needsMigration) await migrateSchema()
      return beginWithRetry(kind, attempts - 1)
    }
  }

  async function begin(client: PoolClient, kind: Kind): Promise<void> {
    const results: unknown = await client.query(BEGIN_STATEMENTS[kind])
    const version = readVersion(results)
    if (version < SCHEMA_VERSION) throw new OutdatedSchemaError(`the tables of ${name} are of version ${version}`)
    if (version > SCHEMA_VERSION) throw newerSchemaFailure(name)
  }

  async function migrateSchema(): Promise<void> {
    const client = await acquireClient()
    let isUsable = false
    try {
      await migrate(client, name)
      isUsable = true
    } catch (error) {
      isUsable = await tryRollback(client)
      throw toFailure(error)
    } finally {
      client.release(!isUsable)
    }
  }

  async function commit(client: PoolClient): Promise<void> {
    try {
      const { command } = await client.query('COMMIT')
      if (command !== 'COMMIT') throw new Error(`${name} answered COMMIT with ${command}`)
    } catch (error) {
      throw isConnectionLost(error) ? uncertainPostgresCommit(name, error, safeReason(error)) : error
    }
  }

  async function acquireClient(): Promise<PoolClient> {
    if (redactDatabaseUrl(url) === undefined) {
      throw new Failure('DATABASE_URL is not a PostgreSQL URL such as postgres://user:password@host/name; correct it')
    }
    try {
      return await pool.connect()
    } catch (error) {
      throw unreachableDatabase(name, error, safeReason(error))
    }
  }

  function toFailure(error: unknown): unknown {
    return toPostgresFailure(name, error, safeReason(error)) ?? error
  }

  function safeReason(error: unknown): string {
    return redactPassword(errorMessage(error), url)
  }

  return {
    name,
    read: (work) => transact('read', async (sql) => ({ value: await work(sql), commit: false })),
    write: (key, work) => serialize(key, () => transact('write', work)),
    mayHaveChanged: async () => true,
    close: () => pool.end(),
  }
}

/** The schema has an older version. */
class OutdatedSchemaError extends Error {}

async function createPool(url: string): Promise<Pool> {
  const { Pool: PgPool } = await import('pg')
  const pool = new PgPool({
    connectionString: url,
    application_name: 'scorpiox-code',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: 5000,
    query_timeout: 20_000,
    keepAlive: true,
    allowExitOnIdle: true,
  })
  // Without a listener, a broken connection would end the process; the next use reports the error.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function createSql(client: PoolClient): Sql {
  const all: RunStatement = async (text, ...values) =>
    rowsOf(await client.query(toNumberedParameters(text), [...values]))
  return { all, run: all }
}

function toNumberedParameters(text: string): string {
  let number = 0
  return text.replaceAll('?', () => `$${++number}`)
}

// The driver returns 64-bit integers as text; the values stored here fit into a number.
function rowsOf({ rows, fields }: QueryResult<Record<string, unknown>>): readonly SqlRow[] {
  const bigints = fields.filter(({ dataTypeID }) => dataTypeID === BIGINT)
  for (const row of rows) {
    for (const { name } of bigints) if (row[name] !== null) row[name] = Number(row[name])
  }
  return rows
}

function readVersion(results: unknown): number {
  const last: unknown = Array.isArray(results) ? results.at(-1) : undefined
  const rows = typeof last === 'object' && last !== null && 'rows' in last ? last.rows : undefined
  const [row]: readonly unknown[] = Array.isArray(rows) ? rows : []
  return typeof row === 'object' && row !== null && 'number' in row ? Number(row.number) : 0
}

/** The advisory lock lets one process migrate; the others find the schema current. */
async function migrate(client: PoolClient, name: string): Promise<void> {
  const sql = createSql(client)
  await client.query(`BEGIN; ${SESSION_LIMITS} SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`)
  const [schema] = await sql.all(
    `SELECT to_regnamespace('scorpiox') IS NOT NULL AS there, current_setting('server_encoding') AS encoding`,
  )
  if (schema?.encoding !== 'UTF8') {
    throw new Failure(
      `${name} is encoded not as UTF8 but as ${String(schema?.encoding)}; set DATABASE_URL to another database`,
    )
  }
  if (schema.there !== true) await client.query('CREATE SCHEMA scorpiox')
  await client.query(`
    CREATE TABLE IF NOT EXISTS version (number INT NOT NULL);
    CREATE OR REPLACE FUNCTION instr(TEXT, TEXT) RETURNS INT LANGUAGE SQL IMMUTABLE AS 'SELECT strpos($1, $2)'`)
  const [row] = await sql.all('SELECT number FROM version')
  const version = row ? numberColumn(row, 'number') : 0
  if (version > SCHEMA_VERSION) throw newerSchemaFailure(name)
  for (const step of pendingStatements(version, 'postgres')) await client.query(step)
  await client.query(`DELETE FROM version; INSERT INTO version VALUES (${SCHEMA_VERSION}); COMMIT`)
}

/** Whether the connection can be reused. */
async function tryRollback(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK')
    return true
  } catch {
    return false
  }
}

function newerSchemaFailure(name: string): Failure {
  return new Failure(
    `${name} was written by a newer scorpiox-code; update this one, or set DATABASE_URL to another database`,
  )
}
