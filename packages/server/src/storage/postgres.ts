// The `Database` over a PostgreSQL pool, loaded by open-database.ts. Uses its own schema, because the database may
// belong to an application. A broken connection is replaced by the next transaction; if it breaks during commit, the
// result is reported as unknown.

import type { ClientBase, Pool, PoolClient, QueryResult } from 'pg'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { createTimeoutSignal } from '../async/timeouts.js'
import { createKeyedMutex, createSemaphore } from '../async/concurrency.js'
import { redactDatabaseUrl, redactPassword } from './database-url.js'
import {
  type Database,
  numberColumn,
  requireRow,
  type ReservingDatabase,
  type RunStatement,
  type Sql,
  type SqlRow,
  type TransactionResult,
} from './database.js'
import { SCHEMA_VERSION } from './migrations.js'
import {
  isConnectionLost,
  isRetryableConnectionError,
  isSchemaMissing,
  isStuck,
  toPostgresFailure,
  uncertainPostgresCommit,
  unreachableDatabase,
} from './postgres-errors.js'
import {
  beginStatements,
  DEFAULT_LIMITS,
  isSchemaCheckFailed,
  migrate,
  newerSchemaFailure,
  type TransactionKind,
  type TransactionLimits,
} from './postgres-schema.js'
import { createTextIndexes, findTextIndexProblem } from './postgres-text-index.js'
import { runTransaction } from './transaction.js'

const BIGINT = 20
const MAX_CONNECTIONS = 8

interface Timeouts {
  readonly connectMs: number
  readonly queryMs: number
}

const TIMEOUTS: Timeouts = { connectMs: 5000, queryMs: 20_000 }
/** Several machines need a database that is kept available: after a failover the old connections never answer. */
const FAILOVER_TIMEOUTS: Timeouts = { connectMs: 2000, queryMs: 5000 }
/** Shorter than `queryMs`, so that the server answers and the connection can be used again. */
const LOCK_MS = 4000
const IDLE_PART = 0.8

export async function openPostgres(url: string): Promise<Database> {
  return createPostgres(url, await createPool(url, TIMEOUTS), DEFAULT_LIMITS)
}

/**
 * For one of several machines. One of the connections is kept for what must not wait behind other work. A machine that is
 * gone in the middle of a transaction loses its locks before its lease ends, so that the next owner does not wait.
 */
export async function openReservingPostgres(url: string, leaseMs: number): Promise<ReservingDatabase> {
  const limits = { lockMs: LOCK_MS, idleMs: Math.round(leaseMs * IDLE_PART) }
  const reserved = createPostgres(url, await createPool(url, FAILOVER_TIMEOUTS), limits)
  const connections = createSemaphore(MAX_CONNECTIONS - 1)
  async function withConnection<T>(work: () => Promise<T>): Promise<T> {
    const limit = createTimeoutSignal(TIMEOUTS.connectMs)
    const release = await connections.acquire(limit.signal)
    limit.clear()
    if (!release) {
      throw new Failure(`All connections to ${reserved.name} are busy, nothing was changed; try again in a moment`)
    }
    try {
      return await work()
    } finally {
      release()
    }
  }
  return {
    ...reserved,
    reserved,
    read: (work) => withConnection(() => reserved.read(work)),
    write: (key, work) => reserved.serialize(key, () => withConnection(() => reserved.writeNow(work))),
  }
}

interface PostgresDatabase extends Database {
  /** Runs work of the same key one after another. */
  serialize<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Like `write`, without waiting for others of the same key. */
  writeNow<T>(work: (sql: Sql) => Promise<TransactionResult<T>>): Promise<T>
}

function createPostgres(url: string, pool: Pool, limits: TransactionLimits): PostgresDatabase {
  const name = redactDatabaseUrl(url) ?? 'the database'
  const serialize = createKeyedMutex()
  let areObjectsChecked = false

  async function transact<T>(kind: TransactionKind, work: (sql: Sql) => Promise<TransactionResult<T>>): Promise<T> {
    const client = await beginWithRetry(kind, MAX_CONNECTIONS + 2)
    let isUsable = false
    try {
      const { value, commit: keep } = await runTransaction(createSql(client), kind, work)
      if (keep) await commit(client)
      else await client.query('ROLLBACK')
      isUsable = true
      return value
    } catch (error) {
      // A connection that does not answer would not answer the rollback either.
      isUsable = !isStuck(error) && (await tryRollback(client))
      throw toFailure(error)
    } finally {
      client.release(!isUsable)
    }
  }

  /** Retries: an idle connection may have broken, and the tables may have to be created. */
  async function beginWithRetry(kind: TransactionKind, attempts: number): Promise<PoolClient> {
    const client = await acquireClient()
    try {
      await begin(client, kind)
      return client
    } catch (error) {
      client.release(isStuck(error) || !(await tryRollback(client)))
      const needsMigration =
        error instanceof OutdatedSchemaError || isSchemaMissing(error) || isSchemaCheckFailed(error)
      if (attempts === 1 || !(needsMigration || isRetryableConnectionError(error))) throw toFailure(error)
      if (needsMigration) await migrateSchema()
      return beginWithRetry(kind, attempts - 1)
    }
  }

  async function begin(client: PoolClient, kind: TransactionKind): Promise<void> {
    const results: unknown = await client.query(beginStatements(kind, areObjectsChecked, limits))
    areObjectsChecked = true
    const version = readVersion(results)
    if (version < SCHEMA_VERSION) throw new OutdatedSchemaError(`the tables of ${name} are of version ${version}`)
    if (version > SCHEMA_VERSION) throw newerSchemaFailure(name)
  }

  async function migrateSchema(): Promise<void> {
    const client = await acquireClient()
    let isUsable = false
    try {
      await migrate(client, createSql(client), name)
      isUsable = true
    } catch (error) {
      isUsable = await tryRollback(client)
      throw toFailure(error)
    } finally {
      client.release(!isUsable)
    }
  }

  /** On a connection of its own: creating an index takes as long as it takes, and outside of a transaction. */
  async function createIndexes(signal: AbortSignal): Promise<void> {
    // Checks that the schema is ours, and creates the tables.
    await transact('read', async () => ({ value: undefined, commit: false }))
    const { Client } = await import('pg')
    const client = new Client({ connectionString: url, application_name: 'scorpiox-code', keepAlive: true })
    client.on('error', () => {})
    let cancel: (() => void) | undefined
    try {
      await client.connect()
      const { all } = createSql(client)
      const pid = numberColumn(requireRow(await all('SELECT pg_catalog.pg_backend_pid() AS pid')), 'pid')
      cancel = () => void pool.query(`SELECT pg_catalog.pg_cancel_backend(${pid})`).catch(() => {})
      signal.addEventListener('abort', cancel)
      await createTextIndexes({ query: (text) => client.query(text), all }, signal)
    } catch (error) {
      throw toFailure(error)
    } finally {
      if (cancel) signal.removeEventListener('abort', cancel)
      await client.end().catch(() => {})
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
    writeNow: (work) => transact('write', work),
    serialize,
    textIndex: {
      create: createIndexes,
      findProblem: () =>
        transact('read', async ({ all }) => ({ value: await findTextIndexProblem(all), commit: false })),
    },
    mayHaveChanged: async () => true,
    close: () => pool.end(),
  }
}

/** The schema has an older version. */
class OutdatedSchemaError extends Error {}

async function createPool(url: string, { connectMs, queryMs }: Timeouts): Promise<Pool> {
  const { Pool: PgPool } = await import('pg')
  const pool = new PgPool({
    connectionString: url,
    application_name: 'scorpiox-code',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    keepAlive: true,
    allowExitOnIdle: true,
  })
  // Without a listener, a broken connection would end the process; the next use reports the error.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function createSql(client: ClientBase): Sql {
  const all: RunStatement = async (text, ...values) =>
    rowsOf(await client.query(toNumberedParameters(text), [...values]))
  return { engine: 'postgres', all, run: all }
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

/** Whether the connection can be reused. */
async function tryRollback(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK')
    return true
  } catch {
    return false
  }
}
