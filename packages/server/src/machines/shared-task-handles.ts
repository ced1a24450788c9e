// Stores task handles (calls that continue after their response) in the database that several machines share. A handle
// belongs to the incarnation that works on it: only that one writes its outcome, and when it has ended, the others say
// that the work is lost. Used by create-server.ts of the app. Reads and writes the database.

import { INTERNAL_ERROR } from '@scorpiox/mcp/errors'
import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import type { TaskHandleRecord, TaskHandleStore } from '@scorpiox/mcp/protocol-tasks/task-handle-store'
import { nullableTextColumn, type Sql, type SqlRow, textColumn } from '../storage/database.js'
import { scopeKey } from '../storage/scope-table.js'
import { toStorableText } from '../text/normalize-text.js'
import { DATABASE_NOW } from './machine-table.js'
import type { Membership } from './membership.js'
import { retryIdempotent, writeFenced } from './shared-rows.js'

/** Finished task handles of one user: beyond that the oldest are removed before they expire. */
const MAX_FINISHED = 1000
const MAX_FINISHED_BYTES = 64 * 1024 * 1024
/** How much longer than its time to live a task may work. */
const MAX_OVERRUN_MS = 30 * 24 * 60 * 60 * 1000
/** How long the outcome of a task is kept here while the database is away. */
const OUTCOME_RETRY_MS = 60_000

export type SharedTaskHandlesDeps = Pick<Membership, 'database' | 'fence' | 'name' | 'incarnation'>

/** `membership.incarnation` may change; a handle keeps the one it was created with. */
export function openSharedTaskHandles(membership: SharedTaskHandlesDeps, project: string): TaskHandleStore {
  const { database } = membership
  const owners = new Map<string, string>()

  async function create(record: TaskHandleRecord): Promise<void> {
    const { incarnation: owner } = membership
    await retryIdempotent(() =>
      writeFenced(membership, { project, user: record.user }, (sql, workspace) =>
        insertHandle(sql, record, { workspace, owner, machine: membership.name }),
      ),
    )
    owners.set(record.id, owner)
  }

  async function finish(record: TaskHandleRecord): Promise<void> {
    const owner = owners.get(record.id) ?? membership.incarnation
    owners.delete(record.id)
    const workspace = scopeKey({ project, user: record.user })
    await retryIdempotent(
      () =>
        database.write(`task handle ${record.id}`, async (sql) => {
          await updateHandle(sql, record, owner)
          await removeExcess(sql, workspace)
          return { value: undefined, commit: true }
        }),
      OUTCOME_RETRY_MS,
    )
  }

  return {
    save: (record) => (record.status === 'working' ? create(record) : finish(record)),
    async load(user, id) {
      const rows = await database.read((sql) =>
        sql.all(
          `SELECT record, result FROM task_handles WHERE id = ? AND workspace = ? AND expires_at > ${DATABASE_NOW}`,
          toStorableText(id),
          scopeKey({ project, user }),
        ),
      )
      const record = rows[0] && recordFromRow(rows[0])
      return record?.user === user ? record : undefined
    },
    findLoss: (record) =>
      retryIdempotent(() => writeFenced(membership, { project, user: record.user }, (sql) => declareLost(sql, record))),
  }
}

interface HandleOwner {
  readonly workspace: string
  readonly owner: string
  readonly machine: string
}

async function insertHandle(
  sql: Sql,
  record: TaskHandleRecord,
  { workspace, owner, machine }: HandleOwner,
): Promise<void> {
  await sql.run(
    `INSERT INTO task_handles (id, workspace, owner, machine, status, created_at, updated_at, expires_at, bytes, record)
     SELECT ?, ?, ?, ?, 'working', now, now, now + ?, 0, ? FROM (SELECT ${DATABASE_NOW} AS now) AS clock
     ON CONFLICT (id) DO NOTHING`,
    record.id,
    workspace,
    owner,
    toStorableText(machine),
    record.ttlMs + MAX_OVERRUN_MS,
    toStorableText(JSON.stringify(record)),
  )
}

/** Does nothing if another machine has declared the task lost: then clients may have got that answer. */
async function updateHandle(sql: Sql, record: TaskHandleRecord, owner: string): Promise<void> {
  const { result, ...rest } = record
  const text = toStorableText(JSON.stringify(rest))
  await sql.run(
    `UPDATE task_handles SET status = ?, record = ?, result = ?, bytes = ?, updated_at = ${DATABASE_NOW},
       expires_at = created_at + ? WHERE id = ? AND owner = ? AND status = 'working'
       AND EXISTS (SELECT 1 FROM machines WHERE incarnation = owner AND ended_at IS NULL)`,
    record.status,
    text,
    result === undefined ? null : toStorableText(result),
    text.length + 2 * (result?.length ?? 0),
    record.ttlMs,
    record.id,
    owner,
  )
}

/**
 * Stores that a task is lost if the machine that works on it has ended, so that an outcome which arrives later cannot
 * contradict the answers that clients got. Returns undefined if it may still finish, or has.
 */
async function declareLost(sql: Sql, record: TaskHandleRecord): Promise<string | undefined> {
  const rows = await sql.all(
    `SELECT machine FROM task_handles WHERE id = ? AND NOT EXISTS (
       SELECT 1 FROM machines WHERE incarnation = owner AND ended_at IS NULL)`,
    record.id,
  )
  if (!rows[0]) return undefined
  const message = `Lost with machine ${textColumn(rows[0], 'machine')}; not known whether it was done.`
  const lost: TaskHandleRecord = { ...record, status: 'failed', message, error: { code: INTERNAL_ERROR, message } }
  const changed = await sql.run(
    `UPDATE task_handles SET status = 'failed', record = ?, updated_at = ${DATABASE_NOW}
     WHERE id = ? AND status = 'working' RETURNING id`,
    toStorableText(JSON.stringify(lost)),
    record.id,
  )
  return changed.length === 0 ? undefined : message
}

/** The newest is kept, whatever its size. */
async function removeExcess(sql: Sql, workspace: string): Promise<void> {
  await sql.run(
    `DELETE FROM task_handles WHERE id IN (
       SELECT id FROM (
         SELECT id, row_number() OVER newest AS place, sum(bytes) OVER newest AS total FROM task_handles
         WHERE workspace = ? AND status <> 'working' WINDOW newest AS (ORDER BY updated_at DESC, id)
       ) AS ranked WHERE place > 1 AND (place > ? OR total > ?))`,
    workspace,
    MAX_FINISHED,
    MAX_FINISHED_BYTES,
  )
}

function recordFromRow(row: SqlRow): TaskHandleRecord | undefined {
  const value = tryParseJson(textColumn(row, 'record'))
  const result = nullableTextColumn(row, 'result')
  if (!isRecord(value)) return undefined
  return result === null ? value : { ...value, result }
}

function isRecord(value: unknown): value is TaskHandleRecord {
  if (!isJsonObject(value)) return false
  const { id, user, createdAt, updatedAt, ttlMs, pollMs, status } = value
  const numbers = [createdAt, updatedAt, ttlMs, pollMs]
  return [id, user, status].every((text) => typeof text === 'string') && numbers.every(Number.isFinite)
}
