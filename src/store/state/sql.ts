// The database interface: one SQL dialect for SQLite and PostgreSQL, with `?` for each value.

export type SqlValue = string | number | null

export type SqlRow = Readonly<Record<string, unknown>>

/** Valid during the transaction. */
export interface Sql {
  readonly all: Statement
  /** For statements that change rows; returns the rows of RETURNING. */
  readonly run: Statement
}

export type Statement = (text: string, ...values: readonly SqlValue[]) => Promise<readonly SqlRow[]>

export interface Database {
  /** The name for messages, without the password. */
  readonly name: string
  /** Runs `work` in a read transaction, which sees one snapshot. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /**
   * Runs `work` in a write transaction. Writers with the same key are serialized. Rolls back if the work throws or
   * returns `keep: false`.
   */
  write<T>(key: string, work: (sql: Sql) => Promise<Written<T>>): Promise<T>
  /** Whether another process may have written since the last call. */
  stirred(): Promise<boolean>
  close(): Promise<void>
}

export interface Written<T> {
  readonly value: T
  readonly keep: boolean
}

export function numberIn(row: SqlRow, column: string): number {
  const value = row[column]
  if (typeof value === 'number') return value
  throw new Error(`the column ${column} holds ${typeof value}, not a number`)
}

export function numberOrNullIn(row: SqlRow, column: string): number | null {
  return row[column] === null ? null : numberIn(row, column)
}

export function textIn(row: SqlRow, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw new Error(`the column ${column} holds ${typeof value}, not a text`)
}

export function textOrNullIn(row: SqlRow, column: string): string | null {
  return row[column] === null ? null : textIn(row, column)
}

/** Returns the row of a statement that always returns one. */
export function onlyRow(rows: readonly SqlRow[]): SqlRow {
  const [row] = rows
  if (row) return row
  throw new Error('a statement that gives one row gave none')
}
