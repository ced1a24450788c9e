// SQL of the `machines` table: one row for each incarnation of a server that is one of several machines. All times are
// milliseconds of the database's clock, DATABASE_NOW, which all SQL of this folder uses. Used by the modules of this
// folder and by the `machines` command. Reads and writes the database.

import { nullableNumberColumn, numberColumn, type Sql, type SqlRow, textColumn } from '../storage/database.js'

/** The clock that all machines share; it goes on during a transaction. */
export const DATABASE_NOW = '(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT'

/** Ended machines are kept for messages that name them, but not for ever. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000
const MAX_LISTED = 1000

export interface MachineIdentity {
  /** Random at each start. */
  readonly incarnation: string
  readonly name: string
  /** The base URL for other machines. */
  readonly address: string
  readonly version: string
  /** Signs requests that are forwarded to it. */
  readonly key: string
  /** Names the disk that has its files. */
  readonly disk: string
}

export interface Renewal {
  /** The time of the database. */
  readonly now: number
  readonly isDraining: boolean
}

export interface MachineRow {
  readonly incarnation: string
  readonly name: string
  readonly address: string
  readonly version: string
  readonly state: 'serving' | 'draining' | 'silent' | 'left' | 'lost'
  readonly startedAt: number
  readonly renewedAt: number
  readonly workspaces: number
}

export async function insertMachine(sql: Sql, machine: MachineIdentity, leaseMs: number): Promise<Renewal | undefined> {
  const { incarnation, name, address, version, key, disk } = machine
  const rows = await sql.run(
    `INSERT INTO machines (incarnation, name, address, version, key, disk, started_at, renewed_at, expires_at)
     SELECT ?, ?, ?, ?, ?, ?, now, now, now + ? FROM (SELECT ${DATABASE_NOW} AS now) AS clock
     RETURNING renewed_at, draining`,
    incarnation,
    name,
    address,
    version,
    key,
    disk,
    leaseMs,
  )
  return rows[0] && toRenewal(rows[0])
}

/** Undefined if the machine was taken for dead, or its row was deleted. A late renewal is one if neither happened. */
export async function renewMachine(sql: Sql, incarnation: string, leaseMs: number): Promise<Renewal | undefined> {
  const rows = await sql.run(
    `UPDATE machines SET renewed_at = now, expires_at = now + ? FROM (SELECT ${DATABASE_NOW} AS now) AS clock
     WHERE incarnation = ? AND ended_at IS NULL RETURNING renewed_at, draining`,
    leaseMs,
    incarnation,
  )
  return rows[0] && toRenewal(rows[0])
}

/** The running machines that drain. */
export async function selectDraining(sql: Sql): Promise<readonly string[]> {
  const rows = await sql.all('SELECT incarnation FROM machines WHERE draining = 1 AND ended_at IS NULL')
  return rows.map((row) => textColumn(row, 'incarnation'))
}

/** Takes a machine whose lease is out for dead; false if it has renewed the lease. */
export async function declareLost(sql: Sql, incarnation: string): Promise<boolean> {
  const rows = await sql.run(
    `UPDATE machines SET ended_at = ${DATABASE_NOW}, ending = 'lost'
     WHERE incarnation = ? AND ended_at IS NULL AND expires_at <= ${DATABASE_NOW} RETURNING incarnation`,
    incarnation,
  )
  return rows.length > 0
}

/** The machine stops, and gives up its workspaces. */
export async function leave(sql: Sql, incarnation: string): Promise<void> {
  await sql.run('UPDATE workspaces SET owner = NULL WHERE owner = ?', incarnation)
  await sql.run(
    `UPDATE machines SET ended_at = ${DATABASE_NOW}, ending = 'left' WHERE incarnation = ? AND ended_at IS NULL`,
    incarnation,
  )
}

/** Marks the running machines of this name or incarnation; returns their names. */
export async function startDraining(sql: Sql, name: string): Promise<readonly string[]> {
  const rows = await sql.run(
    `UPDATE machines SET draining = 1 WHERE (name = ? OR incarnation = ?) AND ended_at IS NULL RETURNING name`,
    name,
    name,
  )
  return rows.map((row) => textColumn(row, 'name'))
}

/**
 * Whether a machine was taken for dead or has left, so that what it was doing is lost. A machine that is only silent
 * may come back.
 */
export async function hasEnded(sql: Sql, incarnation: string): Promise<boolean> {
  const rows = await sql.all('SELECT 1 FROM machines WHERE incarnation = ? AND ended_at IS NULL', incarnation)
  return rows.length === 0
}

/** Those of the given machines whose lease is valid. */
export async function selectLive(sql: Sql, incarnations: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql.all(
    `SELECT incarnation FROM machines WHERE ended_at IS NULL AND expires_at > ${DATABASE_NOW}
     AND incarnation IN (${incarnations.map(() => '?').join(', ')})`,
    ...incarnations,
  )
  return new Set(rows.map((row) => textColumn(row, 'incarnation')))
}

/** Newest first; those that ended long ago only if they still own a workspace. */
export async function selectMachines(sql: Sql): Promise<readonly MachineRow[]> {
  const rows = await sql.all(
    `SELECT machines.*, expires_at <= ${DATABASE_NOW} AS expired,
       (SELECT count(*) FROM workspaces WHERE owner = incarnation) AS workspaces
     FROM machines ORDER BY ended_at IS NOT NULL, started_at DESC LIMIT ?`,
    MAX_LISTED,
  )
  return rows.map((row) => ({
    incarnation: textColumn(row, 'incarnation'),
    name: textColumn(row, 'name'),
    address: textColumn(row, 'address'),
    version: textColumn(row, 'version'),
    state: stateOf(row),
    startedAt: numberColumn(row, 'started_at'),
    renewedAt: numberColumn(row, 'renewed_at'),
    workspaces: numberColumn(row, 'workspaces'),
  }))
}

export async function deleteOldMachines(sql: Sql): Promise<void> {
  await sql.run(
    `DELETE FROM machines WHERE ended_at < ${DATABASE_NOW} - ?
     AND NOT EXISTS (SELECT 1 FROM workspaces WHERE owner = incarnation)`,
    KEPT_MS,
  )
}

function toRenewal(row: SqlRow): Renewal {
  return { now: numberColumn(row, 'renewed_at'), isDraining: numberColumn(row, 'draining') === 1 }
}

function stateOf(row: SqlRow): MachineRow['state'] {
  if (nullableNumberColumn(row, 'ended_at') !== null) return row.ending === 'left' ? 'left' : 'lost'
  if (row.expired === true) return 'silent'
  return numberColumn(row, 'draining') === 1 ? 'draining' : 'serving'
}
