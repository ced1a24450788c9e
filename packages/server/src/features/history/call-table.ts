// SQL of the history of calls: rows of a user in all projects, newest first. What a person filters by and what the list
// shows are the first columns, so that long texts are read only when they are searched or opened. Used by
// call-history.ts. Reads and writes the database.

import { tryParseJson } from '@scorpiox/mcp/json/json'
import {
  nullableTextColumn,
  numberColumn,
  requireRow,
  type Sql,
  type SqlRow,
  type SqlValue,
  textColumn,
} from '../../storage/database.js'
import { foldForSearch, toStorableText } from '../../text/normalize-text.js'
import type { CallBlock, RecordedCall, CallQuery, CallView } from '../../calls/recorded-call.js'

export interface UserCall {
  readonly user: string
  readonly details: RecordedCall
}

/** Where a list continues: before this call. */
export interface CallPosition {
  readonly startedAt: number
  readonly id: string
}

export interface ScannedCalls {
  readonly calls: readonly CallView[]
  /** Undefined at the end of the list. */
  readonly next: CallPosition | undefined
}

export interface CallBounds {
  readonly maxCalls: number
  readonly maxBytes: number
  /** Calls that started earlier are deleted. */
  readonly oldest: number
}

const LIST_COLUMNS = 'id, server, project, session, client, tool, about, outcome, started_at, ms, error'
const COLUMNS = `user_name, ${LIST_COLUMNS}, bytes, input, input_omitted, blocks, search`
const NEWEST_FIRST = 'ORDER BY started_at DESC, id DESC'
/** Of what is short in each call. */
const ROW_CHARACTERS = 200
/** Characters of a call that a search reads. */
const MAX_SEARCH = 64 * 1024
const BEFORE = '(started_at < ? OR (started_at = ? AND id < ?))'

const INSERT = `INSERT INTO calls (${COLUMNS}) VALUES (${COLUMNS.replaceAll(/\w+/g, '?')}) ON CONFLICT DO NOTHING`

/** A call that is stored already stays as it is. */
export async function insertCalls(sql: Sql, calls: readonly UserCall[]): Promise<void> {
  for (const call of calls) await sql.run(INSERT, ...toRow(call))
}

/** About as much as it takes in memory and in the database. */
export function countCharacters({ input, blocks }: RecordedCall): number {
  let count = input.length + ROW_CHARACTERS
  for (const block of blocks)
    count += block.type === 'text' ? block.text.length : block.type === 'image' ? (block.data?.length ?? 0) : 0
  return count
}

function toRow({ user, details: { call, input, inputOmitted, blocks } }: UserCall): readonly SqlValue[] {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const search = foldForSearch([call.tool, input, ...texts].join('\n').slice(0, MAX_SEARCH))
  const blocksText = JSON.stringify(blocks)
  return [
    toStorableText(user),
    call.id,
    call.server,
    toStorableText(call.project),
    toStorableText(call.session),
    toStorableText(call.client),
    toStorableText(call.tool),
    toStorableText(call.about),
    call.outcome,
    call.startedAt,
    call.ms,
    call.error === null ? null : toStorableText(call.error),
    Buffer.byteLength(input) + Buffer.byteLength(blocksText) + Buffer.byteLength(search),
    toStorableText(input),
    inputOmitted,
    toStorableText(blocksText),
    toStorableText(search),
  ]
}

export async function findCall(sql: Sql, user: string, id: string): Promise<RecordedCall | undefined> {
  const [row] = await sql.all(
    `SELECT ${COLUMNS} FROM calls WHERE user_name = ? AND id = ?`,
    toStorableText(user),
    toStorableText(id),
  )
  return row && detailsFromRow(row)
}

/** Which of the next `count` calls the query selects, and where they end. */
export async function scanCalls(
  sql: Sql,
  scan: { readonly user: string; readonly query: CallQuery; readonly before: CallPosition; readonly count: number },
): Promise<ScannedCalls> {
  const { user, query, before, count } = scan
  const range = [toStorableText(user), before.startedAt, before.startedAt, toStorableText(before.id)] as const
  const [end] = await sql.all(
    `SELECT started_at, id FROM calls WHERE user_name = ? AND ${BEFORE} ${NEWEST_FIRST} LIMIT 1 OFFSET ?`,
    ...range,
    count - 1,
  )
  const next = end && { startedAt: numberColumn(end, 'started_at'), id: textColumn(end, 'id') }
  const from = next ? ' AND (started_at > ? OR (started_at = ? AND id >= ?))' : ''
  const conditions = listConditions(sql, query)
  const rows = await sql.all(
    `SELECT ${LIST_COLUMNS} FROM calls WHERE user_name = ? AND ${BEFORE}${from}
     ${conditions.map(({ sql: condition }) => `AND ${condition}`).join(' ')} ${NEWEST_FIRST}`,
    ...range,
    ...(next ? [next.startedAt, next.startedAt, next.id] : []),
    ...conditions.map(({ value }) => value),
  )
  return { calls: rows.map(viewFromRow), next }
}

function listConditions({ engine }: Sql, { project, session, tool, outcome, text }: CallQuery) {
  const equal = Object.entries({ project, session, tool, outcome }).flatMap(([column, value]) =>
    value === null ? [] : [{ sql: `${column} = ?`, value: toStorableText(value) }],
  )
  if (text === null || text.trim() === '') return equal
  // LIKE compares character by character: a text that nearly occurs at each position would block the process for seconds.
  const find = engine === 'sqlite' ? 'instr' : 'strpos'
  return [...equal, { sql: `${find}(search, ?) > 0`, value: toStorableText(foldForSearch(text)) }]
}

/** What one transaction deletes: SQLite blocks the process for that time, and its log grows by that. */
const MAX_DELETED = 200
const MAX_DELETED_BYTES = 4 * 1024 * 1024

/** Deletes some of the oldest calls of a user, if the calls are not within the bounds. Returns whether there may be more. */
export async function pruneCalls(sql: Sql, user: string, bounds: CallBounds): Promise<boolean> {
  const name = toStorableText(user)
  const rows = await sql.all(
    'SELECT started_at, bytes FROM calls WHERE user_name = ? ORDER BY started_at, id LIMIT ?',
    name,
    MAX_DELETED,
  )
  const count = await countCallsToDelete(sql, name, rows, bounds)
  if (count === 0) return false
  await sql.run(
    `DELETE FROM calls WHERE user_name = ? AND id IN (
       SELECT id FROM calls WHERE user_name = ? ORDER BY started_at, id LIMIT ?)`,
    name,
    name,
    count,
  )
  return true
}

/** `rows`: the oldest calls. */
async function countCallsToDelete(sql: Sql, name: string, rows: readonly SqlRow[], bounds: CallBounds) {
  const { maxCalls, maxBytes, oldest } = bounds
  let totals: { calls: number; bytes: number } | undefined
  let deletedBytes = 0
  for (const [index, row] of rows.entries()) {
    if (deletedBytes >= MAX_DELETED_BYTES) return index
    if (numberColumn(row, 'started_at') >= oldest) {
      totals ??= await readTotals(sql, name)
      if (totals.calls - index <= maxCalls && totals.bytes - deletedBytes <= maxBytes) return index
    }
    deletedBytes += numberColumn(row, 'bytes')
  }
  return rows.length
}

async function readTotals(sql: Sql, name: string) {
  const { calls, bytes } = requireRow(
    await sql.all('SELECT COUNT(*) AS calls, COALESCE(SUM(bytes), 0) AS bytes FROM calls WHERE user_name = ?', name),
  )
  return { calls: Number(calls), bytes: Number(bytes) }
}

/** The first user after `after` with calls or jobs. */
export async function findNextUser(sql: Sql, after: string): Promise<string | undefined> {
  const { user } = requireRow(
    await sql.all(
      `SELECT MIN(user_name) AS user FROM (
         SELECT MIN(user_name) AS user_name FROM calls WHERE user_name > ? UNION ALL
         SELECT MIN(user_name) AS user_name FROM past_jobs WHERE user_name > ?) AS users`,
      after,
      after,
    ),
  )
  return typeof user === 'string' ? user : undefined
}

export async function hasAgedRows(sql: Sql, user: string, oldest: number): Promise<boolean> {
  const find = (table: 'calls' | 'past_jobs') =>
    sql.all(`SELECT id FROM ${table} WHERE user_name = ? AND started_at < ? LIMIT 1`, user, oldest)
  return (await find('calls')).length > 0 || (await find('past_jobs')).length > 0
}

const OUTCOMES: readonly CallView['outcome'][] = ['ok', 'error', 'cancelled', 'running']

function viewFromRow(row: SqlRow): CallView {
  return {
    id: textColumn(row, 'id'),
    server: textColumn(row, 'server'),
    project: textColumn(row, 'project'),
    session: textColumn(row, 'session'),
    client: textColumn(row, 'client'),
    tool: textColumn(row, 'tool'),
    about: textColumn(row, 'about'),
    outcome: OUTCOMES.find((outcome) => outcome === row.outcome) ?? 'error',
    startedAt: numberColumn(row, 'started_at'),
    ms: numberColumn(row, 'ms'),
    error: nullableTextColumn(row, 'error'),
  }
}

function detailsFromRow(row: SqlRow): RecordedCall {
  return {
    call: viewFromRow(row),
    input: textColumn(row, 'input'),
    inputOmitted: numberColumn(row, 'input_omitted'),
    blocks: blocksFromText(textColumn(row, 'blocks')),
  }
}

function blocksFromText(text: string): readonly CallBlock[] {
  const value = tryParseJson(text)
  return Array.isArray(value) ? value : []
}
