// Stores what legacy HTTP sessions have negotiated in the database that several machines share, so that a session
// continues on the next owner of its workspace. Opened by shared-stores.ts of the app; machine-callbacks.ts asks which
// sessions continue. Reads and writes the database.

import type { SessionFacts } from '@scorpiox/mcp/http/session-facts'
import type { HttpSessionStore, StoredSession } from '@scorpiox/mcp/http/session-store'
import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { isLegacyRevision } from '@scorpiox/mcp/revisions/revision'
import { numberColumn, type Sql, textColumn } from '../storage/database.js'
import { scopeKey } from '../storage/scope-table.js'
import type { Scope } from '../storage/scoped-database.js'
import { toStorableText } from '../text/normalize-text.js'
import { DATABASE_NOW } from './machine-table.js'
import type { Membership } from './membership.js'
import { type FencedDatabase, retryIdempotent, writeFenced } from './shared-rows.js'

/** A server ends a session that was not used for an hour, and notes every minute which were. */
export const UNUSED_SESSION_MS = 65 * 60 * 1000
const MAX_PER_USER = 1000

export function openSharedSessions(membership: FencedDatabase, project: string): HttpSessionStore {
  const write = <T>(user: string, work: (sql: Sql, workspace: string) => Promise<T>): Promise<T> =>
    retryIdempotent(() => writeFenced(membership, { project, user }, work))
  return {
    save: (user, id, facts) =>
      write(user, async (sql, workspace) => {
        await upsertFacts(sql, workspace, id, facts)
        await removeExcess(sql, workspace)
      }),
    restore: (user, id) => write(user, (sql, workspace) => continueSession(sql, workspace, id)),
    touch: (user, ids) =>
      write(user, async (sql, workspace) => {
        await sql.run(
          `UPDATE http_sessions SET used_at = ${DATABASE_NOW} WHERE workspace = ? AND id IN (${ids.map(() => '?').join(', ')})`,
          workspace,
          ...ids,
        )
      }),
    remove: (user, id) =>
      write(user, async (sql, workspace) => {
        await sql.run('DELETE FROM http_sessions WHERE workspace = ? AND id = ?', workspace, id)
      }),
  }
}

/** The sessions of a workspace that continue on its owner. */
export async function listSharedSessions(
  { database }: Pick<Membership, 'database'>,
  scope: Scope,
): Promise<ReadonlySet<string>> {
  const rows = await database.read((sql) =>
    sql.all(
      `SELECT id FROM http_sessions WHERE workspace = ? AND used_at > ${DATABASE_NOW} - ?`,
      scopeKey(scope),
      UNUSED_SESSION_MS,
    ),
  )
  return new Set(rows.map((row) => textColumn(row, 'id')))
}

async function upsertFacts(sql: Sql, workspace: string, id: string, facts: SessionFacts): Promise<void> {
  await sql.run(
    `INSERT INTO http_sessions (workspace, id, used_at, generation, facts) VALUES (?, ?, ${DATABASE_NOW}, 0, ?)
     ON CONFLICT (workspace, id) DO UPDATE SET used_at = excluded.used_at, facts = excluded.facts`,
    workspace,
    id,
    toStorableText(JSON.stringify(facts)),
  )
}

async function removeExcess(sql: Sql, workspace: string): Promise<void> {
  await sql.run(
    `DELETE FROM http_sessions WHERE workspace = ? AND id IN (
       SELECT id FROM http_sessions WHERE workspace = ? ORDER BY used_at DESC, id OFFSET ?)`,
    workspace,
    workspace,
    MAX_PER_USER,
  )
}

/** A repeated write skips a generation, which does no harm. */
async function continueSession(sql: Sql, workspace: string, id: string): Promise<StoredSession | undefined> {
  const [row] = await sql.run(
    `UPDATE http_sessions SET used_at = ${DATABASE_NOW}, generation = generation + 1
     WHERE workspace = ? AND id = ? AND used_at > ${DATABASE_NOW} - ? RETURNING generation, facts`,
    workspace,
    id,
    UNUSED_SESSION_MS,
  )
  const facts = row && parseFacts(textColumn(row, 'facts'))
  return facts && { facts, generation: numberColumn(row, 'generation') }
}

function parseFacts(text: string): SessionFacts | undefined {
  const value = tryParseJson(text)
  if (!isJsonObject(value)) return undefined
  const { revision, clientName, clientVersion, capabilities, logLevel, subscriptions } = value
  if (!isLegacyRevision(revision) || typeof clientName !== 'string' || typeof logLevel !== 'string') return undefined
  if (!isJsonObject(capabilities) || !Array.isArray(subscriptions)) return undefined
  const uris = subscriptions.filter((uri): uri is string => typeof uri === 'string')
  const version = typeof clientVersion === 'string' && { clientVersion }
  return { revision, clientName, ...version, capabilities, logLevel, subscriptions: uris }
}
