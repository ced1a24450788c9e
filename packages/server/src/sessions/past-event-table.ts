// SQL access to what has ended in the sessions of one scope (one user in one project) and is deleted elsewhere: decided
// approvals, and callbacks that fired or were cancelled. The timeline of a session shows it. Bounded in number and age.
// Written by the tables of plans and callbacks, in their transactions; created by state.ts for reading.

import { numberColumn, type Sql, type SqlRow, textColumn } from '../storage/database.js'
import { toStorableText } from '../text/normalize-text.js'

export interface PastEvent {
  readonly session: string
  readonly kind: 'approval' | 'callback'
  /** Of the approval, or the slot of the callback. */
  readonly id: number
  readonly startedAt: number
  readonly endedAt: number
  readonly label: string
}

export interface PastEventTable {
  /** The newest 100 of a session. */
  listOfSession(session: string): Promise<readonly PastEvent[]>
}

const MAX_OF_SESSION = 100
/** Of one user in one project. */
const MAX_EVENTS = 500
const MAX_AGE_MS = 14 * 24 * 60 * 60 * 1000
/** Characters of the message of a callback. */
const MAX_LABEL = 500
const COLUMNS = 'session, kind, id, started_at, ended_at, label'

export function createPastEventTable(sql: Sql, scope: number): PastEventTable {
  return {
    async listOfSession(session) {
      const rows = await sql.all(
        `SELECT ${COLUMNS} FROM past_events WHERE scope = ? AND session = ? ORDER BY ended_at DESC LIMIT ?`,
        scope,
        toStorableText(session),
        MAX_OF_SESSION,
      )
      return rows.map(eventFromRow)
    },
  }
}

/** Also deletes those that are too old or too many. */
export async function insertPastEvent(sql: Sql, scope: number, event: PastEvent): Promise<void> {
  await sql.run(
    `INSERT INTO past_events (scope, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    scope,
    toStorableText(event.session),
    event.kind,
    event.id,
    event.startedAt,
    event.endedAt,
    toStorableText(event.label.slice(0, MAX_LABEL)),
  )
  await sql.run(
    `DELETE FROM past_events WHERE scope = ? AND (ended_at < ? OR ended_at <
       (SELECT ended_at FROM past_events WHERE scope = ? ORDER BY ended_at DESC LIMIT 1 OFFSET ?))`,
    scope,
    event.endedAt - MAX_AGE_MS,
    scope,
    MAX_EVENTS - 1,
  )
}

function eventFromRow(row: SqlRow): PastEvent {
  return {
    session: textColumn(row, 'session'),
    kind: textColumn(row, 'kind') === 'approval' ? 'approval' : 'callback',
    id: numberColumn(row, 'id'),
    startedAt: numberColumn(row, 'started_at'),
    endedAt: numberColumn(row, 'ended_at'),
    label: textColumn(row, 'label'),
  }
}
