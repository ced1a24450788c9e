// The keys and used nonces of sealed request states in the database that several machines share: a state sealed by one
// machine can be opened by another, once only. Keys change every week; an old one is kept until its states have
// expired. Used by create-server.ts of the app. Reads and writes the database.

import { randomBytes } from 'node:crypto'

import type { RequestStateKey, RequestStateStore } from '@scorpiox/mcp/client-requests/shared-request-state'
import { Failure } from '@scorpiox/mcp/errors'
import { numberColumn, requireRow, type Sql, textColumn } from '../storage/database.js'
import { DATABASE_NOW } from './machine-table.js'
import type { Membership } from './membership.js'
import { retryIdempotent, writeFenced } from './shared-rows.js'

const DAY_MS = 24 * 60 * 60 * 1000
const ROTATE_MS = 7 * DAY_MS
/** How long a machine uses the key that it has read. */
const RECHECK_MS = 60 * 60 * 1000
const MAX_CACHED_KEYS = 16
/** Unexpired states of one user that were used: dropping one would allow its reuse. */
const MAX_NONCES = 10_000

type SharedRequestStatesDeps = Pick<Membership, 'database' | 'fence' | 'databaseTime'>

export function openSharedRequestStates(membership: SharedRequestStatesDeps, project: string): RequestStateStore {
  const { database } = membership
  const keys = new Map<string, Uint8Array>()
  let current: RequestStateKey | undefined
  let readAt = -Infinity

  function remember({ id, key }: RequestStateKey): void {
    keys.set(id, key)
    const [oldest] = keys.keys()
    if (keys.size > MAX_CACHED_KEYS && oldest !== undefined) keys.delete(oldest)
  }

  return {
    async currentKey() {
      if (current && performance.now() - readAt < RECHECK_MS) return current
      const sentAt = performance.now()
      current = (await database.read(selectNewestKey)) ?? (await createKey())
      readAt = sentAt
      remember(current)
      return current
    },
    async findKey(id) {
      const known = keys.get(id)
      if (known) return known
      const rows = await database.read((sql) => sql.all('SELECT key FROM request_state_keys WHERE id = ?', id))
      if (!rows[0]) return undefined
      const key = Buffer.from(textColumn(rows[0], 'key'), 'base64')
      remember({ id, key })
      return key
    },
    useNonce(user, nonce, expiresAt) {
      // A repeated write of this attempt is the same use.
      const attempt = randomBytes(16).toString('hex')
      return retryIdempotent(() =>
        writeFenced(membership, { project, user }, (sql, workspace) =>
          insertNonce(sql, { workspace, nonce, attempt, expiresAt }),
        ),
      )
    },
    now: () => Math.round(membership.databaseTime()),
  }

  async function createKey(): Promise<RequestStateKey> {
    const created = { id: randomBytes(8).toString('hex'), key: randomBytes(32) }
    await retryIdempotent(() =>
      database.write('request state key', async (sql) => {
        await sql.run(
          `INSERT INTO request_state_keys VALUES (?, ?, ${DATABASE_NOW}) ON CONFLICT (id) DO NOTHING`,
          created.id,
          created.key.toString('base64'),
        )
        return { value: undefined, commit: true }
      }),
    )
    return created
  }
}

async function selectNewestKey(sql: Sql): Promise<RequestStateKey | undefined> {
  const [row] = await sql.all(
    `SELECT id, key FROM request_state_keys WHERE created_at > ${DATABASE_NOW} - ? ORDER BY created_at DESC, id LIMIT 1`,
    ROTATE_MS,
  )
  return row && { id: textColumn(row, 'id'), key: Buffer.from(textColumn(row, 'key'), 'base64') }
}

interface NonceUse {
  readonly workspace: string
  readonly nonce: string
  readonly attempt: string
  readonly expiresAt: number
}

/** Whether this attempt is the first to use it. */
async function insertNonce(sql: Sql, { workspace, nonce, attempt, expiresAt }: NonceUse): Promise<boolean> {
  const count = await sql.all(
    `SELECT count(*) AS used FROM used_nonces WHERE workspace = ? AND expires_at > ${DATABASE_NOW}`,
    workspace,
  )
  if (numberColumn(requireRow(count), 'used') >= MAX_NONCES) {
    throw new Failure(
      `This user has used ${MAX_NONCES} request states that have not expired; nothing was done. Make the call again without 'requestState'.`,
    )
  }
  const rows = await sql.run(
    `INSERT INTO used_nonces (nonce, workspace, attempt, expires_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (nonce) DO UPDATE SET attempt = used_nonces.attempt WHERE used_nonces.attempt = excluded.attempt
     RETURNING nonce`,
    nonce,
    workspace,
    attempt,
    expiresAt,
  )
  return rows.length > 0
}
