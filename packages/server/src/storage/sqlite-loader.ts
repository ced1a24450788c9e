// Loads the SQLite library: built into the runtime or, if that is missing or too old, bundled with this program, or an
// installed package. All three have the same interface. Opens no database file. Used by sqlite.ts.

import { join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { findExecutableEntry } from '../process/program-files.js'
import { isOlderVersion } from '../text/compare-versions.js'
import type { SqlValue } from './database.js'

/** Older versions can corrupt a file that two processes write to: https://sqlite.org/wal.html#walresetbug */
const OLDEST_SAFE_VERSION = '3.51.3'

export interface SqliteLibrary {
  readonly DatabaseSync: new (file: string) => SqliteHandle
}

export interface SqliteHandle {
  exec(text: string): void
  prepare(text: string): SqliteStatement
  close(): void
}

export interface SqliteStatement {
  all(...values: readonly SqlValue[]): readonly unknown[]
}

type Source = () => unknown

/** Returns the first source that exists, is recent enough and has FTS5, which searches use. */
export async function loadSqlite(
  sources: readonly Source[] = [loadBuiltIn, loadBundled, loadInstalled],
): Promise<SqliteLibrary> {
  const tooOld: string[] = []
  let lacksSearch = false
  for (const source of sources) {
    const library = await source()
    if (!isSqliteLibrary(library)) continue
    const { version, hasFts5 } = inspectLibrary(library)
    const isTooOld = isOlderVersion(version, OLDEST_SAFE_VERSION)
    if (hasFts5 && !isTooOld) return library
    if (isTooOld) tooOld.push(version)
    else lacksSearch = true
  }
  const advice = 'run npm install @photostructure/sqlite beside scorpiox-code, use Node.js 22.23 or newer'
  if (lacksSearch) throw new Failure(`The SQLite of this Node.js was built without FTS5, which finds tasks; ${advice}`)
  throw new Failure(
    tooOld.length === 0
      ? `This Node.js has no SQLite, which stores tasks and plans; ${advice}, or set DATABASE_URL to a PostgreSQL database`
      : `SQLite ${tooOld.join(' and ')} can destroy a file that several processes write to, ${OLDEST_SAFE_VERSION} and newer ` +
          `cannot; ${advice}, or set DATABASE_URL to a PostgreSQL database`,
  )
}

function loadBuiltIn(): unknown {
  const emitWarning = process.emitWarning.bind(process)
  // Node 22 prints a warning that SQLite is experimental on stderr, which clients show to users.
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

/**
 * The library that the build placed beside the program; which of two can be loaded depends on the C library of Linux.
 */
function loadBundled(): unknown {
  // The single executable has no folder, and the library would be searched for in the working directory.
  if (findExecutableEntry() !== undefined) return undefined
  for (const libc of ['usual', 'musl']) {
    const moduleObject = { exports: {} }
    try {
      process.dlopen(
        moduleObject,
        join(import.meta.dirname, `../sqlite/${process.platform}-${process.arch}-${libc}.node`),
      )
      return moduleObject.exports
    } catch {
      // Not bundled, or not for this platform.
    }
  }
  return undefined
}

async function loadInstalled(): Promise<unknown> {
  try {
    return await import('@photostructure/sqlite')
  } catch {
    return undefined
  }
}

function isSqliteLibrary(value: unknown): value is SqliteLibrary {
  return (
    typeof value === 'object' && value !== null && 'DatabaseSync' in value && typeof value.DatabaseSync === 'function'
  )
}

function inspectLibrary({ DatabaseSync }: SqliteLibrary): { readonly version: string; readonly hasFts5: boolean } {
  const database = new DatabaseSync(':memory:')
  try {
    const [row] = database
      .prepare(`SELECT sqlite_version() AS version, sqlite_compileoption_used('ENABLE_FTS5') AS fts5`)
      .all()
    if (typeof row !== 'object' || row === null || !('version' in row)) return { version: '', hasFts5: false }
    return { version: String(row.version), hasFts5: 'fts5' in row && row.fts5 === 1 }
  } finally {
    database.close()
  }
}
