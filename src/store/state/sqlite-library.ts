// The SQLite of the runtime or, where it has none or one too old, the one we carry for it, or that of a package somebody
// installed: all three have the same interface.

import { join } from 'node:path'

import { Failure } from '../../lib/failure.js'
import { isOlder } from '../../lib/older-version.js'
import { executableEntry } from '../../platform/program.js'
import type { SqlValue } from './sql.js'

/** Before it, two processes that write to one file can destroy it: https://sqlite.org/wal.html#walresetbug */
const OLDEST = '3.51.3'

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

/** The first of them that is there and recent enough. */
export async function loadSqlite(sources: readonly Source[] = [builtIn, carried, packaged]): Promise<SqliteLibrary> {
  const tooOld: string[] = []
  for (const source of sources) {
    const library = await source()
    if (!isLibrary(library)) continue
    const version = versionOf(library)
    if (!isOlder(version, OLDEST)) return library
    tooOld.push(version)
  }
  const advice = 'run npm install @photostructure/sqlite beside scorpiox-code, use Node.js 22.23 or newer'
  throw new Failure(
    tooOld.length === 0
      ? `This Node.js has no SQLite, which stores tasks and plans; ${advice}, or set DATABASE_URL to a PostgreSQL database`
      : `SQLite ${tooOld.join(' and ')} can destroy a file that several processes write to, ${OLDEST} and newer ` +
          `cannot; ${advice}, or set DATABASE_URL to a PostgreSQL database`,
  )
}

function builtIn(): unknown {
  const emitWarning = process.emitWarning.bind(process)
  // Node 22 calls its SQLite experimental on stderr, which clients show to people.
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

/** What the build put beside the program; the C library of Linux decides which of two can be loaded. */
function carried(): unknown {
  // The one executable has no folder, and a library without one would be looked for where a project lies.
  if (executableEntry() !== undefined) return undefined
  for (const libc of ['usual', 'musl']) {
    const holder = { exports: {} }
    try {
      process.dlopen(holder, join(import.meta.dirname, `../sqlite/${process.platform}-${process.arch}-${libc}.node`))
      return holder.exports
    } catch {
      // Not built for this platform, or not carried at all.
    }
  }
  return undefined
}

async function packaged(): Promise<unknown> {
  try {
    return await import('@photostructure/sqlite')
  } catch {
    return undefined
  }
}

function isLibrary(value: unknown): value is SqliteLibrary {
  return (
    typeof value === 'object' && value !== null && 'DatabaseSync' in value && typeof value.DatabaseSync === 'function'
  )
}

function versionOf({ DatabaseSync }: SqliteLibrary): string {
  const database = new DatabaseSync(':memory:')
  try {
    const [row] = database.prepare('SELECT sqlite_version() AS version').all()
    return typeof row === 'object' && row !== null && 'version' in row ? String(row.version) : ''
  } finally {
    database.close()
  }
}
