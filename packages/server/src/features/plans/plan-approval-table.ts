// SQL access to the requests to end plan mode of one scope (one user in one project), which the user decides on: at most
// one is open, and each is decided once. The text is that which the user was shown, so it never changes. Created by
// state.ts for each transaction.

import { createHash } from 'node:crypto'

import type { ApprovalChannel } from '../../calls/question-form.js'
import { insertPastEvent } from '../../sessions/past-event-table.js'
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
import type { CreatedPlanTask } from './plan-checklist.js'

export interface PlanApprovalRow {
  readonly id: number
  readonly planId: number
  /** `exit` accepts the plan, `reset` discards it. */
  readonly action: 'exit' | 'reset'
  readonly session: string
  readonly requestedAt: number
  /** Whether the call is waiting for the decision. Stays true if its server was killed. */
  readonly waiting: boolean
  /** The user was asked about this plan, with this request or an earlier one. From then on only the user ends it. */
  readonly userAsked: boolean
  readonly createTask: boolean
  /** The file that the plan was read from, relative to the project; null if it is plan.md. */
  readonly planFile: string | null
  /** Null for `reset`. */
  readonly text: string | null
  readonly decision: PlanDecisionRecord | null
  readonly decidedAt: number | null
  /** When the decision was written to a client. */
  readonly deliveredAt: number | null
}

export interface PlanDecisionRecord {
  /**
   * `unasked`: no user could be reached, and the settings do not require one. `replaced`: by a later request.
   * `withdrawn`: the call was cancelled.
   */
  readonly outcome: 'approved' | 'rejected' | 'unasked' | 'replaced' | 'withdrawn'
  readonly channel: ApprovalChannel | null
  readonly comment: string | null
  /** The text that the user approved instead. */
  readonly editedText: string | null
  /** The file of the accepted plan, relative to the project. */
  readonly path: string | null
  readonly task: CreatedPlanTask | null
}

export type NewPlanApproval = Pick<
  PlanApprovalRow,
  'planId' | 'action' | 'session' | 'requestedAt' | 'userAsked' | 'createTask' | 'planFile' | 'text'
>

export interface PlanApprovalTable {
  /** `waiting` is set: the call that requests it waits. */
  insert(approval: NewPlanApproval): Promise<PlanApprovalRow>
  find(id: number): Promise<PlanApprovalRow | undefined>
  findOpen(): Promise<PlanApprovalRow | undefined>
  /** The last one of the plan that the user rejected. */
  findLastRejected(planId: number): Promise<PlanApprovalRow | undefined>
  /** Whether the user was asked about this plan before. */
  wasUserAsked(planId: number): Promise<boolean>
  /** Open or decided; those that were deleted are past events. */
  listOfSession(session: string): Promise<readonly PlanApprovalRow[]>
  /** Open, or decided but not delivered. */
  listUnsettled(): Promise<readonly PlanApprovalRow[]>
  /** Does nothing if it was already decided. */
  decide(id: number, decision: PlanDecisionRecord, at: number): Promise<void>
  /** Closes the open request, if any, without a decision. */
  discardOpen(outcome: 'replaced' | 'withdrawn', at: number): Promise<void>
  /** The call of this session waits for it from now on. */
  startWaiting(id: number, session: string): Promise<void>
  stopWaiting(id: number): Promise<void>
  markUserAsked(id: number): Promise<void>
  markDelivered(id: number, at: number): Promise<void>
  /** Moves the open request of one session to another. */
  moveToSession(from: string, to: string): Promise<void>
  /** Deletes what was decided and delivered, except this one; the timeline of its session still shows it. */
  deleteSettled(except: number | undefined): Promise<void>
}

/** Identifies what the user was shown. */
export function hashPlanApproval({ action, text }: Pick<PlanApprovalRow, 'action' | 'text'>): string {
  return createHash('sha256')
    .update(JSON.stringify([action, text]))
    .digest('hex')
}

const COLUMNS =
  'id, plan, action, session, requested_at, waiting, user_asked, create_task, decided_at, delivered_at, plan_file, decision, text'

export function createPlanApprovalTable(sql: Sql, scope: number): PlanApprovalTable {
  const select = async (where: string, ...values: readonly number[]): Promise<readonly PlanApprovalRow[]> =>
    (await sql.all(`SELECT ${COLUMNS} FROM plan_approvals WHERE scope = ? AND ${where}`, scope, ...values)).map(
      approvalFromRow,
    )
  const update = async (change: string, id: number, ...values: readonly (string | number)[]): Promise<void> => {
    await sql.run(`UPDATE plan_approvals SET ${change} WHERE scope = ? AND id = ?`, ...values, scope, id)
  }
  const decide = async (id: number, decision: PlanDecisionRecord, at: number): Promise<void> => {
    await sql.run(
      'UPDATE plan_approvals SET decision = ?, decided_at = ? WHERE scope = ? AND id = ? AND decided_at IS NULL',
      toStorableText(JSON.stringify(decision)),
      at,
      scope,
      id,
    )
  }
  return {
    async insert({ planId, action, session, requestedAt, userAsked, createTask, planFile, text }) {
      const rows = await sql.run(
        `INSERT INTO plan_approvals
           (scope, id, plan, action, session, requested_at, waiting, user_asked, create_task, plan_file, text)
         VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
        scope,
        await allocateIds(sql, scope, 'next_approval', 1),
        planId,
        action,
        toStorableText(session),
        requestedAt,
        Number(userAsked),
        Number(createTask),
        planFile === null ? null : toStorableText(planFile),
        text === null ? null : toStorableText(text),
      )
      return approvalFromRow(requireRow(rows))
    },
    find: async (id) => (await select('id = ?', id))[0],
    findOpen: async () => (await select('decided_at IS NULL'))[0],
    async findLastRejected(planId) {
      const decided = await select('plan = ? AND decided_at IS NOT NULL ORDER BY id', planId)
      return decided.findLast(({ decision }) => decision?.outcome === 'rejected')
    },
    wasUserAsked: async (planId) => (await select('plan = ? AND user_asked = 1', planId)).length > 0,
    listUnsettled: () => select('delivered_at IS NULL ORDER BY id'),
    decide,
    async discardOpen(outcome, at) {
      const [open] = await select('decided_at IS NULL')
      if (!open) return
      await decide(open.id, { outcome, channel: null, comment: null, editedText: null, path: null, task: null }, at)
      // No session has to be notified of it.
      await update('delivered_at = ?', open.id, at)
    },
    startWaiting: (id, session) => update('waiting = 1, session = ?', id, toStorableText(session)),
    stopWaiting: (id) => update('waiting = 0', id),
    markUserAsked: (id) => update('user_asked = 1', id),
    markDelivered: (id, at) => update('delivered_at = ?', id, at),
    async moveToSession(from, to) {
      await sql.run(
        'UPDATE plan_approvals SET session = ?, waiting = 0 WHERE scope = ? AND session = ? AND decided_at IS NULL',
        toStorableText(to),
        scope,
        toStorableText(from),
      )
    },
    async listOfSession(session) {
      const rows = await sql.all(
        `SELECT ${COLUMNS} FROM plan_approvals WHERE scope = ? AND session = ?`,
        scope,
        toStorableText(session),
      )
      return rows.map(approvalFromRow)
    },
    async deleteSettled(except = 0) {
      for (const { id, session, action, requestedAt, decidedAt } of await select('delivered_at IS NOT NULL')) {
        if (id === except || decidedAt === null) continue
        const event = {
          session,
          kind: 'approval',
          id,
          startedAt: requestedAt,
          endedAt: decidedAt,
          label: action,
        } as const
        await insertPastEvent(sql, scope, event)
      }
      await sql.run(
        'DELETE FROM plan_approvals WHERE scope = ? AND delivered_at IS NOT NULL AND id <> ?',
        scope,
        except,
      )
    },
  }
}

function approvalFromRow(row: SqlRow): PlanApprovalRow {
  const decision = nullableTextColumn(row, 'decision')
  return {
    id: numberColumn(row, 'id'),
    planId: numberColumn(row, 'plan'),
    action: textColumn(row, 'action') === 'exit' ? 'exit' : 'reset',
    session: textColumn(row, 'session'),
    requestedAt: numberColumn(row, 'requested_at'),
    waiting: numberColumn(row, 'waiting') !== 0,
    userAsked: numberColumn(row, 'user_asked') !== 0,
    createTask: numberColumn(row, 'create_task') !== 0,
    planFile: nullableTextColumn(row, 'plan_file'),
    text: nullableTextColumn(row, 'text'),
    decision: decision === null ? null : parseDecision(decision),
    decidedAt: nullableNumberColumn(row, 'decided_at'),
    deliveredAt: nullableNumberColumn(row, 'delivered_at'),
  }
}

// The JSON was written by `decide`, so it is not validated.
function parseDecision(text: string): PlanDecisionRecord {
  return JSON.parse(text)
}
