// SQL of the `workspaces` table: which machine owns one user in one project. A transaction locks the row of the
// workspace before that of a machine. Used by workspace-ownership.ts, membership.ts and the `machines` command. Reads
// and writes the database.

import {
  nullableNumberColumn,
  nullableTextColumn,
  numberColumn,
  requireRow,
  type Sql,
  type SqlRow,
  textColumn,
} from '../storage/database.js'
import { scopeKey } from '../storage/scope-table.js'
import type { Scope } from '../storage/scoped-database.js'
import { toStorableText } from '../text/normalize-text.js'
import { DATABASE_NOW, declareLost } from './machine-table.js'
import type { OtherMachine } from './membership.js'

const MAX_LISTED = 10_000

/** The machine that claims. */
export interface Claimant {
  readonly incarnation: string
  readonly files: 'local' | 'shared'
  readonly disk: string
  /** Whether it may take a machine for dead whose lease is out. */
  readonly mayJudgeOthers: boolean
}

export type WorkspaceClaim =
  | { readonly kind: 'self'; readonly epoch: number; readonly previous: string | undefined; readonly isNew: boolean }
  | { readonly kind: 'other'; readonly machine: OtherMachine }
  /** The owner is gone or was stopped, and its files with it. */
  | { readonly kind: 'silent'; readonly name: string; readonly since: number }
  /** The claimant is draining or lost its lease, and there is no other machine. */
  | { readonly kind: 'none' }

/** The owner of a workspace, if its lease is valid. */
export async function findOwner(sql: Sql, scope: Scope): Promise<OtherMachine | undefined> {
  const rows = await sql.all(
    `SELECT incarnation, name, address, machines.key AS key FROM workspaces JOIN machines ON incarnation = owner
     WHERE workspaces.key = ? AND ended_at IS NULL AND expires_at > ${DATABASE_NOW}`,
    scopeKey(scope),
  )
  return rows[0] && toMachine(rows[0])
}

/** Makes the claimant the owner if nothing speaks against it. */
export async function claimWorkspace(sql: Sql, scope: Scope, claimant: Claimant): Promise<WorkspaceClaim> {
  const row = await lockWorkspace(sql, scope, claimant)
  const owner = typeof row.owner === 'string' ? row.owner : undefined
  const epoch = numberColumn(row, 'epoch')
  if (owner === claimant.incarnation) return { kind: 'self', epoch, previous: undefined, isNew: false }
  if (owner !== undefined && row.ending !== 'left') {
    const isReachable = row.files === 'shared' && claimant.files === 'shared'
    const mayTake = isReachable || row.disk === claimant.disk
    const isGone = row.name === null || row.ending === 'lost' || row.expired === true
    if (!isGone) return { kind: 'other', machine: toMachine(row) }
    if (!mayTake) return (await findHome(sql, row, claimant)) ?? describeSilence(row)
    const isSettled = row.name === null || row.ending === 'lost'
    if (!isSettled && !(claimant.mayJudgeOthers && (await declareLost(sql, owner)))) {
      return { kind: 'other', machine: toMachine(row) }
    }
  }
  const hasFiles = row.files === 'shared' || row.disk === claimant.disk || row.disk === NO_DISK || epoch === 0
  if (hasFiles || owner !== undefined) return takeOver(sql, scope, claimant, owner)
  // Released by a machine that was stopped: only one that has the files goes on.
  return (await findHome(sql, row, claimant)) ?? describeSilence(await findLast(sql, row))
}

/** In a row whose files are not waited for any more. */
const NO_DISK = ''

/** `leavesFiles`: another machine may go on without the files of this one. */
export async function releaseWorkspace(
  sql: Sql,
  scope: Scope,
  incarnation: string,
  leavesFiles: boolean,
): Promise<void> {
  await sql.run(
    'UPDATE workspaces SET owner = NULL, disk = CASE WHEN ? = 1 THEN ? ELSE disk END WHERE key = ? AND owner = ?',
    leavesFiles ? 1 : 0,
    NO_DISK,
    scopeKey(scope),
    incarnation,
  )
}

/** The files of machines of this name that are gone are not waited for any more. Returns how many users they had. */
export async function abandonFiles(sql: Sql, name: string): Promise<number> {
  const isRunning = `SELECT 1 FROM machines AS running WHERE running.disk = workspaces.disk AND running.ended_at IS NULL
    AND running.expires_at > ${DATABASE_NOW}`
  const rows = await sql.run(
    `UPDATE workspaces SET owner = NULL, disk = ? WHERE files = 'local' AND NOT EXISTS (${isRunning})
     AND disk IN (SELECT disk FROM machines WHERE name = ?) RETURNING key`,
    NO_DISK,
    name,
  )
  return rows.length
}

export interface OwnedRow {
  /** Null after it was released. */
  readonly owner: string | null
  readonly epoch: number
}

/** Reads the owner and keeps it until the end of the transaction. */
export async function lockOwner(sql: Sql, scope: Scope): Promise<OwnedRow | undefined> {
  const rows = await sql.all('SELECT owner, epoch FROM workspaces WHERE key = ? FOR SHARE', scopeKey(scope))
  return rows[0] && { owner: nullableTextColumn(rows[0], 'owner'), epoch: numberColumn(rows[0], 'epoch') }
}

export interface WorkspaceRow {
  readonly user: string
  readonly project: string
  readonly owner: string
  readonly epoch: number
  readonly claimedAt: number
}

export async function selectOwnedWorkspaces(sql: Sql): Promise<readonly WorkspaceRow[]> {
  const rows = await sql.all(
    `SELECT user_name, project, owner, epoch, claimed_at FROM workspaces WHERE owner IS NOT NULL
     ORDER BY claimed_at DESC LIMIT ?`,
    MAX_LISTED,
  )
  return rows.map((row) => ({
    user: textColumn(row, 'user_name'),
    project: textColumn(row, 'project'),
    owner: textColumn(row, 'owner'),
    epoch: numberColumn(row, 'epoch'),
    claimedAt: numberColumn(row, 'claimed_at'),
  }))
}

async function lockWorkspace(sql: Sql, scope: Scope, { files, disk }: Claimant): Promise<SqlRow> {
  const key = scopeKey(scope)
  await sql.run(
    `INSERT INTO workspaces (key, project, user_name, epoch, claimed_at, files, disk)
     VALUES (?, ?, ?, 0, ${DATABASE_NOW}, ?, ?) ON CONFLICT (key) DO NOTHING`,
    key,
    toStorableText(scope.project),
    toStorableText(scope.user),
    files,
    disk,
  )
  await sql.all('SELECT 1 FROM workspaces WHERE key = ? FOR UPDATE', key)
  // A statement of its own: it sees what was committed while the lock was waited for.
  const rows = await sql.all(
    `SELECT owner, epoch, files, workspaces.disk AS disk, incarnation, name, address, machines.key AS key, ending,
       renewed_at, expires_at <= ${DATABASE_NOW} AS expired
     FROM workspaces LEFT JOIN machines ON incarnation = owner WHERE workspaces.key = ?`,
    key,
  )
  return requireRow(rows)
}

async function takeOver(
  sql: Sql,
  scope: Scope,
  { incarnation, files, disk }: Claimant,
  previous: string | undefined,
): Promise<WorkspaceClaim> {
  const rows = await sql.run(
    `UPDATE workspaces SET owner = ?, epoch = epoch + 1, claimed_at = ${DATABASE_NOW}, files = ?, disk = ?
     WHERE key = ? AND EXISTS (SELECT 1 FROM machines AS own
       WHERE own.incarnation = ? AND own.ended_at IS NULL AND own.expires_at > ${DATABASE_NOW}
       AND (own.draining = 0 OR NOT EXISTS (SELECT 1 ${CANDIDATES} AND incarnation <> ?)))
     RETURNING epoch`,
    incarnation,
    files,
    disk,
    scopeKey(scope),
    incarnation,
    incarnation,
  )
  if (rows[0]) return { kind: 'self', epoch: numberColumn(rows[0], 'epoch'), previous, isNew: true }
  // A machine that drains claims nothing more: another one does, when the request reaches it.
  const candidates = await sql.all(
    `SELECT incarnation, name, address, key ${CANDIDATES} AND incarnation <> ? ORDER BY random() LIMIT 1`,
    incarnation,
  )
  return candidates[0] ? { kind: 'other', machine: toMachine(candidates[0]) } : { kind: 'none' }
}

/** Whether another machine claims workspaces. `disk`: only one that has these files counts. */
export async function hasSuccessor(sql: Sql, incarnation: string, disk?: string): Promise<boolean> {
  const rows = await sql.all(
    `SELECT 1 ${CANDIDATES} AND incarnation <> ?${disk === undefined ? '' : ' AND disk = ?'} LIMIT 1`,
    incarnation,
    ...(disk === undefined ? [] : [disk]),
  )
  return rows.length > 0
}

const CANDIDATES = `FROM machines WHERE ended_at IS NULL AND draining = 0 AND expires_at > ${DATABASE_NOW}`

function toMachine(row: SqlRow): OtherMachine {
  return {
    incarnation: textColumn(row, 'incarnation'),
    name: textColumn(row, 'name'),
    address: textColumn(row, 'address'),
    key: textColumn(row, 'key'),
  }
}

/** Another machine that was started where the files are. */
async function findHome(sql: Sql, { disk }: SqlRow, { incarnation }: Claimant): Promise<WorkspaceClaim | undefined> {
  const rows = await sql.all(
    `SELECT incarnation, name, address, key ${CANDIDATES} AND disk = ? AND incarnation <> ?
     ORDER BY started_at DESC LIMIT 1`,
    String(disk),
    incarnation,
  )
  return rows[0] && { kind: 'other', machine: toMachine(rows[0]) }
}

/** The machine that was last on a disk. */
async function findLast(sql: Sql, { disk }: SqlRow): Promise<SqlRow> {
  const query = 'SELECT name, renewed_at FROM machines WHERE disk = ? ORDER BY started_at DESC LIMIT 1'
  const [row] = await sql.all(query, String(disk))
  return row ?? { name: null, renewed_at: null }
}

function describeSilence(row: SqlRow): WorkspaceClaim {
  const name = typeof row.name === 'string' ? row.name : 'that is no longer registered'
  return { kind: 'silent', name, since: nullableNumberColumn(row, 'renewed_at') ?? 0 }
}
