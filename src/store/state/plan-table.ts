// A unique index ensures that at most one plan is open.

import { storableText } from '../../lib/storable-text.js'
import type { PlanRow, PlanRows, PlanVersion } from './plan-rows.js'
import { takeNumbers } from './scope-table.js'
import { numberIn, numberOrNullIn, onlyRow, textIn, textOrNullIn, type Sql, type SqlRow } from './sql.js'

const PLAN_COLUMNS = 'id, goal, session, started_at, outcome, ended_at, plan_file'

export function createPlanTable(sql: Sql, scope: number): PlanRows {
  return {
    async open() {
      const [row] = await sql.all(`SELECT ${PLAN_COLUMNS} FROM plans WHERE scope = ? AND outcome = 'open'`, scope)
      return row && planFromRow(row)
    },
    async latest() {
      const [row] = await sql.all(`SELECT ${PLAN_COLUMNS} FROM plans WHERE scope = ? ORDER BY id DESC LIMIT 1`, scope)
      return row && planFromRow(row)
    },
    async all() {
      const rows = await sql.all(`SELECT ${PLAN_COLUMNS} FROM plans WHERE scope = ? ORDER BY id`, scope)
      return rows.map(planFromRow)
    },
    async insert({ goal, session, startedAt }) {
      const rows = await sql.run(
        `INSERT INTO plans (scope, id, goal, session, started_at, outcome) VALUES (?, ?, ?, ?, ?, 'open')
         RETURNING ${PLAN_COLUMNS}`,
        scope,
        await takeNumbers(sql, scope, 'next_plan', 1),
        storableText(goal),
        storableText(session),
        startedAt,
      )
      return planFromRow(onlyRow(rows))
    },
    async end(id, { outcome, endedAt, planFile }) {
      await sql.run(
        `UPDATE plans SET outcome = ?, ended_at = ?, plan_file = ? WHERE scope = ? AND id = ? AND outcome = 'open'`,
        outcome,
        endedAt,
        planFile === null ? null : storableText(planFile),
        scope,
        id,
      )
    },
    async addVersion(planId, text, savedAt) {
      const rows = await sql.run(
        `INSERT INTO plan_versions (scope, plan, number, saved_at, text)
         SELECT scope, id, 1 + (SELECT count(*) FROM plan_versions v WHERE v.scope = plans.scope AND v.plan = plans.id),
           CAST(? AS BIGINT), CAST(? AS TEXT)
         FROM plans WHERE scope = ? AND id = ? RETURNING number, saved_at, text`,
        savedAt,
        storableText(text),
        scope,
        planId,
      )
      return versionFromRow(onlyRow(rows))
    },
    async versions(planId) {
      const rows = await sql.all(
        'SELECT number, saved_at, text FROM plan_versions WHERE scope = ? AND plan = ? ORDER BY number',
        scope,
        planId,
      )
      return rows.map(versionFromRow)
    },
  }
}

function planFromRow(row: SqlRow): PlanRow {
  return {
    id: numberIn(row, 'id'),
    goal: textIn(row, 'goal'),
    session: textIn(row, 'session'),
    startedAt: numberIn(row, 'started_at'),
    outcome: outcomeFromRow(row),
    endedAt: numberOrNullIn(row, 'ended_at'),
    planFile: textOrNullIn(row, 'plan_file'),
  }
}

function outcomeFromRow(row: SqlRow): PlanRow['outcome'] {
  const outcome = textIn(row, 'outcome')
  if (outcome === 'open' || outcome === 'accepted' || outcome === 'reset') return outcome
  throw new Error(`a plan has the outcome ${outcome}`)
}

function versionFromRow(row: SqlRow): PlanVersion {
  return { number: numberIn(row, 'number'), text: textIn(row, 'text'), savedAt: numberIn(row, 'saved_at') }
}
