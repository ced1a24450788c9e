// SQL of the `tokens` table: the named tokens of HTTP callers that several machines share, stored as hashes, and the
// count of revocations, which tells each machine when to look up its tokens again. Used by token-database.ts of the
// app. Reads and writes the database.

import {
  type Database,
  nullableNumberColumn,
  numberColumn,
  requireRow,
  type Sql,
  type SqlRow,
  textColumn,
} from '../storage/database.js'
import { DATABASE_NOW } from './machine-table.js'

export interface TokenRow {
  readonly id: string
  readonly hash: string
  readonly name: string
  readonly user: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly expiresAt: number | null
}

export interface TokenLookupResult {
  readonly tokens: readonly TokenRow[]
  readonly revocations: number
  /** The time of the database. */
  readonly now: number
}

/** False if the user has so many tokens already. A repeated insert of the same token changes nothing. */
export function insertToken(database: Database, token: TokenRow, maxPerUser: number): Promise<boolean> {
  return database.write('tokens', async (sql) => {
    const counted = await sql.all('SELECT count(*) AS tokens FROM tokens WHERE user_name = ?', token.user)
    if (numberColumn(requireRow(counted), 'tokens') >= maxPerUser) return { value: false, commit: false }
    await sql.run(
      `INSERT INTO tokens (id, hash, name, user_name, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      token.id,
      token.hash,
      token.name,
      token.user,
      token.createdAt,
      token.expiresAt,
    )
    return { value: true, commit: true }
  })
}

export async function selectTokens(sql: Sql): Promise<readonly TokenRow[]> {
  return (await sql.all('SELECT * FROM tokens ORDER BY created_at, id')).map(tokenFromRow)
}

/** Deletes the token of that id, or else all of that name, and returns them. */
export function deleteTokens(database: Database, idOrName: string): Promise<readonly TokenRow[]> {
  return database.write('tokens', async (sql) => {
    const byId = await sql.run('DELETE FROM tokens WHERE id = ? RETURNING *', idOrName)
    const rows = byId.length > 0 ? byId : await sql.run('DELETE FROM tokens WHERE name = ? RETURNING *', idOrName)
    if (rows.length > 0) await sql.run('UPDATE token_revocations SET number = number + 1')
    return { value: rows.map(tokenFromRow), commit: rows.length > 0 }
  })
}

/** The tokens with these hashes, and in the same snapshot the number of revocations. */
export async function lookUpTokens(sql: Sql, hashes: readonly string[]): Promise<TokenLookupResult> {
  const row = requireRow(
    await sql.all(`SELECT ${DATABASE_NOW} AS now, COALESCE(max(number), 0) AS number FROM token_revocations`),
  )
  const found =
    hashes.length === 0
      ? []
      : await sql.all(`SELECT * FROM tokens WHERE hash IN (${hashes.map(() => '?').join(', ')})`, ...hashes)
  return {
    tokens: found.map(tokenFromRow),
    revocations: numberColumn(row, 'number'),
    now: numberColumn(row, 'now'),
  }
}

function tokenFromRow(row: SqlRow): TokenRow {
  return {
    id: textColumn(row, 'id'),
    hash: textColumn(row, 'hash'),
    name: textColumn(row, 'name'),
    user: textColumn(row, 'user_name'),
    createdAt: numberColumn(row, 'created_at'),
    expiresAt: nullableNumberColumn(row, 'expires_at'),
  }
}
