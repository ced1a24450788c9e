// State in a SQLite file: one connection, one transaction after the other. Whatever was wrong with the file, the next
// transaction opens it afresh, so work goes on when the cause is gone; nothing is written to a file that was taken away.

import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'

import { createInTurn } from '../../lib/in-turn.js'
import { findCollector, type Collect } from '../../platform/collector.js'
import { notKept } from '../private-folder.js'
import type { Database, Sql, Statement, Written } from './sql.js'
import { connectToFile, connectToNothing, identityAt, type SqliteConnection } from './sqlite-connection.js'
import { isBusy, isFull, isReadOnly, isUnsure, sqliteFailure, stillBusy, unsureCommit } from './sqlite-failures.js'
import { loadSqlite, type SqliteLibrary } from './sqlite-library.js'
import { runTransaction } from './transaction.js'

const PATIENCE_MS = 10_000
const PAUSE_MS = 20

type Kind = 'read' | 'write'

let collect: Collect | undefined

export function openSqlite(file: string): Database {
  const inTurn = createInTurn()
  let library: SqliteLibrary | undefined
  let connection: SqliteConnection | undefined
  let seenVersion: number | undefined
  let closed = false
  let isHeld = false

  /** Who waits for another process holds up the writers behind it, whose order is kept, and no reader. */
  function transact<T>(kind: Kind, work: (sql: Sql) => Promise<Written<T>>): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS
    let isAfresh = false
    /** What could only be read when it was opened may be writable by now; nothing has begun yet. */
    const tryAfresh = (error: unknown): undefined => {
      if (!(error instanceof Unwritable)) throw error
      if (isAfresh) throw error.failure
      isAfresh = true
    }
    const patiently = async (): Promise<T> => {
      for (;;) {
        const done = await inTurn('file', () => attempted(kind, work)).catch(tryAfresh)
        if (done) return done.value
        if (performance.now() >= deadline) throw stillBusy(file, PATIENCE_MS / 1000)
        await pause(Math.random() * PAUSE_MS)
      }
    }
    return kind === 'write' ? inTurn('writers', patiently) : patiently()
  }

  /** Undefined: another process is at it, and nothing has begun. */
  async function attempted<T>(kind: Kind, work: (sql: Sql) => Promise<Written<T>>): Promise<Written<T> | undefined> {
    if (closed) throw new Error(`${file} is used after close`)
    const current = await begun(kind)
    if (!current) return undefined
    let committing = false
    try {
      const written = await runTransaction(asyncSql(current), kind, work)
      committing = written.keep
      if (committing) commit(current)
      else current.rollback()
      return written
    } catch (error) {
      current.rollback()
      throw explained(error, committing)
    } finally {
      if (current.identity === '') current.close()
    }
  }

  async function begun(kind: Kind): Promise<SqliteConnection | undefined> {
    try {
      library ??= await loadSqlite()
      if (isHeld) await letGo()
      const current = connectionFor(kind, library)
      current.begin(kind)
      return current
    } catch (error) {
      if (isBusy(error)) return undefined
      const failure = explained(error)
      throw isReadOnly(error) ? new Unwritable(failure) : failure
    }
  }

  function connectionFor(kind: Kind, from: SqliteLibrary): SqliteConnection {
    const identity = identityAt(file)
    if (connection && connection.identity !== identity) {
      connection.leave()
      drop()
    }
    if (connection) return connection
    if (kind === 'read' && identity === undefined) return connectToNothing(from)
    connection = connectToFile(from, file)
    return connection
  }

  function commit(current: SqliteConnection): void {
    current.commit()
    if (identityAt(file) === current.identity) return
    throw unsureCommit(file, new Error('the file was removed during the write'))
  }

  /** After trouble with the file, it is opened afresh. What is not about the file comes back as it is. */
  function explained(error: unknown, committing = false): unknown {
    const failure = sqliteFailure(file, error) ?? (isOfSystem(error) ? notKept(file, error) : undefined)
    if (failure === undefined || failure === error) return error
    if (!isFull(error)) drop()
    return committing && isUnsure(error) ? unsureCommit(file, error) : failure
  }

  /**
   * The package for Node 20 holds a file, and what it once found out about it, until its statements are collected: one
   * that could only be read when it was opened stays so.
   */
  async function letGo(): Promise<void> {
    isHeld = false
    collect ??= findCollector()
    for (let round = 0; round < 3; round++) {
      await turn()
      collect()
      await turn()
    }
  }

  function drop(): void {
    isHeld = true
    connection?.close()
    connection = undefined
    seenVersion = undefined
  }

  return {
    name: file,
    read: (work) => transact('read', async (sql) => ({ value: await work(sql), keep: false })),
    write: (_, work) => transact('write', work),
    stirred: () =>
      inTurn('file', async () => {
        const identity = identityAt(file)
        if (!connection || connection.identity !== identity) return identity !== undefined
        const version = connection.dataVersion()
        const stirred = seenVersion !== version
        seenVersion = version
        return stirred
      }),
    close: () =>
      inTurn('writers', () =>
        inTurn('file', async () => {
          closed = true
          connection?.tidy()
          drop()
        }),
      ),
  }
}

/** A transaction could not begin, because the file can only be read. */
class Unwritable extends Error {
  constructor(readonly failure: unknown) {
    super('the file can only be read')
  }
}

function asyncSql(connection: SqliteConnection): Sql {
  const all: Statement = async (text, ...values) => connection.all(text, values)
  return { all, run: all }
}

function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
