// Changes of rows that only a person makes: other texts, deleted steps, and tasks and steps that are open again. Keeps the
// counters, the folded texts and the index as they have to be. Used by task-table. Writes the database in the transaction
// of its caller.

import {
  nullableNumberColumn,
  nullableTextColumn,
  numberColumn,
  requireRow,
  type Sql,
  textColumn,
} from '../../storage/database.js'
import { foldForSearch } from '../../text/normalize-text.js'
import { addToCounts, countCharacters, NOTHING_COUNTED } from './task-counts.js'
import { enforceTaskLimits } from './task-limits.js'
import { addToIndex, type IndexedKind, MAX_INDEXED_ID, removeTextFromIndex } from './text-index.js'

export async function renameTask(sql: Sql, scope: number, id: number, name: string): Promise<void> {
  const [before] = await sql.all('SELECT search FROM tasks WHERE scope = ? AND id = ?', scope, id)
  if (!before) return
  const text = foldForSearch(name)
  await sql.run('UPDATE tasks SET name = ?, search = ? WHERE scope = ? AND id = ?', name, text, scope, id)
  await addToCounts(sql, scope, NOTHING_COUNTED)
  await replaceText(sql, scope, { task: id, kind: 'name', id, before: textColumn(before, 'search'), after: text })
}

export async function rewriteStep(sql: Sql, scope: number, id: number, text: string): Promise<void> {
  const [before] = await sql.all('SELECT task, search FROM steps WHERE scope = ? AND id = ?', scope, id)
  if (!before) return
  const [task, old] = [numberColumn(before, 'task'), nullableTextColumn(before, 'search') ?? '']
  const after = foldForSearch(text)
  await sql.run('UPDATE steps SET text = ?, search = ? WHERE scope = ? AND id = ?', text, after, scope, id)
  await addToCounts(sql, scope, NOTHING_COUNTED)
  await replaceText(sql, scope, { task, kind: 'step', id, before: old, after })
}

export async function deleteStep(sql: Sql, scope: number, id: number): Promise<void> {
  const [row] = await sql.run(
    'DELETE FROM steps WHERE scope = ? AND id = ? RETURNING task, completed_at, search',
    scope,
    id,
  )
  if (!row) return
  const task = numberColumn(row, 'task')
  const isStepOpen = nullableNumberColumn(row, 'completed_at') === null
  const updated = await sql.run(
    'UPDATE tasks SET steps = steps - 1, steps_done = steps_done - ? WHERE scope = ? AND id = ? RETURNING completed_at',
    isStepOpen ? 0 : 1,
    scope,
    task,
  )
  const isTaskOpen = nullableNumberColumn(requireRow(updated), 'completed_at') === null
  await addToCounts(sql, scope, { tasks: 0, open: 0, openSteps: isTaskOpen && isStepOpen ? -1 : 0 })
  await replaceText(sql, scope, { task, kind: 'step', id, before: nullableTextColumn(row, 'search') ?? '', after: '' })
}

export async function reopenTask(sql: Sql, scope: number, id: number): Promise<void> {
  const [row] = await sql.run(
    `UPDATE tasks SET completed_at = NULL WHERE scope = ? AND id = ? AND completed_at IS NOT NULL
     RETURNING steps - steps_done AS undone`,
    scope,
    id,
  )
  if (row) await addToCounts(sql, scope, { tasks: 0, open: 1, openSteps: numberColumn(row, 'undone') })
}

export async function reopenStep(sql: Sql, scope: number, id: number): Promise<void> {
  const [row] = await sql.run(
    'UPDATE steps SET completed_at = NULL WHERE scope = ? AND id = ? AND completed_at IS NOT NULL RETURNING task',
    scope,
    id,
  )
  if (!row) return
  const updated = await sql.run(
    'UPDATE tasks SET steps_done = steps_done - 1 WHERE scope = ? AND id = ? RETURNING completed_at',
    scope,
    numberColumn(row, 'task'),
  )
  const isTaskOpen = nullableNumberColumn(requireRow(updated), 'completed_at') === null
  await addToCounts(sql, scope, { tasks: 0, open: 0, openSteps: isTaskOpen ? 1 : 0 })
}

interface ReplacedText {
  readonly task: number
  readonly kind: IndexedKind
  /** Of the task or the step. */
  readonly id: number
  /** Folded, as they are stored. */
  readonly before: string
  /** Empty: the text was deleted. */
  readonly after: string
}

/** Counts the characters, enforces the limits, and writes the text into the index in place of the one before. */
async function replaceText(sql: Sql, scope: number, { task, kind, id, before, after }: ReplacedText): Promise<void> {
  const isCounted = await sql.run(
    'UPDATE scopes SET characters = characters + ? WHERE id = ? AND indexed_from <= ? RETURNING tasks, characters',
    countCharacters(after) - countCharacters(before),
    scope,
    task,
  )
  const [row] = isCounted
  if (!row) return foldUnindexedTask(sql, scope, task)
  await enforceTaskLimits(sql, scope, {
    tasks: numberColumn(row, 'tasks'),
    characters: numberColumn(row, 'characters'),
  })
  if (id > MAX_INDEXED_ID) return
  await removeTextFromIndex(sql, scope, kind, id)
  const texts = after === '' ? [] : [{ id, text: after }]
  await addToIndex(sql, scope, kind === 'name' ? { names: texts, steps: [] } : { names: [], steps: texts })
}

/** Of a task that index-tasks has not reached, the row contains the folded texts of its steps too. */
async function foldUnindexedTask(sql: Sql, scope: number, task: number): Promise<void> {
  const [row] = await sql.all('SELECT name FROM tasks WHERE scope = ? AND id = ?', scope, task)
  if (!row) return
  const steps = await sql.all('SELECT text FROM steps WHERE scope = ? AND task = ? ORDER BY id', scope, task)
  const texts = [textColumn(row, 'name'), ...steps.map((step) => textColumn(step, 'text'))]
  const search = texts.map(foldForSearch).join('\n')
  await sql.run('UPDATE tasks SET search = ? WHERE scope = ? AND id = ?', search, scope, task)
}
