// Growth of tasks: searches in 100,000 tasks and in 500 MB of them, what an upgraded database does meanwhile, and steps
// added to one task. Plants rows with SQL, in the form of the build that is measured.

import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { connectDatabase } from '../../scripts/fleet/database-client.mjs'
import { missingPostgres, openPostgres } from '../../scripts/soak/postgres.mjs'
import { createPlace, loadSqlite, measureBlocking, medianOf, startServer } from './server.mjs'

const SYLLABLES = [
  'ba',
  'co',
  'den',
  'fer',
  'gor',
  'hil',
  'jan',
  'ket',
  'lom',
  'mis',
  'nor',
  'per',
  'qua',
  'ras',
  'sil',
  'tor',
  'ver',
  'wen',
  'yar',
  'zim',
]
const RARE = 'xylophone'
/** In each of the planted texts. */
const COMMON = 'release'

/** Words of 2 to 4 syllables, the first ones more often. */
function createTexts() {
  let seed = 7
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const pick = (list, weight = 1) => list[Math.floor(random() ** weight * list.length)]
  const words = Array.from({ length: 5000 }, () =>
    Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(SYLLABLES)).join(''),
  )
  return (length) => {
    let text = COMMON
    while (text.length < length) text += ` ${pick(words, 2)}`
    return text.slice(0, length)
  }
}

async function call(server, action, args = {}) {
  return server.call('TaskManager', { action, query: '', ...args })
}

/** A place whose database has one scope and one task, with a connection to it. */
async function openPlace() {
  const place = createPlace()
  const server = await startServer(place)
  await call(server, 'create', { text: 'first' })
  await server.stop()
  const file = join(place.state, 'state.db')
  const database = new (loadSqlite().DatabaseSync)(file)
  database.exec('PRAGMA synchronous = OFF')
  const isIndexed = database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'task_index'`).all().length > 0
  return { place, file, database, isIndexed }
}

/** Tasks as the version before the index stored them: all texts of a task in its row. */
function plantOldTasks({ database, isIndexed }, { tasks, steps, length }) {
  const text = createTexts()
  const task = database.prepare(
    'INSERT INTO tasks (scope, id, created_at, steps, name, search) VALUES (1, ?, 1, ?, ?, ?)',
  )
  const step = database.prepare('INSERT INTO steps (scope, id, task, created_at, text) VALUES (1, ?, ?, 1, ?)')
  database.exec('BEGIN')
  for (let id = 2; id <= tasks; id += 1) {
    const name = `${text(40)} ${id}${id % 20_000 === 7 ? ` ${RARE}` : ''}`
    const texts = Array.from({ length: steps }, () => text(length))
    task.all(id, steps, name, [name, ...texts].join('\n'))
    texts.forEach((each, index) => step.all(id * steps + index, id, each))
  }
  database.exec(`UPDATE scopes SET next_task = ${tasks + 1}, next_step = ${(tasks + 1) * steps}, tasks = ${tasks},
    open_tasks = ${tasks}, open_steps = ${tasks * steps}`)
  if (isIndexed) database.exec('UPDATE scopes SET indexed_from = NULL, characters = 0')
  database.exec('COMMIT')
}

/** The same in the present form, with the index. */
function convertTasks({ database }) {
  database.exec(`BEGIN; UPDATE tasks SET search = name; UPDATE steps SET search = text; COMMIT`)
  const range = (from, to) => `id >= ${from} AND id < ${to}`
  for (const [table, column, kind] of [
    ['tasks', 'search', 0],
    ['steps', 'search', 1],
  ]) {
    const [{ last }] = database.prepare(`SELECT max(id) AS last FROM ${table}`).all()
    for (let from = 0; from <= last; from += 20_000)
      database.exec(`INSERT INTO task_index (rowid, text) SELECT (scope << 33) | (${kind} << 32) | id, ${column}
        FROM ${table} WHERE ${range(from, from + 20_000)} ORDER BY id; INSERT INTO task_index (task_index, rank) VALUES ('merge', 8000)`)
  }
  database.exec(`UPDATE scopes SET indexed_from = 1, characters = (SELECT sum(length(search)) FROM steps)`)
}

async function measureSearches(server, size) {
  const rows = []
  for (const [what, query] of [
    ['a rare word', RARE],
    ['a rare word and a common one', `${RARE} ${COMMON}`],
    ['a word in every task', COMMON],
    ['two characters', 'xy'],
  ]) {
    await call(server, 'list', { query })
    const { blockedMs, blockedCpuMs } = await measureBlocking(server, () => call(server, 'list', { query }))
    const ms = await medianOf(7, () => call(server, 'list', { query }))
    rows.push({ what: `search for ${what}`, size, ms, blockedMs, blockedCpuMs })
  }
  return rows
}

export async function measureTaskSearch() {
  const rows = []
  for (const tasks of [1000, 100_000]) {
    const opened = await openPlace()
    plantOldTasks(opened, { tasks, steps: 1, length: 60 })
    const size = `${tasks.toLocaleString('en')} tasks`
    const server = await startServer(opened.place)
    if (opened.isIndexed) rows.push(...(await measureUpgrade(server, opened, size)))
    rows.push(...(await measureSearches(server, size)))
    await server.stop()
    opened.database.close()
    opened.place.remove()
  }
  return rows
}

/** The same in PostgreSQL with its index. */
export async function measurePostgresSearch() {
  if (missingPostgres() !== '') return [{ what: missingPostgres(), size: '' }]
  const rows = []
  const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'))
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o711)
  const postgres = await openPostgres(folder)
  const place = createPlace()
  const env = { DATABASE_URL: postgres.url }
  const query = (text, values) => connectDatabase(postgres.url).query(text, values)
  let server = await startServer(place, { env })
  await call(server, 'create', { text: 'first' })
  await server.stop()
  for (const tasks of [1000, 100_000]) {
    await plantPostgresTasks(query, tasks)
    server = await startServer(place, { env })
    await call(server, 'list')
    const count = `SELECT count(*) AS n FROM pg_indexes WHERE indexname IN ('tasks_search', 'steps_search')`
    while (Number((await query(count))[0].n) < 2) await sleep(200)
    await query('ANALYZE')
    rows.push(...(await measureSearches(server, `${tasks.toLocaleString('en')} tasks, PostgreSQL`)))
    await server.stop()
  }
  place.remove()
  await postgres.close()
  rmSync(folder, { recursive: true, force: true })
  return rows
}

async function plantPostgresTasks(query, tasks) {
  const text = createTexts()
  await query('DELETE FROM scorpiox.steps; DELETE FROM scorpiox.tasks')
  for (let first = 1; first <= tasks; first += 5000) {
    const ids = Array.from({ length: Math.min(5000, tasks + 1 - first) }, (_, index) => first + index)
    const names = ids.map((id) => `${text(40)} ${id}${id % 20_000 === 7 ? ` ${RARE}` : ''}`)
    await query(
      `INSERT INTO scorpiox.tasks (scope, id, created_at, steps, name, search)
       SELECT 1, id, 1, 1, name, name FROM unnest($1::bigint[], $2::text[]) AS t (id, name)`,
      [ids, names],
    )
    await query(
      `INSERT INTO scorpiox.steps (scope, id, task, created_at, text, search)
       SELECT 1, id, id, 1, text, text FROM unnest($1::bigint[], $2::text[]) AS t (id, text)`,
      [ids, ids.map(() => text(60))],
    )
  }
  await query(`UPDATE scorpiox.scopes SET next_task = ${tasks + 1}, next_step = ${tasks + 1}, tasks = ${tasks},
    open_tasks = ${tasks}, open_steps = ${tasks}, indexed_from = 1`)
}

/** Searches while the tasks are brought to the present form, until that is done. */
async function measureUpgrade(server, { database }, size) {
  const started = performance.now()
  let longest = 0
  const pending = () => database.prepare('SELECT count(*) AS n FROM scopes WHERE indexed_from IS NOT 1').all()[0].n > 0
  await call(server, 'list')
  while (pending()) {
    const { blockedMs } = await measureBlocking(server, () => call(server, 'list', { query: RARE }))
    longest = Math.max(longest, blockedMs)
    await sleep(200)
  }
  return [{ what: 'upgrade, with searches meanwhile', size, ms: performance.now() - started, blockedMs: longest }]
}

export async function measureLargeTasks() {
  const rows = []
  for (const megabytes of [5, 500]) {
    const opened = await openPlace()
    plantOldTasks(opened, { tasks: megabytes * 40, steps: 25, length: 1000 })
    opened.database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const before = statSync(opened.file).size
    if (opened.isIndexed) convertTasks(opened)
    opened.database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const bytes = opened.isIndexed ? indexBytes(opened.database) : undefined
    opened.database.close()
    const size = `${megabytes} MB of texts`
    const server = await startServer(opened.place)
    rows.push(...(await measureSearches(server, size)))
    await server.stop()
    rows.push(
      { what: 'file', size, bytes: statSync(opened.file).size },
      { what: 'file without the index', size, bytes: before },
    )
    if (bytes !== undefined) rows.push({ what: 'index', size, bytes })
    opened.place.remove()
  }
  return rows
}

function indexBytes(database) {
  return database.prepare('SELECT sum(length(block)) AS bytes FROM task_index_data').all()[0].bytes
}

/** Time of additions to one task, and of new tasks, as the task gets longer. */
export async function measureSteps() {
  const place = createPlace()
  const server = await startServer(place)
  const text = createTexts()
  await call(server, 'create', { text: 'a long one' })
  const rows = []
  const add = () => call(server, 'add', { text: text(60) })
  for (let steps = 0; steps < 10_000; steps += 1) {
    if (steps % 5000 === 100 || steps === 9900) {
      const { blockedMs } = await measureBlocking(server, async () => {
        for (let round = 0; round < 20; round += 1) await add()
      })
      rows.push({ what: 'add a step', size: `${steps} steps`, ms: await medianOf(50, add), blockedMs })
    }
    await add()
  }
  const started = performance.now()
  for (let round = 0; round < 500; round += 1) await call(server, 'create', { text: text(60) })
  rows.push({ what: 'create a task', size: '10,000 steps', ms: (performance.now() - started) / 500 })
  await server.stop()
  place.remove()
  return rows
}
