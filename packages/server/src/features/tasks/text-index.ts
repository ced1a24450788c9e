// The full-text index of SQLite over the names of tasks and the texts of steps: trigrams without positions, so it gives
// candidates, which are then compared with their texts. The id of an entry consists of scope, kind and the id of the task
// or step, so the entries of one user are a range. PostgreSQL maintains its own index; here nothing is done for it. Used by
// task-table, edit-task-rows, delete-task, task-search and index-tasks.

import { numberColumn, requireRow, type Sql } from '../../storage/database.js'
import { createSlices, createTurns } from './slices.js'

/** Ids that fit into an entry; a scope with greater ones is searched without the index. */
export const MAX_INDEXED_ID = 2 ** 32 - 1
const MAX_INDEXED_SCOPE = 2 ** 30 - 1

const ENTRY = '((? << 33) | (? << 32) | ?)'
const KINDS = { name: 0, step: 1 } as const

export type IndexedKind = keyof typeof KINDS

export interface IndexedText {
  /** Of the task or the step. */
  readonly id: number
  /** Folded. */
  readonly text: string
}

export interface IndexedTexts {
  /** Sorted by id, as the steps: entries in ascending order are written together. */
  readonly names: readonly IndexedText[]
  readonly steps: readonly IndexedText[]
}

export async function addToIndex(sql: Sql, scope: number, { names, steps }: IndexedTexts): Promise<void> {
  if (sql.engine !== 'sqlite') return
  const turns = createTurns()
  let characters = 0
  for (const kind of ['name', 'step'] as const) {
    for (const { id, text } of kind === 'name' ? names : steps) {
      await sql.run(`INSERT INTO task_index (rowid, text) VALUES (${ENTRY}, ?)`, scope, KINDS[kind], id, text)
      characters += text.length
      await turns.yieldIfDue()
    }
  }
  await mergeIndex(sql, characters)
}

/** An entry that does not exist is ignored. */
export async function removeTextFromIndex(sql: Sql, scope: number, kind: IndexedKind, id: number): Promise<void> {
  if (sql.engine !== 'sqlite' || id > MAX_INDEXED_ID) return
  await sql.run(`DELETE FROM task_index WHERE rowid = ${ENTRY}`, scope, KINDS[kind], id)
}

export async function removeTaskFromIndex(sql: Sql, scope: number, task: number): Promise<void> {
  if (sql.engine !== 'sqlite') return
  await removeTextFromIndex(sql, scope, 'name', task)
  await sql.run(
    `DELETE FROM task_index WHERE rowid IN (
       SELECT ((scope << 33) | (${KINDS.step} << 32) | id) FROM steps WHERE scope = ? AND task = ? AND id <= ?)`,
    scope,
    task,
    MAX_INDEXED_ID,
  )
}

export async function removeScopeFromIndex(sql: Sql, scope: number): Promise<void> {
  if (sql.engine !== 'sqlite') return
  await sql.run('DELETE FROM task_index WHERE rowid >= (? << 33) AND rowid < (? << 33)', scope, scope + 1)
}

const CHARACTERS_PER_PAGE = 3000
/** As often a page is written again while the index grows. */
const MERGES_PER_PAGE = 6
const PAGES_PER_MERGE = 4

/** Every write makes a segment of its own; merging a few pages of older ones each time keeps their number small. */
async function mergeIndex(sql: Sql, characters: number): Promise<void> {
  const turns = createTurns()
  let pages = PAGES_PER_MERGE + Math.floor(characters / CHARACTERS_PER_PAGE) * MERGES_PER_PAGE
  for (; pages > 0; pages -= PAGES_PER_MERGE) {
    const before = await readTotalChanges(sql)
    await sql.run(`INSERT INTO task_index (task_index, rank) VALUES ('merge', ?)`, PAGES_PER_MERGE)
    // One change is the statement itself; without another there is nothing left to merge.
    if ((await readTotalChanges(sql)) - before < 2) return
    await turns.yieldIfDue()
  }
}

async function readTotalChanges(sql: Sql): Promise<number> {
  return numberColumn(requireRow(await sql.all('SELECT total_changes() AS changes')), 'changes')
}

export function isIndexable({ scope, nextTask, nextStep }: ScopeIds): boolean {
  return scope <= MAX_INDEXED_SCOPE && nextTask <= MAX_INDEXED_ID && nextStep <= MAX_INDEXED_ID
}

export interface ScopeIds {
  readonly scope: number
  readonly nextTask: number
  readonly nextStep: number
}

export interface Candidates {
  readonly names: readonly number[]
  readonly steps: readonly number[]
}

const TRIGRAM = 3
/** Of a long text not all are needed: what is found is compared with the text. */
const MAX_TRIGRAMS = 12
const MAX_CANDIDATES = 2000
const MAX_RARE = 300
/** Ids of the first slice. */
const FIRST_SLICE = 50_000

/**
 * The names and steps that contain the trigrams of a folded text; undefined if there are too many, or the text is too
 * short. One rare trigram suffices: to intersect it with common ones, their lists would have to be read.
 */
export async function findCandidates(sql: Sql, ids: ScopeIds, text: string): Promise<Candidates | undefined> {
  const trigrams = selectTrigrams(text)
  if (trigrams.length === 0) return undefined
  for (const trigram of trigrams) {
    const candidates = await findBoth(sql, ids, trigram, MAX_RARE)
    if (candidates) return candidates
  }
  return findBoth(sql, ids, trigrams.join(' AND '), MAX_CANDIDATES)
}

async function findBoth(sql: Sql, ids: ScopeIds, match: string, limit: number): Promise<Candidates | undefined> {
  const names = await findEntries(sql, ids.scope, { kind: KINDS.name, end: ids.nextTask, match, limit })
  const steps = names && (await findEntries(sql, ids.scope, { kind: KINDS.step, end: ids.nextStep, match, limit }))
  return names && steps ? { names, steps } : undefined
}

interface EntryQuery {
  readonly kind: number
  /** Greater than all ids. */
  readonly end: number
  /** In the query language of FTS5. */
  readonly match: string
  readonly limit: number
}

async function findEntries(
  sql: Sql,
  scope: number,
  { kind, end, match, limit }: EntryQuery,
): Promise<readonly number[] | undefined> {
  const found: number[] = []
  const slices = createSlices(FIRST_SLICE)
  for (let to = end; to > 0;) {
    const from = Math.max(0, to - slices.size)
    const values = [match, scope, kind, from, scope, kind, to, limit + 1]
    const rows = await sql.all(SELECT_ENTRIES, ...values)
    for (const row of rows) found.push(numberColumn(row, 'id'))
    if (found.length > limit) return undefined
    to = from
    if (to > 0) await slices.next()
  }
  return found
}

const SELECT_ENTRIES = `SELECT rowid & ${MAX_INDEXED_ID} AS id FROM task_index
  WHERE task_index MATCH ? AND rowid >= ${ENTRY} AND rowid < ${ENTRY} LIMIT ?`

/** The tokenizer reads U+FFFE and U+FFFF as U+FFFD. */
const AMBIGUOUS = /[\uFFFD-\uFFFF]/

function selectTrigrams(text: string): readonly string[] {
  const characters = Array.from(text)
  const last = characters.length - TRIGRAM
  if (last < 0 || AMBIGUOUS.test(text)) return []
  const count = Math.min(last + 1, MAX_TRIGRAMS)
  const trigrams = Array.from({ length: count }, (_, index) => {
    const at = count === 1 ? 0 : Math.round((index * last) / (count - 1))
    return characters.slice(at, at + TRIGRAM).join('')
  })
  return [...new Set(trigrams)].map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
}
