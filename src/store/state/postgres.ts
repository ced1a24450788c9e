// State in a PostgreSQL database, in a schema of its own: the database may be that of an application. Connections that
// broke are replaced by the next transaction; what a commit that broke has done is not guessed.

import type { Pool, PoolClient, QueryResult } from 'pg'

import { shownAddress, withoutPassword } from '../../lib/database-address.js'
import { Failure } from '../../lib/failure.js'
import { createInTurn } from '../../lib/in-turn.js'
import { reasonOf } from '../../lib/reason-of.js'
import { missingSteps, NEWEST_VERSION } from './migrations.js'
import { isBroken, isLost, isUnprepared, postgresFailure, unreachable, unsureCommit } from './postgres-failures.js'
import { numberIn, type Database, type Sql, type SqlRow, type Statement, type Written } from './sql.js'
import { runTransaction } from './transaction.js'

const BIGINT = 20
const MAX_CONNECTIONS = 8
/** Any number, as long as every version of this program takes the same. */
const MIGRATION_LOCK = 7_267_702_629

const LIMITS = `SET LOCAL search_path TO scorpiox, pg_catalog; SET LOCAL statement_timeout TO '15s';
  SET LOCAL lock_timeout TO '10s'; SET LOCAL idle_in_transaction_session_timeout TO '60s';`
// A server may be set to acknowledge what is not on its disk yet.
const DURABLE = `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';`
const BEGIN = {
  read: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${LIMITS} SELECT number FROM version`,
  write: `BEGIN ISOLATION LEVEL READ COMMITTED; ${LIMITS} ${DURABLE} SELECT number FROM version`,
}

type Kind = keyof typeof BEGIN

export async function openPostgres(address: string): Promise<Database> {
  const name = shownAddress(address) ?? 'the database'
  const pool = await createPool(address)
  const inTurn = createInTurn()

  async function transact<T>(kind: Kind, work: (sql: Sql) => Promise<Written<T>>): Promise<T> {
    const client = await begun(kind, MAX_CONNECTIONS + 2)
    let usable = false
    try {
      const { value, keep } = await runTransaction(sqlOver(client), kind, work)
      if (keep) await commit(client)
      else await client.query('ROLLBACK')
      usable = true
      return value
    } catch (error) {
      usable = await rolledBack(client)
      throw explained(error)
    } finally {
      client.release(!usable)
    }
  }

  /** Connections that were idle may have broken since, and the tables may have to be made: then it is tried again. */
  async function begun(kind: Kind, attempts: number): Promise<PoolClient> {
    const client = await connected()
    try {
      await begin(client, kind)
      return client
    } catch (error) {
      client.release(!(await rolledBack(client)))
      const unprepared = error instanceof Outdated || isUnprepared(error)
      if (attempts === 1 || !(unprepared || isBroken(error))) throw explained(error)
      if (unprepared) await migrated()
      return begun(kind, attempts - 1)
    }
  }

  async function begin(client: PoolClient, kind: Kind): Promise<void> {
    const results: unknown = await client.query(BEGIN[kind])
    const version = versionIn(results)
    if (version < NEWEST_VERSION) throw new Outdated(`the tables of ${name} are of version ${version}`)
    if (version > NEWEST_VERSION) throw tooNew(name)
  }

  async function migrated(): Promise<void> {
    const client = await connected()
    let usable = false
    try {
      await migrate(client, name)
      usable = true
    } catch (error) {
      usable = await rolledBack(client)
      throw explained(error)
    } finally {
      client.release(!usable)
    }
  }

  async function commit(client: PoolClient): Promise<void> {
    try {
      const { command } = await client.query('COMMIT')
      if (command !== 'COMMIT') throw new Error(`${name} answered COMMIT with ${command}`)
    } catch (error) {
      throw isLost(error) ? unsureCommit(name, error, shownReason(error)) : error
    }
  }

  async function connected(): Promise<PoolClient> {
    if (shownAddress(address) === undefined) {
      throw new Failure(
        'DATABASE_URL is not a PostgreSQL URL such as postgres://user:password@host/name; correct it',
      )
    }
    try {
      return await pool.connect()
    } catch (error) {
      throw unreachable(name, error, shownReason(error))
    }
  }

  function explained(error: unknown): unknown {
    return postgresFailure(name, error, shownReason(error)) ?? error
  }

  function shownReason(error: unknown): string {
    return withoutPassword(reasonOf(error), address)
  }

  return {
    name,
    read: (work) => transact('read', async (sql) => ({ value: await work(sql), keep: false })),
    write: (key, work) => inTurn(key, () => transact('write', work)),
    stirred: async () => true,
    close: () => pool.end(),
  }
}

/** The tables are of an older version. */
class Outdated extends Error {}

async function createPool(address: string): Promise<Pool> {
  const { Pool: PoolOf } = await import('pg')
  const pool = new PoolOf({
    connectionString: address,
    application_name: 'scorpiox-code',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: 5000,
    query_timeout: 20_000,
    keepAlive: true,
    allowExitOnIdle: true,
  })
  // Without a listener a connection that breaks would end the process; whoever uses it next hears of it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function sqlOver(client: PoolClient): Sql {
  const all: Statement = async (text, ...values) => rowsOf(await client.query(numbered(text), [...values]))
  return { all, run: all }
}

function numbered(text: string): string {
  let number = 0
  return text.replaceAll('?', () => `$${++number}`)
}

// 64 bits come as a text, because not all of them fit into a number; ours do.
function rowsOf({ rows, fields }: QueryResult<Record<string, unknown>>): readonly SqlRow[] {
  const wide = fields.filter(({ dataTypeID }) => dataTypeID === BIGINT)
  for (const row of rows) {
    for (const { name } of wide) if (row[name] !== null) row[name] = Number(row[name])
  }
  return rows
}

function versionIn(results: unknown): number {
  const last: unknown = Array.isArray(results) ? results.at(-1) : undefined
  const rows = typeof last === 'object' && last !== null && 'rows' in last ? last.rows : undefined
  const [row]: readonly unknown[] = Array.isArray(rows) ? rows : []
  return typeof row === 'object' && row !== null && 'number' in row ? Number(row.number) : 0
}

/** However many processes start together: one of them does it and the others find it done. */
async function migrate(client: PoolClient, name: string): Promise<void> {
  const sql = sqlOver(client)
  await client.query(`BEGIN; ${LIMITS} SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`)
  const [place] = await sql.all(
    `SELECT to_regnamespace('scorpiox') IS NOT NULL AS there, current_setting('server_encoding') AS encoding`,
  )
  if (place?.encoding !== 'UTF8') {
    throw new Failure(
      `${name} is encoded not as UTF8 but as ${String(place?.encoding)}; set DATABASE_URL to another database`,
    )
  }
  if (place.there !== true) await client.query('CREATE SCHEMA scorpiox')
  await client.query(`
    CREATE TABLE IF NOT EXISTS version (number INT NOT NULL);
    CREATE OR REPLACE FUNCTION instr(TEXT, TEXT) RETURNS INT LANGUAGE SQL IMMUTABLE AS 'SELECT strpos($1, $2)'`)
  const [row] = await sql.all('SELECT number FROM version')
  const version = row ? numberIn(row, 'number') : 0
  if (version > NEWEST_VERSION) throw tooNew(name)
  for (const step of missingSteps(version, 'postgres')) await client.query(step)
  await client.query(`DELETE FROM version; INSERT INTO version VALUES (${NEWEST_VERSION}); COMMIT`)
}

/** Whether the connection can be used again. */
async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK')
    return true
  } catch {
    return false
  }
}

function tooNew(name: string): Failure {
  return new Failure(
    `${name} was written by a newer scorpiox-code; update this one, or set DATABASE_URL to another database`,
  )
}
