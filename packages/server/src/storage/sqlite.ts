// The `Database` over one SQLite file, loaded by open-database.ts: one connection, serialized transactions. After an
// error the next transaction reopens the file, so work continues when the cause is gone. Nothing is written to a file
// that was removed. If it was removed, its leftover WAL is renamed. Waits up to 10 s for the locks of other processes.
// Reads and writes the file.

import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'

import { onIdle } from '../process/collect-when-idle.js'
import { type CollectGarbage, exposeGarbageCollector } from '../process/garbage-collector.js'
import { createKeyedMutex } from '../async/concurrency.js'
import type { Database, RunStatement, Sql, TransactionResult } from './database.js'
import { toWriteFailure } from './private-files.js'
import {
  openEmptySqlite,
  openSqliteFile,
  readFileIdentity,
  type SqliteConnection,
  type SqliteDurability,
} from './sqlite-connection.js'
import {
  isCommitUncertain,
  isDiskFull,
  isSqliteBusy,
  isSqliteReadOnly,
  sqliteBusyFailure,
  toSqliteFailure,
  uncertainSqliteCommit,
} from './sqlite-errors.js'
import { loadSqlite, type SqliteLibrary } from './sqlite-loader.js'
import { runTransaction } from './transaction.js'

const BUSY_LIMIT_MS = 10_000
const MAX_RETRY_DELAY_MS = 20
const MAX_MS_PER_TURN = 5

type Kind = 'read' | 'write'

let collectGarbage: CollectGarbage | undefined

export function openSqlite(file: string, durability: SqliteDurability = 'FULL'): Database {
  const serialize = createKeyedMutex()
  let library: SqliteLibrary | undefined
  let connection: SqliteConnection | undefined
  let lastDataVersion: number | undefined
  let isClosed = false
  let needsCollection = false
  /** Time of transactions in this turn of the event loop. */
  let spentMs = 0
  let turnNumber = 0
  let isTurnObserved = false
  const endIdle = onIdle(() => void serialize('file', async () => connection?.releaseMemory()))

  /** A writer that waits for another process blocks the writers after it, which keeps their order, but no readers. */
  function transact<T>(kind: Kind, work: (sql: Sql) => Promise<TransactionResult<T>>): Promise<T> {
    const deadline = performance.now() + BUSY_LIMIT_MS
    let hasReopened = false
    /** A file that was read-only when it was opened may be writable now; nothing has begun yet. */
    const reopenOnce = (error: unknown): undefined => {
      if (!(error instanceof ReadOnlyFileError)) throw error
      if (hasReopened) throw error.failure
      hasReopened = true
    }
    const retryUntilDeadline = async (): Promise<T> => {
      for (;;) {
        const done = await serialize('file', () => takeTurn(() => tryTransaction(kind, work))).catch(reopenOnce)
        if (done) return done.value
        if (performance.now() >= deadline) throw sqliteBusyFailure(file, BUSY_LIMIT_MS / 1000)
        await pause(Math.random() * MAX_RETRY_DELAY_MS)
      }
    }
    return kind === 'write' ? serialize('writers', retryUntilDeadline) : retryUntilDeadline()
  }

  /**
   * Statements and the sync of a commit block the process. Transactions that wait for one another would follow at once,
   * so after some milliseconds in one turn of the event loop the next waits for as long as these took.
   */
  async function takeTurn<T>(work: () => Promise<T>): Promise<T> {
    if (spentMs > MAX_MS_PER_TURN) await pause(spentMs)
    observeTurn()
    const startedAt = performance.now()
    const startedIn = turnNumber
    try {
      return await work()
    } finally {
      // Work that gave the event loop turns itself, such as a search, has not blocked it for that long.
      if (startedIn === turnNumber) spentMs += performance.now() - startedAt
    }
  }

  function observeTurn(): void {
    if (isTurnObserved) return
    isTurnObserved = true
    setImmediate(() => {
      isTurnObserved = false
      turnNumber += 1
      spentMs = 0
    })
  }

  /** Returns undefined if another process holds the lock and nothing has begun. */
  async function tryTransaction<T>(
    kind: Kind,
    work: (sql: Sql) => Promise<TransactionResult<T>>,
  ): Promise<TransactionResult<T> | undefined> {
    if (isClosed) throw new Error(`${file} is used after close`)
    const current = await beginTransaction(kind)
    if (!current) return undefined
    let isCommitting = false
    try {
      const result = await runTransaction(asyncSql(current), kind, work)
      isCommitting = result.commit
      if (isCommitting) commit(current)
      else current.rollback()
      return result
    } catch (error) {
      current.rollback()
      throw toFailure(error, isCommitting)
    } finally {
      if (current.identity === '') current.close()
    }
  }

  async function beginTransaction(kind: Kind): Promise<SqliteConnection | undefined> {
    try {
      library ??= await loadSqlite()
      if (needsCollection) await releaseStatements()
      const current = connectionFor(kind, library)
      current.begin(kind)
      return current
    } catch (error) {
      if (isSqliteBusy(error)) return undefined
      const failure = toFailure(error)
      throw isSqliteReadOnly(error) ? new ReadOnlyFileError(failure) : failure
    }
  }

  function connectionFor(kind: Kind, from: SqliteLibrary): SqliteConnection {
    const identity = readFileIdentity(file)
    if (connection && connection.identity !== identity) {
      connection.moveWalAside()
      discardConnection()
    }
    if (connection) return connection
    if (kind === 'read' && identity === undefined) return openEmptySqlite(from)
    connection = openSqliteFile(from, file, durability)
    return connection
  }

  function commit(current: SqliteConnection): void {
    current.commit()
    if (readFileIdentity(file) === current.identity) return
    throw uncertainSqliteCommit(file, new Error('the file was removed during the write'))
  }

  /** Converts an error of the file to a Failure and closes the connection; returns other errors unchanged. */
  function toFailure(error: unknown, isCommitting = false): unknown {
    const failure = toSqliteFailure(file, error) ?? (isSystemError(error) ? toWriteFailure(file, error) : undefined)
    if (failure === undefined || failure === error) return error
    if (!isDiskFull(error)) discardConnection()
    return isCommitting && isCommitUncertain(error) ? uncertainSqliteCommit(file, error) : failure
  }

  /** The package for Node 20 keeps a file open, and its read-only state, until its statements are garbage-collected. */
  async function releaseStatements(): Promise<void> {
    needsCollection = false
    collectGarbage ??= exposeGarbageCollector()
    for (let round = 0; round < 3; round++) {
      await turn()
      collectGarbage()
      await turn()
    }
  }

  function discardConnection(): void {
    needsCollection = true
    connection?.close()
    connection = undefined
    lastDataVersion = undefined
  }

  return {
    name: file,
    read: (work) => transact('read', async (sql) => ({ value: await work(sql), commit: false })),
    write: (_, work) => transact('write', work),
    mayHaveChanged: () =>
      serialize('file', async () => {
        const identity = readFileIdentity(file)
        if (!connection || connection.identity !== identity) return identity !== undefined
        const version = connection.dataVersion()
        const hasChanged = lastDataVersion !== version
        lastDataVersion = version
        return hasChanged
      }),
    close: () =>
      serialize('writers', () =>
        serialize('file', async () => {
          isClosed = true
          endIdle()
          connection?.checkpoint()
          discardConnection()
        }),
      ),
  }
}

/** A transaction could not begin because the file is read-only. */
class ReadOnlyFileError extends Error {
  constructor(readonly failure: unknown) {
    super('the file can only be read')
  }
}

function asyncSql(connection: SqliteConnection): Sql {
  const all: RunStatement = async (text, ...values) => connection.all(text, values)
  return { engine: 'sqlite', all, run: all }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
