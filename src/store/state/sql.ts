// SQL as the tables speak it: one text for both databases, `?` for each value. Only this folder knows it.

export type SqlValue = string | number | null

export type SqlRow = Readonly<Record<string, unknown>>

/** Good within the transaction it was handed to. */
export interface Sql {
  readonly all: Statement
  /** For what changes rows; gives those that RETURNING names. */
  readonly run: Statement
}

export type Statement = (text: string, ...values: readonly SqlValue[]) => Promise<readonly SqlRow[]>

export interface Database {
  /** What to call it in a sentence; never with a password. */
  readonly name: string
  /** Sees one moment. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** Writers of one key come one after the other. Nothing is kept if the work throws or says so. */
  write<T>(key: string, work: (sql: Sql) => Promise<Written<T>>): Promise<T>
  /** Whether anybody else may have written since this was asked last. */
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

/** The row of a statement that always gives one. */
export function onlyRow(rows: readonly SqlRow[]): SqlRow {
  const [row] = rows
  if (row) return row
  throw new Error('a statement that gives one row gave none')
}
