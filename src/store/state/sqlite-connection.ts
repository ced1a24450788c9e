// One open SQLite file with today's tables in it. What is acknowledged is on the disk: the log is synced at each commit.

import { closeSync, openSync, renameSync, statSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'

import { hasCode } from '../../lib/error-code.js'
import { Failure } from '../../lib/failure.js'
import { ensurePrivateFolder } from '../private-folder.js'
import { missingSteps, NEWEST_VERSION } from './migrations.js'
import { numberIn, onlyRow, type SqlRow, type SqlValue } from './sql.js'
import type { SqliteHandle, SqliteLibrary, SqliteStatement } from './sqlite-library.js'

/** A blocked call blocks the whole process, so it waits this little; who calls tries again later. */
const WAIT_MS = 10
const MAX_STATEMENTS = 100

export interface SqliteConnection {
  /** Which file it is, whatever is at that path now; empty: none. */
  readonly identity: string
  begin(kind: 'read' | 'write'): void
  all(text: string, values: readonly SqlValue[]): readonly SqlRow[]
  commit(): void
  /** Never throws: some failures have ended the transaction already. */
  rollback(): void
  /** Changes when another connection has committed. */
  dataVersion(): number
  /** For a file that was taken away: puts aside what it left behind. Never throws. */
  leave(): void
  /** Brings all that was written into the file itself. Never throws. */
  tidy(): void
  /** The package for Node 20 lets go of the file only when its statements have been collected. */
  close(): void
}

/** Makes the file where there is none. */
export function connectToFile(library: SqliteLibrary, file: string): SqliteConnection {
  ensurePrivateFolder(dirname(file))
  const stat = look(file) ?? make(file)
  return prepared(new library.DatabaseSync(file), file, identityOf(stat))
}

/** What a file that is not there holds. */
export function connectToNothing(library: SqliteLibrary): SqliteConnection {
  return prepared(new library.DatabaseSync(':memory:'), 'an empty database', '')
}

/** Undefined where no file is. */
export function identityAt(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat && identityOf(stat)
}

function look(file: string): Stats | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat && !stat.isFile()) throw new Failure(`${file} is not a regular file; move it away`)
  if (stat && process.platform !== 'win32' && (stat.mode & 0o022) !== 0) {
    throw new Failure(`${file} can be changed by other users of this machine; run: chmod 600 ${file}`)
  }
  return stat
}

function make(file: string): Stats {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    // Another process was faster. A file that was there is not opened here: closing it would drop SQLite's locks on it.
    if (!hasCode(error, 'EEXIST')) throw error
  }
  return statSync(file)
}

function prepared(handle: SqliteHandle, file: string, identity: string): SqliteConnection {
  try {
    handle.exec(`PRAGMA busy_timeout = ${WAIT_MS}`)
    handle.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    const connection = connectionOver(handle, file, identity)
    migrate(handle, file, connection)
    return { ...connection, leave: leaving(file, identity) }
  } catch (error) {
    quietly(() => handle.close())
    throw error
  }
}

function connectionOver(handle: SqliteHandle, file: string, identity: string): SqliteConnection {
  const statements = new Map<string, SqliteStatement>()

  function statement(text: string): SqliteStatement {
    const known = statements.get(text)
    if (known) return known
    if (statements.size >= MAX_STATEMENTS) statements.clear()
    const made = handle.prepare(text)
    statements.set(text, made)
    return made
  }

  const all = (text: string, values: readonly SqlValue[]): readonly SqlRow[] =>
    statement(text)
      .all(...values)
      .filter(isRow)
  const pragma = (name: string): number => numberIn(onlyRow(all(`PRAGMA ${name}`, [])), name)

  const connection: SqliteConnection = {
    identity,
    begin(kind) {
      handle.exec(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN')
      try {
        // The first look at the file is what fixes the moment a reader sees.
        const version = pragma('user_version')
        if (version > NEWEST_VERSION) throw tooNew(file)
        // On a file that can only be read SQLite begins all the same, as a reader; this finds out before any work does.
        if (kind === 'write' && version === NEWEST_VERSION) all('UPDATE scopes SET id = id WHERE id = 0', [])
      } catch (error) {
        connection.rollback()
        throw error
      }
    },
    all,
    commit: () => handle.exec('COMMIT'),
    rollback: () => quietly(() => handle.exec('ROLLBACK')),
    dataVersion: () => pragma('data_version'),
    leave: () => {},
    tidy: () => quietly(() => handle.exec('PRAGMA wal_checkpoint(TRUNCATE)')),
    close() {
      statements.clear()
      quietly(() => handle.close())
    },
  }
  return connection
}

/**
 * SQLite takes a log for that of whatever file it lies beside: it would write the pages of the old file over the new one.
 * Processes that notice at the same time do not put aside the log of one another.
 */
function leaving(file: string, identity: string): () => void {
  const left = ['-wal', '-shm'].map((end) => ({ end, identity: identity === '' ? undefined : identityAt(file + end) }))
  return () => {
    for (const { end, identity: own } of left) quietly(() => putAside(file + end, `${file}.old${end}`, own))
  }
}

function putAside(path: string, aside: string, identity: string | undefined): void {
  if (identity === undefined || identityAt(path) !== identity) return
  renameSync(path, aside)
  if (identityAt(aside) !== identity) renameSync(aside, path)
}

/** However many processes start together: one of them does it and the others find it done. */
function migrate(handle: SqliteHandle, file: string, connection: SqliteConnection): void {
  const version = (): number => numberIn(onlyRow(connection.all('PRAGMA user_version', [])), 'user_version')
  if (version() === NEWEST_VERSION) return
  connection.begin('write')
  try {
    if (version() === 0 && connection.all('SELECT 1 FROM sqlite_master LIMIT 1', []).length > 0) throw foreign(file)
    for (const step of missingSteps(version(), 'sqlite')) handle.exec(step)
    handle.exec(`PRAGMA user_version = ${NEWEST_VERSION}`)
    connection.commit()
  } catch (error) {
    connection.rollback()
    throw error
  }
}

function foreign(file: string): Failure {
  return new Failure(`${file} is a database of another program; move it away, or set STATE_DIR to another folder`)
}

function tooNew(file: string): Failure {
  return new Failure(
    `${file} was written by a newer scorpiox-code; update this one, or set STATE_DIR to another folder`,
  )
}

function quietly(end: () => void): void {
  try {
    end()
  } catch {
    // It had ended already, or the file cannot be used; the next transaction says so.
  }
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`
}

function isRow(value: unknown): value is SqlRow {
  return typeof value === 'object' && value !== null
}
