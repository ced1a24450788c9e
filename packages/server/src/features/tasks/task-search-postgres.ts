// How PostgreSQL finds tasks with given words. A word that few texts contain is looked up first, which uses the index of
// trigrams if there is one. Other words are compared with the first tasks of the list, of which most have such a word, so
// that the search can stop early, and only then with all others. Used by task-search. Reads the database only.

import { nullableNumberColumn, numberColumn, requireRow, type Sql } from '../../storage/database.js'
import {
  type Condition,
  filterCondition,
  joinConditions,
  type ListFilter,
  type VisitCondition,
} from './task-conditions.js'

/** Texts with a word that is looked up. */
const MAX_RARE = 2000
/** A shorter word contains no trigram. */
const MIN_LENGTH = 3
const NEWEST = 1024
/** Comparing one task after the other with more of them takes longer than reading all texts at once. */
const MAX_NEWEST = 32_768
const MARGIN = 1.25

/**
 * Calls the visitor with conditions that together match what the filter does, in the order of the list, until it wants
 * no more.
 */
export async function forEachPostgresCondition(
  sql: Sql,
  scope: number,
  {
    filter,
    terms,
    wanted,
  }: { readonly filter: ListFilter; readonly terms: readonly string[]; readonly wanted: number },
  visit: VisitCondition,
): Promise<void> {
  const matching = (which: ListFilter, toCondition: (term: string) => Condition): Condition =>
    joinConditions(filterCondition(scope, which), ...terms.map(toCondition))
  const rare = await findRareTerm(sql, scope, terms)
  if (terms.length === 0 || rare) {
    await visit(matching(filter, (term) => (term === rare?.term ? isOneOf(rare.tasks) : containsOneByOne(term))))
    return
  }
  const { where, values } = filterCondition(scope, filter)
  const rows = await sql.all(`SELECT max(${filter.key}) AS place FROM tasks WHERE ${where}`, ...values)
  let end = (nullableNumberColumn(requireRow(rows), 'place') ?? -1) + 1
  const { from = 0 } = filter
  for (let size = NEWEST, missing = wanted; end > from;) {
    const start = Math.max(from, end - size)
    const stillMissing = await visit(matching({ ...filter, from: start, before: end }, containsOneByOne))
    if (stillMissing === 0) return
    end = start
    const share = (missing - stillMissing) / size
    missing = stillMissing
    size = Math.ceil((missing / share) * MARGIN)
    if (!(size <= MAX_NEWEST)) break
  }
  if (end > from) await visit(matching({ ...filter, before: end }, (term) => containsAtOnce(scope, term)))
}

interface RareTerm {
  readonly term: string
  readonly tasks: readonly number[]
}

/** One of the terms that few texts contain, with its tasks. */
async function findRareTerm(sql: Sql, scope: number, terms: readonly string[]): Promise<RareTerm | undefined> {
  // The longest is probably the rarest.
  const searchable = terms.filter((term) => lengthOf(term) >= MIN_LENGTH)
  for (const term of searchable.toSorted((one, other) => lengthOf(other) - lengthOf(one))) {
    const named = await selectRare(sql, 'SELECT id FROM tasks', scope, term)
    const containing = named && (await selectRare(sql, 'SELECT task AS id FROM steps', scope, term))
    if (named && containing) return { term, tasks: [...new Set([...named, ...containing])] }
  }
  return undefined
}

function lengthOf(term: string): number {
  return Array.from(term).length
}

async function selectRare(
  sql: Sql,
  select: string,
  scope: number,
  term: string,
): Promise<readonly number[] | undefined> {
  const text = `${select} WHERE scope = ? AND search LIKE ? LIMIT ?`
  const rows = await sql.all(text, scope, toPattern(term), MAX_RARE + 1)
  return rows.length > MAX_RARE ? undefined : rows.map((row) => numberColumn(row, 'id'))
}

function isOneOf(tasks: readonly number[]): Condition {
  return {
    where: 'id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(? AS JSON)))',
    values: [JSON.stringify(tasks)],
  }
}

/** Not EXISTS: the planner would read the steps of all users at once. */
function containsOneByOne(term: string): Condition {
  const ofSteps = `SELECT true FROM steps
    WHERE steps.scope = tasks.scope AND task = tasks.id AND steps.search LIKE ? LIMIT 1`
  const pattern = toPattern(term)
  return { where: `(search LIKE ? OR (${ofSteps}))`, values: [pattern, pattern] }
}

function containsAtOnce(scope: number, term: string): Condition {
  const ofNames = 'SELECT named.id FROM tasks AS named WHERE named.scope = ? AND named.search LIKE ?'
  const ofSteps = 'SELECT task FROM steps WHERE steps.scope = ? AND steps.search LIKE ?'
  const pattern = toPattern(term)
  return { where: `id IN (${ofNames} UNION ${ofSteps})`, values: [scope, pattern, scope, pattern] }
}

function toPattern(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, '\\$&')}%`
}
