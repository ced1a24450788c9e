// Finds the tasks of one scope that a filter matches. PostgreSQL does it in one statement, with its index of trigrams
// if it has one. A statement of SQLite blocks the event loop: rare words are looked up in the index, everything else is
// read in slices. Tasks that index-tasks has not reached are read as well. Used by task-table. Reads the database only.

import {
  nullableNumberColumn,
  numberColumn,
  requireRow,
  type Sql,
  type SqlRow,
  type SqlValue,
} from '../../storage/database.js'
import { foldForSearch, toStorableText } from '../../text/normalize-text.js'
import type { TaskFilter } from './task-table.js'
import { createSlices } from './slices.js'
import { type Candidates, findCandidates, isIndexable } from './text-index.js'

/** A condition on rows of `tasks`, and its values. */
interface Condition {
  readonly where: string
  readonly values: readonly SqlValue[]
}

/** The rows of matching tasks, newest first. */
export async function selectMatches(
  sql: Sql,
  scope: number,
  filter: TaskFilter,
  { columns, limit }: { readonly columns: string; readonly limit: number },
): Promise<readonly SqlRow[]> {
  const found: SqlRow[] = []
  await forEachCondition(sql, scope, filter, async ({ where, values }) => {
    const text = `SELECT ${columns} FROM tasks WHERE ${where} ORDER BY id DESC LIMIT ?`
    for (const row of await sql.all(text, ...values, limit - found.length)) found.push(row)
    return found.length < limit
  })
  return found
}

export interface TaskCounts {
  readonly tasks: number
  readonly open: number
  /** Open steps of the open tasks. */
  readonly openSteps: number
}

export async function countMatches(sql: Sql, scope: number, filter: TaskFilter): Promise<TaskCounts> {
  let counts: TaskCounts = { tasks: 0, open: 0, openSteps: 0 }
  await forEachCondition(sql, scope, filter, async ({ where, values }) => {
    const rows = await sql.all(
      `SELECT count(*) AS tasks, count(*) FILTER (WHERE completed_at IS NULL) AS open_tasks,
         CAST(coalesce(sum(steps - steps_done) FILTER (WHERE completed_at IS NULL), 0) AS BIGINT) AS open_steps
       FROM tasks WHERE ${where}`,
      ...values,
    )
    const { tasks, open, openSteps } = countsFromRow(requireRow(rows))
    counts = {
      tasks: counts.tasks + tasks,
      open: counts.open + open,
      openSteps: counts.openSteps + openSteps,
    }
    return true
  })
  return counts
}

export function countsFromRow(row: SqlRow): TaskCounts {
  return {
    tasks: numberColumn(row, 'tasks'),
    open: numberColumn(row, 'open_tasks'),
    openSteps: numberColumn(row, 'open_steps'),
  }
}

type VisitCondition = (condition: Condition) => Promise<boolean>

/** Calls the visitor with conditions that together match what the filter does, newest first, until it returns false. */
async function forEachCondition(sql: Sql, scope: number, filter: TaskFilter, visit: VisitCondition): Promise<void> {
  const terms = filter.terms.map((term) => foldForSearch(toStorableText(term))).filter((term) => term !== '')
  const containing = (words: readonly string[]) => words.map((word) => termCondition(sql, scope, word))
  const matching = (which: TaskFilter): Condition => join(filterCondition(scope, which), ...containing(terms))
  if (sql.engine === 'postgres') return void (await visit(matching(filter)))
  const read = (which: TaskFilter) => visitSlices(sql, scope, which, (slice) => visit(matching(slice)))
  const indexed = terms.length === 0 ? undefined : await findIndexed(sql, scope, terms)
  if (!indexed) return read(filter)
  const { term, indexedFrom } = indexed
  const others = terms.filter((other) => other !== term)
  const newer = { ...filter, from: Math.max(filter.from ?? indexedFrom, indexedFrom) }
  // With a plus SQLite does not use an index for a condition: it would read all ids instead of the candidates.
  const bounds = filterCondition(scope, newer, '+id')
  const inIndex = join(bounds, candidateCondition(scope, indexed), ...containing(others))
  if (!(await visit(inIndex)) || indexedFrom <= 1) return
  await read({ ...filter, before: Math.min(filter.before ?? indexedFrom, indexedFrom) })
}

/** `id` is how the bounds name the column. */
function filterCondition(scope: number, { state, from, before, except }: TaskFilter, id = 'id'): Condition {
  const where = [
    'scope = ?',
    ...(from === undefined ? [] : [`${id} >= ?`]),
    ...(before === undefined ? [] : [`${id} < ?`]),
    ...(except === undefined ? [] : [`${id} <> ?`]),
    ...(state === undefined ? [] : [`completed_at IS ${state === 'open' ? 'NULL' : 'NOT NULL'}`]),
  ].join(' AND ')
  return { where, values: [scope, from, before, except].filter((number) => number !== undefined) }
}

/** A task matches if its name or one of its steps contains the term. */
function termCondition({ engine }: Sql, scope: number, term: string): Condition {
  if (engine === 'sqlite') {
    const ofSteps =
      'SELECT 1 FROM steps WHERE steps.scope = tasks.scope AND task = tasks.id AND instr(steps.search, ?) > 0'
    return { where: `(instr(search, ?) > 0 OR EXISTS (${ofSteps}))`, values: [term, term] }
  }
  const pattern = `%${term.replaceAll(/[\\%_]/g, '\\$&')}%`
  const ofNames = 'SELECT named.id FROM tasks AS named WHERE named.scope = ? AND named.search LIKE ?'
  const ofSteps = 'SELECT task FROM steps WHERE steps.scope = ? AND steps.search LIKE ?'
  return { where: `id IN (${ofNames} UNION ${ofSteps})`, values: [scope, pattern, scope, pattern] }
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

/** Divides a filter into slices of ids. One bound on each side: SQLite would choose one of several by chance. */
async function visitSlices(
  sql: Sql,
  scope: number,
  filter: TaskFilter,
  visit: (slice: TaskFilter) => Promise<boolean>,
): Promise<void> {
  const { from = 0, before = Number.MAX_SAFE_INTEGER } = filter
  const slices = createSlices(FIRST_SLICE, MAX_SLICE)
  for (let end = before; end > from;) {
    // Ids may have gaps of any size.
    const { where, values } = filterCondition(scope, { ...filter, before: end })
    const rows = await sql.all(`SELECT max(id) AS id FROM tasks WHERE ${where}`, ...values)
    const greatest = nullableNumberColumn(requireRow(rows), 'id')
    if (greatest === null) return
    const start = Math.max(from, greatest + 1 - slices.size)
    if (!(await visit({ ...filter, from: start, before: greatest + 1 }))) return
    end = start
    if (end > from) await slices.next()
  }
}

function join(...conditions: readonly Condition[]): Condition {
  return {
    where: conditions.map(({ where }) => where).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  }
}
