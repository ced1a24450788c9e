// The database interface: one SQL dialect for SQLite and PostgreSQL, with `?` for each value; functions that read
// columns of a row, and `insertRows`. Implemented by sqlite.ts and postgres.ts, used by the tables of all features.
// Opens nothing.

export type SqlValue = string | number | null

export type SqlRow = Readonly<Record<string, unknown>>

/** Valid during the transaction. */
export interface Sql {
  /** SQLite blocks the event loop during a statement; its full-text index is a table. */
  readonly engine: 'sqlite' | 'postgres'
  readonly all: RunStatement
  /** For statements that change rows; returns the rows of RETURNING. */
  readonly run: RunStatement
}

export type RunStatement = (text: string, ...values: readonly SqlValue[]) => Promise<readonly SqlRow[]>

export interface Database {
  /** The name for messages, without the password. */
  readonly name: string
  /** Runs `work` in a read transaction, which sees one snapshot. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /**
   * Runs `work` in a write transaction. Writers with the same key are serialized. Rolls back if the work throws or
   * returns `keep: false`.
   */
  write<T>(key: string, work: (sql: Sql) => Promise<TransactionResult<T>>): Promise<T>
  /** Of PostgreSQL, where the index of texts needs an extension. */
  readonly textIndex?: TextIndex
  /** Whether another process may have written since the last call. */
  mayHaveChanged(): Promise<boolean>
  close(): Promise<void>
}

/** A database with a connection that other work never takes. */
export interface ReservingDatabase extends Database {
  /** For short work that must not wait. */
  readonly reserved: Pick<Database, 'read' | 'write'>
}

export interface TextIndex {
  /** Creates what is missing, without blocking writers; one process of all does it. Can be interrupted. */
  create(signal: AbortSignal): Promise<void>
  /** A sentence on why searches have to read all texts, and what to do; undefined if they do not. */
  findProblem(): Promise<string | undefined>
}

export interface TransactionResult<T> {
  readonly value: T
  readonly commit: boolean
}

export function numberColumn(row: SqlRow, column: string): number {
  const value = row[column]
  if (typeof value === 'number') return value
  throw new Error(`the column ${column} holds ${typeof value}, not a number`)
}

export function nullableNumberColumn(row: SqlRow, column: string): number | null {
  return row[column] === null ? null : numberColumn(row, column)
}

export function textColumn(row: SqlRow, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw new Error(`the column ${column} holds ${typeof value}, not a text`)
}

export function nullableTextColumn(row: SqlRow, column: string): string | null {
  return row[column] === null ? null : textColumn(row, column)
}

/** Returns the row of a statement that always returns one. */
export function requireRow(rows: readonly SqlRow[]): SqlRow {
  const [row] = rows
  if (row) return row
  throw new Error('a statement that gives one row gave none')
}

/** Values per statement; the limit of SQLite is 32,766, that of PostgreSQL twice as many. */
const MAX_VALUES = 1500

/** Inserts many rows with few statements, because each statement is a round trip. */
export async function insertRows(
  sql: Sql,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
): Promise<void> {
  const placeholders = `(${columns.map(() => '?').join(', ')})`
  const rowsPerStatement = Math.floor(MAX_VALUES / columns.length)
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    const chunk = rows.slice(at, at + rowsPerStatement)
    await sql.run(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${chunk.map(() => placeholders).join(', ')}`,
      ...chunk.flat(),
    )
  }
}
