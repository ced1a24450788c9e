// Checks and migrates the schema of this program in a PostgreSQL database that other roles may share. Another role may
// have created a schema of this name first, with functions, operators and views that would run with our rights: nothing
// is looked up in it before the transaction has checked that it is ours, and pg_catalog is searched first. Used by
// postgres.ts. Reads and writes the database.

import { Failure } from '@scorpiox/mcp/errors'
import { toSingleLine } from '../text/format.js'
import { numberColumn, type Sql } from './database.js'
import { pendingStatements, SCHEMA_VERSION } from './migrations.js'

/** An arbitrary number, the same in every version of this program. */
const MIGRATION_LOCK = 7_267_702_629

export interface TransactionLimits {
  /** The longest wait for a lock. */
  readonly lockMs: number
  /** How long the server waits for the next statement: a client that is gone in the middle keeps its locks so long. */
  readonly idleMs: number
}

export const DEFAULT_LIMITS: TransactionLimits = { lockMs: 10_000, idleMs: 60_000 }

function formatLimits({ lockMs, idleMs }: TransactionLimits): string {
  return `SET LOCAL search_path TO pg_catalog, pg_temp; SET LOCAL statement_timeout TO '15s';
    SET LOCAL lock_timeout TO ${lockMs}; SET LOCAL idle_in_transaction_session_timeout TO ${idleMs};`
}
// A path without pg_catalog searches it first, and new tables go to the first schema that is named.
const USE_SCHEMA = 'SET LOCAL search_path TO scorpiox, pg_temp;'

/** The schema, if it belongs to this user and no other role may create objects in it. */
const OWN_SCHEMA = `FROM pg_catalog.pg_namespace WHERE nspname = 'scorpiox'
  AND pg_catalog.pg_get_userbyid(nspowner) = CURRENT_USER AND NOT EXISTS (
    SELECT FROM pg_catalog.aclexplode(nspacl) WHERE privilege_type = 'CREATE' AND grantee <> nspowner)`
/** Objects of other roles in the schema: its owner or its privileges may have been different before. */
const FOREIGN_OBJECTS = `FROM pg_catalog.pg_namespace AS schema, LATERAL (
    SELECT relowner AS owner FROM pg_catalog.pg_class WHERE relnamespace = schema.oid
    UNION ALL SELECT proowner FROM pg_catalog.pg_proc WHERE pronamespace = schema.oid
    UNION ALL SELECT oprowner FROM pg_catalog.pg_operator WHERE oprnamespace = schema.oid
    UNION ALL SELECT typowner FROM pg_catalog.pg_type WHERE typnamespace = schema.oid
  ) AS object WHERE nspname = 'scorpiox' AND owner <> nspowner`
// Divides by zero unless the condition holds. The statements of one query are analyzed one after the other, so those
// behind this one are not even looked up then.
const REQUIRE_OWN_SCHEMA = `SELECT 1 / pg_catalog.count(*) ${OWN_SCHEMA};`
const REQUIRE_OWN_OBJECTS = `SELECT 1 / (CASE WHEN pg_catalog.count(*) = 0 THEN 1 ELSE 0 END) ${FOREIGN_OBJECTS};`

// A server may be configured to acknowledge commits before they are on disk.
const DURABLE_COMMIT = `SELECT pg_catalog.set_config('synchronous_commit', 'on', true)
  WHERE pg_catalog.current_setting('synchronous_commit') = 'off';`

/** A connection of the driver, for queries of several statements. */
interface Connection {
  query(text: string): Promise<unknown>
}

export type TransactionKind = 'read' | 'write'

/**
 * The statements that begin a transaction and read the version of the tables. The objects have to be checked once for
 * each pool; after that only the owner of the schema can add any.
 */
export function beginStatements(kind: TransactionKind, areObjectsChecked: boolean, limits: TransactionLimits): string {
  const mode = kind === 'read' ? 'ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'ISOLATION LEVEL READ COMMITTED'
  const checks = `${REQUIRE_OWN_SCHEMA} ${areObjectsChecked ? '' : REQUIRE_OWN_OBJECTS}`
  const durable = kind === 'write' ? DURABLE_COMMIT : ''
  return `BEGIN ${mode}; ${formatLimits(limits)} ${checks} ${durable} ${USE_SCHEMA} SELECT number FROM scorpiox.version`
}

/** A check of `beginStatements` failed: `migrate` finds out why. */
export function isSchemaCheckFailed(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === '22012'
}

/** The advisory lock lets one process migrate; the others find the schema current. */
export async function migrate(client: Connection, sql: Sql, name: string): Promise<void> {
  await client.query(
    `BEGIN; ${formatLimits(DEFAULT_LIMITS)} SELECT pg_catalog.pg_advisory_xact_lock(${MIGRATION_LOCK}::bigint)`,
  )
  await requireUtf8(sql, name)
  await ensureOwnSchema(client, sql, name)
  await client.query(`${USE_SCHEMA}
    CREATE TABLE IF NOT EXISTS scorpiox.version (number INT NOT NULL);
    CREATE OR REPLACE FUNCTION scorpiox.instr(TEXT, TEXT) RETURNS INT LANGUAGE SQL IMMUTABLE
      AS 'SELECT pg_catalog.strpos($1, $2)'`)
  const [row] = await sql.all('SELECT number FROM scorpiox.version')
  const version = row ? numberColumn(row, 'number') : 0
  if (version > SCHEMA_VERSION) throw newerSchemaFailure(name)
  for (const step of pendingStatements(version, 'postgres')) await client.query(step)
  await client.query(`DELETE FROM scorpiox.version; INSERT INTO scorpiox.version VALUES (${SCHEMA_VERSION}); COMMIT`)
}

export function newerSchemaFailure(name: string): Failure {
  return new Failure(
    `${name} was written by a newer scorpiox-code; update this one, or set DATABASE_URL to another database`,
  )
}

async function requireUtf8(sql: Sql, name: string): Promise<void> {
  const [row] = await sql.all(`SELECT pg_catalog.current_setting('server_encoding') AS encoding`)
  if (row?.encoding !== 'UTF8') {
    throw new Failure(
      `${name} is encoded not as UTF8 but as ${String(row?.encoding)}; set DATABASE_URL to another database`,
    )
  }
}

async function ensureOwnSchema(client: Connection, sql: Sql, name: string): Promise<void> {
  const [schema] = await sql.all(`SELECT pg_catalog.pg_get_userbyid(nspowner) AS owner, CURRENT_USER::text AS role
    FROM pg_catalog.pg_namespace WHERE nspname = 'scorpiox'`)
  if (schema === undefined) return void (await client.query('CREATE SCHEMA scorpiox'))
  if (schema.owner !== schema.role) {
    throw foreignSchemaFailure(name, `belongs to ${quoteRole(schema.owner)}, not to ${quoteRole(schema.role)}`)
  }
  const [own] = await sql.all(`SELECT oid ${OWN_SCHEMA}`)
  if (own === undefined) {
    throw new Failure(
      `${name} has a schema scorpiox in which other roles may create objects, and nothing in it was used: what they create would run with the rights of ${quoteRole(schema.role)}. Run REVOKE CREATE ON SCHEMA scorpiox for each of these roles (psql shows them with \\dn+ scorpiox), then try again`,
    )
  }
  const [object] = await sql.all(`SELECT pg_catalog.pg_get_userbyid(owner) AS owner ${FOREIGN_OBJECTS} LIMIT 1`)
  if (object !== undefined) throw foreignSchemaFailure(name, `contains objects of ${quoteRole(object.owner)}`)
}

function foreignSchemaFailure(name: string, why: string): Failure {
  return new Failure(
    `${name} has a schema scorpiox that ${why}, and nothing in it was used: what others create there would run with the rights of the user in DATABASE_URL. Set DATABASE_URL to the role that owns the schema with everything in it, or to another database; if nothing in the schema is needed, run DROP SCHEMA scorpiox CASCADE`,
  )
}

function quoteRole(role: unknown): string {
  return `"${toSingleLine(String(role), 63)}"`
}
