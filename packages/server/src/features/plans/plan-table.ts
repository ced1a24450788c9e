// SQL access to the plans of one scope (one user in one project): every plan, at most one of them open, and all versions of
// each. Created by state.ts for each transaction; also used by the export and import of the state.

import {
  nullableNumberColumn,
  nullableTextColumn,
  numberColumn,
  requireRow,
  type Sql,
  type SqlRow,
  textColumn,
} from '../../storage/database.js'
import { allocateIds } from '../../storage/scope-table.js'
import { toStorableText } from '../../text/normalize-text.js'
import type { MessageTable } from '../../sessions/message-table.js'
import type { TaskTables } from '../tasks/index.js'
import type { PlanApprovalTable } from './plan-approval-table.js'

export interface PlanRow {
  readonly id: number
  readonly goal: string
  /** The name of the plan's folder under `.scorpiox/sessions/`. */
  readonly session: string
  readonly startedAt: number
  readonly outcome: 'open' | 'accepted' | 'reset'
  readonly endedAt: number | null
  /** The file it was accepted from. */
  readonly planFile: string | null
}

/** Of one user in one project: older plans are deleted with their versions. */
const MAX_PLANS = 200
/** Of all plans of one user in one project together; the oldest are deleted, the newest is always kept. */
export const MAX_VERSIONS = 100
const MAX_VERSION_CHARACTERS = 8_000_000

export interface PlanVersion {
  readonly number: number
  readonly text: string
  readonly savedAt: number
}

/** Valid during the transaction. */
export interface PlanTables extends TaskTables {
  readonly plans: PlanTable
  readonly approvals: PlanApprovalTable
  readonly messages: MessageTable
}

export interface PlanTable {
  findOpen(): Promise<PlanRow | undefined>
  /** The newest plan, open or not. */
  findLatest(): Promise<PlanRow | undefined>
  insert(plan: { readonly goal: string; readonly session: string; readonly startedAt: number }): Promise<PlanRow>
  close(
    id: number,
    end: { readonly outcome: 'accepted' | 'reset'; readonly endedAt: number; readonly planFile: string | null },
  ): Promise<void>
  /** Deletes the oldest versions of the scope if there are too many; `removed` says how many. */
  addVersion(planId: number, text: string, savedAt: number): Promise<PlanVersion & { readonly removed: number }>
  listVersions(planId: number): Promise<readonly PlanVersion[]>
  /** 0 if there is none. */
  findLastVersionNumber(planId: number): Promise<number>
  /** Sorted by id. */
  list(): Promise<readonly PlanRow[]>
}

const PLAN_COLUMNS = 'id, goal, session, started_at, outcome, ended_at, plan_file'

const DELETE_OLD_VERSIONS = `DELETE FROM plan_versions WHERE scope = ? AND (plan, number) IN (
  SELECT plan, number FROM (
    SELECT plan, number, row_number() OVER newest_first AS place, sum(length(text)) OVER newest_first AS characters
    FROM plan_versions WHERE scope = ? WINDOW newest_first AS (ORDER BY plan DESC, number DESC)
  ) AS ranked WHERE place > 1 AND (place > ? OR characters > ?)
) RETURNING number`

/** A unique index ensures that at most one plan is open. */
export function createPlanTable(sql: Sql, scope: number): PlanTable {
  return {
    async findOpen() {
      const [row] = await sql.all(`SELECT ${PLAN_COLUMNS} FROM plans WHERE scope = ? AND outcome = 'open'`, scope)
      return row && planFromRow(row)
    },
    async findLatest() {
      const [row] = await sql.all(`SELECT ${PLAN_COLUMNS} FROM plans WHERE scope = ? ORDER BY id DESC LIMIT 1`, scope)
      return row && planFromRow(row)
    },
    async list() {
      const rows = await sql.all(`SELECT ${PLAN_COLUMNS} FROM plans WHERE scope = ? ORDER BY id`, scope)
      return rows.map(planFromRow)
    },
    async insert({ goal, session, startedAt }) {
      const id = await allocateIds(sql, scope, 'next_plan', 1)
      await sql.run('DELETE FROM plan_versions WHERE scope = ? AND plan <= ?', scope, id - MAX_PLANS)
      await sql.run('DELETE FROM plans WHERE scope = ? AND id <= ?', scope, id - MAX_PLANS)
      const rows = await sql.run(
        `INSERT INTO plans (scope, id, goal, session, started_at, outcome) VALUES (?, ?, ?, ?, ?, 'open')
         RETURNING ${PLAN_COLUMNS}`,
        scope,
        id,
        toStorableText(goal),
        toStorableText(session),
        startedAt,
      )
      return planFromRow(requireRow(rows))
    },
    async close(id, { outcome, endedAt, planFile }) {
      await sql.run(
        `UPDATE plans SET outcome = ?, ended_at = ?, plan_file = ? WHERE scope = ? AND id = ? AND outcome = 'open'`,
        outcome,
        endedAt,
        planFile === null ? null : toStorableText(planFile),
        scope,
        id,
      )
    },
    async addVersion(planId, text, savedAt) {
      const rows = await sql.run(
        `INSERT INTO plan_versions (scope, plan, number, saved_at, text)
         SELECT scope, id,
           1 + coalesce((SELECT max(number) FROM plan_versions v WHERE v.scope = plans.scope AND v.plan = plans.id), 0),
           CAST(? AS BIGINT), CAST(? AS TEXT)
         FROM plans WHERE scope = ? AND id = ? RETURNING number, saved_at, text`,
        savedAt,
        toStorableText(text),
        scope,
        planId,
      )
      const removed = await sql.run(DELETE_OLD_VERSIONS, scope, scope, MAX_VERSIONS, MAX_VERSION_CHARACTERS)
      return { ...versionFromRow(requireRow(rows)), removed: removed.length }
    },
    async listVersions(planId) {
      const rows = await sql.all(
        'SELECT number, saved_at, text FROM plan_versions WHERE scope = ? AND plan = ? ORDER BY number',
        scope,
        planId,
      )
      return rows.map(versionFromRow)
    },
    async findLastVersionNumber(planId) {
      const rows = await sql.all(
        'SELECT coalesce(max(number), 0) AS number FROM plan_versions WHERE scope = ? AND plan = ?',
        scope,
        planId,
      )
      return numberColumn(requireRow(rows), 'number')
    },
  }
}

function planFromRow(row: SqlRow): PlanRow {
  return {
    id: numberColumn(row, 'id'),
    goal: textColumn(row, 'goal'),
    session: textColumn(row, 'session'),
    startedAt: numberColumn(row, 'started_at'),
    outcome: outcomeFromRow(row),
    endedAt: nullableNumberColumn(row, 'ended_at'),
    planFile: nullableTextColumn(row, 'plan_file'),
  }
}

function outcomeFromRow(row: SqlRow): PlanRow['outcome'] {
  const outcome = textColumn(row, 'outcome')
  if (outcome === 'open' || outcome === 'accepted' || outcome === 'reset') return outcome
  throw new Error(`a plan has the outcome ${outcome}`)
}

function versionFromRow(row: SqlRow): PlanVersion {
  return { number: numberColumn(row, 'number'), text: textColumn(row, 'text'), savedAt: numberColumn(row, 'saved_at') }
}
