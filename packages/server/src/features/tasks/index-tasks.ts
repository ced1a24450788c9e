// Brings tasks that an older version of this program has written, or that were imported, to what searches and limits
// need: a folded text for each step, entries of the index, counted characters. Works from the newest task of a scope down, a
// small transaction at a time; `indexed_from` says how far it has come, so that it can be interrupted at any point, and
// several processes may do it. maintainTaskIndex is called by state.ts, indexTasks by `state import`. Writes the database.

import { setTimeout as sleep } from 'node:timers/promises'

import { Failure } from '@scorpiox/mcp/errors'
import { type Database, numberColumn, type Sql, textColumn } from '../../storage/database.js'
import { foldForSearch } from '../../text/normalize-text.js'
import { createTurns } from './slices.js'
import { countCharacters } from './task-counts.js'
import { addToIndex, type IndexedText, isIndexable } from './text-index.js'

const START_DELAY_MS = 2000
/** Of texts in one transaction. */
const BATCH_BYTES = 64 * 1024
const BATCH_TASKS = 500
const SCOPES_PER_READ = 500

export interface TaskIndexMaintenance {
  /** Waits for the end of the transaction that is running. */
  close(): Promise<void>
}

/** Starts in the background, and does not keep the process alive. */
export function maintainTaskIndex(database: Database): TaskIndexMaintenance {
  const closing = new AbortController()
  let running = Promise.resolve()
  const timer = setTimeout(() => {
    running = maintain(database, closing.signal)
  }, START_DELAY_MS).unref()
  return {
    close() {
      closing.abort()
      clearTimeout(timer)
      return running
    },
  }
}

/** Without the index searches are slower, so failures are left to the next start. */
async function maintain(database: Database, signal: AbortSignal): Promise<void> {
  try {
    await indexTasks(database, signal)
    if (!signal.aborted) await database.textIndex?.create(signal)
  } catch (error) {
    if (!(error instanceof Failure) && !signal.aborted) throw error
  }
}

export async function indexTasks(database: Database, signal?: AbortSignal): Promise<void> {
  let last = 0
  for (;;) {
    if (signal?.aborted) return
    const rows = await database.read((sql) => sql.all(SELECT_SCOPES, last, SCOPES_PER_READ))
    for (const row of rows) {
      last = numberColumn(row, 'id')
      if (row.pending === 1) await indexScope(database, last, signal)
    }
    if (rows.length < SCOPES_PER_READ) return
  }
}

const SELECT_SCOPES = `SELECT id, CASE WHEN indexed_from = 1 THEN 0 ELSE 1 END AS pending FROM scopes
  WHERE id > ? ORDER BY id LIMIT ?`

async function indexScope(database: Database, scope: number, signal?: AbortSignal): Promise<void> {
  for (;;) {
    if (signal?.aborted) return
    const startedAt = performance.now()
    const isComplete = await database.write(`index ${scope}`, async (sql) => {
      return { value: await indexBatch(sql, scope), commit: true }
    })
    if (isComplete) return
    // As long as the batch took, so that others get to write too. A command without other work stays alive for it.
    const options = signal ? { ref: false, signal } : {}
    await sleep(performance.now() - startedAt, undefined, options).catch(() => {})
  }
}

/** Whether the scope is complete. */
async function indexBatch(sql: Sql, scope: number): Promise<boolean> {
  // The update locks the row, as every writer of the scope does.
  const [row] = await sql.run(
    `UPDATE scopes SET indexed_from = coalesce(indexed_from, next_task) WHERE id = ?
     RETURNING indexed_from, next_task, next_step`,
    scope,
  )
  if (!row) return true
  const ids = { scope, nextTask: numberColumn(row, 'next_task'), nextStep: numberColumn(row, 'next_step') }
  const before = numberColumn(row, 'indexed_from')
  const tasks = await selectBatch(sql, scope, before)
  const [names, steps] = await foldTexts(sql, scope, tasks)
  if (isIndexable(ids)) await addToIndex(sql, scope, { names, steps })
  const characters = [...names, ...steps].reduce((sum, { text }) => sum + countCharacters(text), 0)
  const indexedFrom = tasks[0]?.id ?? 1
  await sql.run(
    'UPDATE scopes SET indexed_from = ?, characters = characters + ? WHERE id = ?',
    indexedFrom,
    characters,
    scope,
  )
  return indexedFrom === 1
}

interface TaskName {
  readonly id: number
  readonly name: string
}

/** The newest tasks below an id, sorted by id. */
async function selectBatch(sql: Sql, scope: number, before: number): Promise<readonly TaskName[]> {
  const rows = await sql.all(
    `SELECT id, name, octet_length(search) AS bytes FROM tasks WHERE scope = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    scope,
    before,
    BATCH_TASKS,
  )
  let bytes = 0
  const end = rows.findIndex((row) => (bytes += numberColumn(row, 'bytes')) > BATCH_BYTES)
  const batch = rows.slice(0, end === -1 ? rows.length : end + 1)
  return batch.map((row) => ({ id: numberColumn(row, 'id'), name: textColumn(row, 'name') })).toReversed()
}

const STEPS_PER_READ = 500

/** Stores the folded text of each name and step in its row. Returns both, sorted by id. */
async function foldTexts(
  sql: Sql,
  scope: number,
  tasks: readonly TaskName[],
): Promise<readonly [names: readonly IndexedText[], steps: readonly IndexedText[]]> {
  const turns = createTurns()
  const names: IndexedText[] = []
  const steps: IndexedText[] = []
  for (const { id, name } of tasks) {
    const text = foldForSearch(name)
    names.push({ id, text })
    await sql.run('UPDATE tasks SET search = ? WHERE scope = ? AND id = ?', text, scope, id)
    for await (const step of foldSteps(sql, scope, id)) {
      steps.push(step)
      await turns.yieldIfDue()
    }
    await turns.yieldIfDue()
  }
  return [names, steps.sort((one, other) => one.id - other.id)]
}

async function* foldSteps(sql: Sql, scope: number, task: number): AsyncGenerator<IndexedText> {
  for (let last = -1; ;) {
    const rows = await sql.all(
      'SELECT id, text FROM steps WHERE scope = ? AND task = ? AND id > ? ORDER BY id LIMIT ?',
      scope,
      task,
      last,
      STEPS_PER_READ,
    )
    for (const row of rows) {
      const [id, text] = [numberColumn(row, 'id'), foldForSearch(textColumn(row, 'text'))]
      await sql.run('UPDATE steps SET search = ? WHERE scope = ? AND id = ?', text, scope, id)
      yield { id, text }
      last = id
    }
    if (rows.length < STEPS_PER_READ) return
  }
}
