// Opens one SQLite file and brings it to the current schema; used by sqlite.ts, which reopens it after errors. Creates
// the file if needed. Commits are durable: the write-ahead log is synced. A log left by a removed file is moved aside.

import { closeSync, openSync, renameSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { numberColumn, requireRow, type SqlRow, type SqlValue } from './database.js'
import { pendingStatements, SCHEMA_VERSION } from './migrations.js'
import { ensurePrivateFolder } from './private-files.js'
import type { SqliteHandle, SqliteLibrary, SqliteStatement } from './sqlite-loader.js'

/** A blocked call blocks the whole process, so the timeout is short; the caller retries. */
const BUSY_TIMEOUT_MS = 10
const MAX_STATEMENTS = 100

export interface SqliteConnection {
  /** Device and inode of the file, even if another file is at that path now; '' for none. */
  readonly identity: string
  begin(kind: 'read' | 'write'): void
  all(text: string, values: readonly SqlValue[]): readonly SqlRow[]
  commit(): void
  /** Never throws: some errors have already ended the transaction. */
  rollback(): void
  /** Changes when another connection has committed. */
  dataVersion(): number
  /** Renames the log of a file that was removed. Never throws. */
  moveWalAside(): void
  /** Empties the cache of pages. Never throws. */
  releaseMemory(): void
  /** Moves the log into the database file. Never throws. */
  checkpoint(): void
  /** With the package for Node 20 the file stays open until its statements are garbage-collected. */
  close(): void
}

/**
 * `FULL`: a commit is on the disk when it returns. `NORMAL`: a power failure may lose the last commits, and nothing else; a
 * killed process loses none. The commit does not wait for the disk.
 */
export type SqliteDurability = 'FULL' | 'NORMAL'

/** Creates the file if it does not exist. */
export function openSqliteFile(library: SqliteLibrary, file: string, durability: SqliteDurability): SqliteConnection {
  ensurePrivateFolder(dirname(file))
  const stat = statDatabaseFile(file) ?? createDatabaseFile(file)
  return prepareConnection(new library.DatabaseSync(file), file, toIdentity(stat), durability)
}

/** An empty database, for reading when the file does not exist. */
export function openEmptySqlite(library: SqliteLibrary): SqliteConnection {
  return prepareConnection(new library.DatabaseSync(':memory:'), 'an empty database', '')
}

/** Undefined if the file does not exist. */
export function readFileIdentity(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat && toIdentity(stat)
}

function statDatabaseFile(file: string): Stats | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat && !stat.isFile()) throw new Failure(`${file} is not a regular file; move it away`)
  if (stat && process.platform !== 'win32' && (stat.mode & 0o022) !== 0) {
    throw new Failure(`${file} can be changed by other users of this machine; run: chmod 600 ${file}`)
  }
  return stat
}

function createDatabaseFile(file: string): Stats {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    // Another process created it first. An existing file is not opened here, because closing it would release SQLite's
    // locks on it.
    if (!hasErrorCode(error, 'EEXIST')) throw error
  }
  return statSync(file)
}

function prepareConnection(
  handle: SqliteHandle,
  file: string,
  identity: string,
  durability: SqliteDurability = 'FULL',
): SqliteConnection {
  try {
    handle.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    handle.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability}; PRAGMA foreign_keys = ON`)
    const connection = createConnection(handle, file, identity)
    migrate(handle, file, connection)
    return { ...connection, moveWalAside: createWalMover(file, identity) }
  } catch (error) {
    ignoreErrors(() => handle.close())
    throw error
  }
}

function createConnection(handle: SqliteHandle, file: string, identity: string): SqliteConnection {
  const statements = new Map<string, SqliteStatement>()

  function statement(text: string): SqliteStatement {
    const cached = statements.get(text)
    if (cached) return cached
    if (statements.size >= MAX_STATEMENTS) statements.clear()
    const prepared = handle.prepare(text)
    statements.set(text, prepared)
    return prepared
  }

  const all = (text: string, values: readonly SqlValue[]): readonly SqlRow[] =>
    statement(text)
      .all(...values)
      .filter(isRow)
  const pragma = (name: string): number => numberColumn(requireRow(all(`PRAGMA ${name}`, [])), name)

  const connection: SqliteConnection = {
    identity,
    begin(kind) {
      handle.exec(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN')
      try {
        // The first read determines the snapshot of a read transaction.
        const version = pragma('user_version')
        if (version > SCHEMA_VERSION) throw newerSchemaFailure(file)
        // On a read-only file BEGIN IMMEDIATE succeeds as a reader; this write detects it before any work.
        if (kind === 'write' && version === SCHEMA_VERSION) all('UPDATE scopes SET id = id WHERE id = 0', [])
      } catch (error) {
        connection.rollback()
        throw error
      }
    },
    all,
    commit: () => handle.exec('COMMIT'),
    rollback: () => ignoreErrors(() => handle.exec('ROLLBACK')),
    dataVersion: () => pragma('data_version'),
    moveWalAside: () => {},
    releaseMemory: () => ignoreErrors(() => handle.exec('PRAGMA shrink_memory')),
    checkpoint: () => ignoreErrors(() => handle.exec('PRAGMA wal_checkpoint(TRUNCATE)')),
    close() {
      statements.clear()
      ignoreErrors(() => handle.close())
    },
  }
  return connection
}

/**
 * SQLite would apply a leftover log to the new file of that name. The identity check prevents that two processes
 * rename each other's log.
 */
function createWalMover(file: string, identity: string): () => void {
  const logs = ['-wal', '-shm'].map((suffix) => ({
    end: suffix,
    identity: identity === '' ? undefined : readFileIdentity(file + suffix),
  }))
  return () => {
    for (const { end: suffix, identity: logIdentity } of logs)
      ignoreErrors(() => moveAside(file + suffix, `${file}.old${suffix}`, logIdentity))
  }
}

function moveAside(path: string, newPath: string, identity: string | undefined): void {
  if (identity === undefined || readFileIdentity(path) !== identity) return
  renameSync(path, newPath)
  if (readFileIdentity(newPath) !== identity) renameSync(newPath, path)
}

/** The write lock lets one process migrate; the others find the schema current. */
function migrate(handle: SqliteHandle, file: string, connection: SqliteConnection): void {
  const version = (): number => numberColumn(requireRow(connection.all('PRAGMA user_version', [])), 'user_version')
  if (version() === SCHEMA_VERSION) return
  connection.begin('write')
  try {
    if (version() === 0 && connection.all('SELECT 1 FROM sqlite_master LIMIT 1', []).length > 0)
      throw foreignFileFailure(file)
    for (const step of pendingStatements(version(), 'sqlite')) handle.exec(step)
    handle.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
    connection.commit()
  } catch (error) {
    connection.rollback()
    throw error
  }
}

function foreignFileFailure(file: string): Failure {
  return new Failure(`${file} is a database of another program; move it away, or set STATE_DIR to another folder`)
}

function newerSchemaFailure(file: string): Failure {
  return new Failure(
    `${file} was written by a newer scorpiox-code; update this one, or set STATE_DIR to another folder`,
  )
}

function ignoreErrors(action: () => void): void {
  try {
    action()
  } catch {
    // The transaction had ended already, or the file cannot be used; the next transaction reports it.
  }
}

function toIdentity({ dev, ino }: Stats): string {
  return `${dev}:${ino}`
}

function isRow(value: unknown): value is SqlRow {
  return typeof value === 'object' && value !== null
}
