// SQL access to the callbacks of one scope (one user in one project): at most eight per session, each in a slot. A time
// is stored twice, as wall clock and as machine uptime: uptime does not jump, but is only valid until the next boot.
// Also finds free slots and cancels a callback, for callback-service and for the console. Created by state.ts for each
// transaction.

import { Failure } from '@scorpiox/mcp/errors'
import { insertPastEvent } from '../../sessions/past-event-table.js'
import type { SessionTables } from '../../sessions/session-leases.js'
import {
  nullableNumberColumn,
  nullableTextColumn,
  numberColumn,
  type Sql,
  type SqlRow,
  textColumn,
} from '../../storage/database.js'
import { toStorableText } from '../../text/normalize-text.js'
import type { PlanApprovalTable } from '../plans/index.js'
import type { QuestionTable } from '../questions/index.js'

export interface CallbackRow {
  readonly session: string
  readonly slot: number
  readonly message: string
  readonly setAt: number
  /** 0 if it waits for an event. */
  readonly delayMs: number
  /** -1: without limit. */
  readonly repeatsLeft: number
  /** When it fires next, in milliseconds since 1970; null if it waits for an event. */
  readonly fireAt: number | null
  /** The same in milliseconds of uptime, and the boot id they refer to. */
  readonly fireUptime: number | null
  readonly boot: string
  /** The job whose end or output it waits for. */
  readonly job: number | null
  readonly pattern: string | null
  /** The offset up to which the output was searched. */
  readonly position: number | null
}

/** Valid during the transaction. */
export interface CallbackTables extends SessionTables {
  readonly callbacks: CallbackTable
  readonly questions: QuestionTable
  readonly approvals: PlanApprovalTable
}

export interface CallbackTable {
  /** Sorted by session and slot. */
  list(): Promise<readonly CallbackRow[]>
  /** Replaces whatever is in its slot. */
  upsert(row: CallbackRow): Promise<void>
  remove(session: string, slot: number): Promise<void>
  /** Removes a callback that has fired for the last time, or was cancelled: the timeline of its session shows it. */
  end(row: CallbackRow, at: number): Promise<void>
}

const COLUMNS =
  'session, slot, message, set_at, delay_ms, repeats_left, fire_at, fire_uptime, boot, job, pattern, position'

export function createCallbackTable(sql: Sql, scope: number): CallbackTable {
  const remove = async (session: string, slot: number): Promise<void> => {
    const storedSession = toStorableText(session)
    await sql.run('DELETE FROM callbacks WHERE scope = ? AND session = ? AND slot = ?', scope, storedSession, slot)
  }
  return {
    async list() {
      const rows = await sql.all(`SELECT ${COLUMNS} FROM callbacks WHERE scope = ? ORDER BY session, slot`, scope)
      return rows.map(callbackFromRow)
    },
    async upsert(row) {
      await remove(row.session, row.slot)
      await sql.run(
        `INSERT INTO callbacks (scope, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        scope,
        toStorableText(row.session),
        row.slot,
        toStorableText(row.message),
        row.setAt,
        row.delayMs,
        row.repeatsLeft,
        row.fireAt,
        row.fireUptime,
        toStorableText(row.boot),
        row.job,
        row.pattern === null ? null : toStorableText(row.pattern),
        row.position,
      )
    },
    remove,
    async end({ session, slot, setAt, message }, at) {
      await remove(session, slot)
      await insertPastEvent(sql, scope, {
        session,
        kind: 'callback',
        id: slot,
        startedAt: setAt,
        endedAt: at,
        label: message,
      })
    },
  }
}

function callbackFromRow(row: SqlRow): CallbackRow {
  return {
    session: textColumn(row, 'session'),
    slot: numberColumn(row, 'slot'),
    message: textColumn(row, 'message'),
    setAt: numberColumn(row, 'set_at'),
    delayMs: numberColumn(row, 'delay_ms'),
    repeatsLeft: numberColumn(row, 'repeats_left'),
    fireAt: nullableNumberColumn(row, 'fire_at'),
    fireUptime: nullableNumberColumn(row, 'fire_uptime'),
    boot: textColumn(row, 'boot'),
    job: nullableNumberColumn(row, 'job'),
    pattern: nullableTextColumn(row, 'pattern'),
    position: nullableNumberColumn(row, 'position'),
  }
}

/** The eight callback slots of a session. */
export const MAX_CALLBACK_SLOTS = 8
/** In all sessions of one user in one project. */
export const MAX_CALLBACKS = 256

export function freeCallbackSlots(all: readonly CallbackRow[], session: string): readonly number[] {
  const taken = new Set(all.filter((row) => row.session === session).map(({ slot }) => slot))
  return Array.from({ length: MAX_CALLBACK_SLOTS }, (_, slot) => slot).filter((slot) => !taken.has(slot))
}

/**
 * Cancels a callback, for the model that set it or for a user of the console. Returns the cancelled callback; throws a
 * Failure if the slot is empty.
 */
export async function cancelCallback(rows: CallbackTables, session: string, slot: number): Promise<CallbackRow> {
  const all = await rows.callbacks.list()
  const found = all.find((row) => row.session === session && row.slot === slot)
  if (!found) throw new Failure(`Error: callback slot ${slot} is not active`)
  await rows.callbacks.end(found, Date.now())
  return found
}
