// The order of tasks that a person has set. The first move of a scope gives each of its tasks a place, which is its id; a
// move exchanges the places of the open tasks in between. So places are unique, completed tasks keep theirs, and a new task,
// whose place is its id, comes first. Used by task-table. Writes the database in the transaction of its caller.

import { numberColumn, requireRow, type Sql } from '../../storage/database.js'
import { createSlices } from './slices.js'
import { addToCounts, NOTHING_COUNTED } from './task-counts.js'

/** Gives an open task the place of another open one; those in between move by one place. */
export async function moveTask(sql: Sql, scope: number, id: number, to: number): Promise<void> {
  if (id === to) return
  if (!(await hasPlaces(sql, scope))) await assignPlaces(sql, scope)
  const [from, target] = [await readPlace(sql, scope, id), await readPlace(sql, scope, to)]
  const neighbour = from < target ? 'lag' : 'lead'
  const range = [Math.min(from, target), Math.max(from, target)]
  await sql.run(
    `UPDATE tasks SET place = moved.place FROM (
       SELECT id, coalesce(${neighbour}(place) OVER (ORDER BY place), ?) AS place FROM tasks
       WHERE scope = ? AND completed_at IS NULL AND place >= ? AND place <= ?) AS moved
     WHERE tasks.scope = ? AND tasks.id = moved.id AND tasks.place >= ? AND tasks.place <= ?`,
    target,
    scope,
    ...range,
    scope,
    // Without these SQLite reads all tasks of the scope.
    ...range,
  )
  await addToCounts(sql, scope, NOTHING_COUNTED)
}

/** Whether a person has moved a task of the scope. */
export async function hasPlaces(sql: Sql, scope: number): Promise<boolean> {
  const [row] = await sql.all('SELECT has_places FROM scopes WHERE id = ?', scope)
  return row !== undefined && numberColumn(row, 'has_places') === 1
}

const FIRST_SLICE = 4096

async function assignPlaces(sql: Sql, scope: number): Promise<void> {
  const slices = createSlices(FIRST_SLICE)
  for (let from = 0; ;) {
    const [row] = await sql.all('SELECT min(id) AS id FROM tasks WHERE scope = ? AND id >= ?', scope, from)
    if (!row || row.id === null) break
    const first = numberColumn(row, 'id')
    from = first + slices.size
    await sql.run('UPDATE tasks SET place = id WHERE scope = ? AND id >= ? AND id < ?', scope, first, from)
    await slices.next()
  }
  await sql.run('UPDATE scopes SET has_places = 1 WHERE id = ?', scope)
}

async function readPlace(sql: Sql, scope: number, id: number): Promise<number> {
  return numberColumn(
    requireRow(await sql.all('SELECT place FROM tasks WHERE scope = ? AND id = ?', scope, id)),
    'place',
  )
}
