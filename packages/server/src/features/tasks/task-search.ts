// Finds the tasks of one scope that a filter matches, in the order of the list, and stops when there are enough. Rare
// words are looked up in the index of the database, everything else is read in slices: a statement of SQLite blocks the
// event loop. Tasks that index-tasks has not reached are read as well. Used by task-table. Reads the database only.

import { nullableNumberColumn, numberColumn, requireRow, type Sql, type SqlRow } from '../../storage/database.js'
import { foldForSearch, toStorableText } from '../../text/normalize-text.js'
import { createSlices } from './slices.js'
import {
  type Condition,
  filterCondition,
  findListFilter,
  joinConditions,
  type ListFilter,
  type VisitCondition,
} from './task-conditions.js'
import { forEachPostgresCondition } from './task-search-postgres.js'
import type { TaskFilter } from './task-table.js'
import { type Candidates, findCandidates, isIndexable } from './text-index.js'

export interface SearchQuery {
  readonly filter: TaskFilter
  readonly columns: string
  /** Number of rows. */
  readonly limit: number
  /** Up to which number matching tasks are counted; not less than `limit`. */
  readonly most: number
}

export interface SearchResult {
  /** In the order of the list. */
  readonly rows: readonly SqlRow[]
  readonly found: number
}

export async function searchTasks(sql: Sql, scope: number, query: SearchQuery): Promise<SearchResult> {
  const { columns, limit, most } = query
  const filter = await findListFilter(sql, scope, query.filter)
  const rows: SqlRow[] = []
  let found = 0
  await forEachCondition(sql, scope, { filter, wanted: most }, async ({ where, values }) => {
    const missing = limit - rows.length
    const text = `SELECT ${columns} FROM tasks WHERE ${where} ORDER BY ${filter.key} DESC LIMIT ?`
    const next = missing === 0 ? [] : await sql.all(text, ...values, missing)
    for (const row of next) rows.push(row)
    const hasAll = next.length < missing || most === limit
    found += hasAll ? next.length : await countMatches(sql, { where, values }, filter.key, most - found)
    return most - found
  })
  return { rows, found }
}

async function countMatches(
  sql: Sql,
  { where, values }: Condition,
  key: ListFilter['key'],
  most: number,
): Promise<number> {
  const matches = `SELECT 1 AS one FROM tasks WHERE ${where} ORDER BY ${key} DESC LIMIT ?`
  const rows = await sql.all(`SELECT count(*) AS found FROM (${matches}) AS matches`, ...values, most)
  return numberColumn(requireRow(rows), 'found')
}

interface Wanted {
  readonly filter: ListFilter
  /** Number of tasks. */
  readonly wanted: number
}

/**
 * Calls the visitor with conditions that together match what the filter does, in the order of the list, until it wants
 * no more.
 */
async function forEachCondition(
  sql: Sql,
  scope: number,
  { filter, wanted }: Wanted,
  visit: VisitCondition,
): Promise<void> {
  const terms = filter.terms.map((term) => foldForSearch(toStorableText(term))).filter((term) => term !== '')
  if (sql.engine === 'postgres') return forEachPostgresCondition(sql, scope, { filter, terms, wanted }, visit)
  const read = (which: ListFilter) =>
    visitSlices(sql, scope, which, (slice) =>
      visit(joinConditions(filterCondition(scope, slice), ...terms.map(termCondition))),
    )
  const indexed = terms.length === 0 ? undefined : await findIndexed(sql, scope, terms)
  // Which tasks are in the index depends on their ids, so all must be there if the order is another one.
  if (!indexed || (filter.key === 'place' && indexed.indexedFrom > 1)) return read(filter)
  const { term, indexedFrom } = indexed
  const others = terms.filter((other) => other !== term)
  const newer = { ...filter, from: Math.max(filter.from ?? indexedFrom, indexedFrom) }
  // With a plus SQLite does not use an index for a condition: it would read all ids instead of the candidates.
  const bounds = filterCondition(scope, newer, `+${filter.key}`)
  const inIndex = joinConditions(bounds, candidateCondition(scope, indexed), ...others.map(termCondition))
  if ((await visit(inIndex)) === 0 || indexedFrom <= 1) return
  await read({ ...filter, before: Math.min(filter.before ?? indexedFrom, indexedFrom) })
}

/** A task matches if its name or one of its steps contains the term. */
function termCondition(term: string): Condition {
  const ofSteps =
    'SELECT 1 FROM steps WHERE steps.scope = tasks.scope AND task = tasks.id AND instr(steps.search, ?) > 0'
  return { where: `(instr(search, ?) > 0 OR EXISTS (${ofSteps}))`, values: [term, term] }
}

/**
 * The candidates are compared with the term: the index knows only parts of it. CROSS JOIN fixes the order: SQLite would
 * read all steps of the scope.
 */
function candidateCondition(scope: number, { term, names, steps }: IndexedTerm): Condition {
  const ofNames = `SELECT named.id FROM json_each(?) AS candidate CROSS JOIN tasks AS named
    WHERE named.scope = ? AND named.id = candidate.value AND instr(named.search, ?) > 0`
  const ofSteps = `SELECT task FROM json_each(?) AS candidate CROSS JOIN steps
    WHERE steps.scope = ? AND steps.id = candidate.value AND instr(steps.search, ?) > 0`
  return {
    where: `id IN (${ofNames} UNION ${ofSteps})`,
    values: [JSON.stringify(names), scope, term, JSON.stringify(steps), scope, term],
  }
}

interface IndexedTerm extends Candidates {
  readonly term: string
  /** The index has the tasks from this id on. */
  readonly indexedFrom: number
}

/** One of the terms with its candidates, if the index has some of the tasks and few of them contain it. */
async function findIndexed(sql: Sql, scope: number, terms: readonly string[]): Promise<IndexedTerm | undefined> {
  const [row] = await sql.all('SELECT indexed_from, next_task, next_step FROM scopes WHERE id = ?', scope)
  const indexedFrom = row && nullableNumberColumn(row, 'indexed_from')
  if (!row || indexedFrom === undefined || indexedFrom === null) return undefined
  const ids = { scope, nextTask: numberColumn(row, 'next_task'), nextStep: numberColumn(row, 'next_step') }
  if (!isIndexable(ids)) return undefined
  // The longest is probably the rarest.
  for (const term of terms.toSorted((one, other) => other.length - one.length)) {
    const candidates = await findCandidates(sql, ids, term)
    if (candidates) return { ...candidates, term, indexedFrom }
  }
  return undefined
}

const FIRST_SLICE = 256
/** The size of texts varies, so a slice must not grow as far as the last one permits. */
const MAX_SLICE = 4096

/** Divides a filter into slices of places. One bound on each side: SQLite would choose one of several by chance. */
async function visitSlices(
  sql: Sql,
  scope: number,
  filter: ListFilter,
  visit: (slice: ListFilter) => Promise<number>,
): Promise<void> {
  const { from = 0, before = Number.MAX_SAFE_INTEGER } = filter
  const slices = createSlices(FIRST_SLICE, MAX_SLICE)
  for (let end = before; end > from;) {
    // Places may have gaps of any size.
    const { where, values } = filterCondition(scope, { ...filter, before: end })
    const rows = await sql.all(`SELECT max(${filter.key}) AS place FROM tasks WHERE ${where}`, ...values)
    const greatest = nullableNumberColumn(requireRow(rows), 'place')
    if (greatest === null) return
    const start = Math.max(from, greatest + 1 - slices.size)
    if ((await visit({ ...filter, from: start, before: greatest + 1 })) === 0) return
    end = start
    if (end > from) await slices.next()
  }
}
