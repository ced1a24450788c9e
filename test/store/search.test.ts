// Searches for tasks on both databases against a plain implementation, with texts and words of every kind; and a database
// of the version before the index, which is searched while its tasks are being indexed.

import { join } from 'node:path'

import fc from 'fast-check'
import { afterAll, afterEach, describe, expect, test } from 'vitest'

import { exportState, importState } from '@scorpiox/app/cli/state/transfer'
import { indexTasks } from '@scorpiox/server/features/tasks/index-tasks'
import type { TaskFilter } from '@scorpiox/server/features/tasks/task-table'
import { openStateDatabase, type StateDatabase } from '@scorpiox/server/state'
import { type Database, numberColumn, requireRow } from '@scorpiox/server/storage/database'
import { type DatabaseLocation, openDatabase } from '@scorpiox/server/storage/open-database'
import { foldForSearch, toStorableText } from '@scorpiox/server/text/normalize-text'
import { emptyFolder } from '../support/client.js'
import { requires } from '../support/requirements.js'
import { describeEachDatabase, postgresRequirement, startPostgres } from './postgres-server.js'

const SCOPE = { project: '/srv/project', user: 'ann' }
const OTHER = { project: '/srv/project', user: 'bob' }

const server = await startPostgres()
afterAll(() => server?.stop('immediate'))

const PARTS = [
  'ab',
  'abc',
  'bca',
  'Über',
  'SS',
  'ß',
  'ΟΔΟΣ',
  '한국어',
  '数据库',
  '🦂',
  'e\u0301',
  '%',
  '_',
  '\\',
  '"',
  "'",
]
const SEPARATORS = ['', '', ' ', '\n', '-', '\uFFFD', '\uFFFE', '\0', '\ud800', ' AND ', '*', 'NEAR(']
const part = fc.constantFrom(...PARTS, ...SEPARATORS)
const text = fc.array(part, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''))

interface PlannedTask {
  readonly name: string
  readonly steps: readonly string[]
}

const plannedTask: fc.Arbitrary<PlannedTask> = fc.record({ name: text, steps: fc.array(text, { maxLength: 4 }) })

/** Parts of the texts, of 1, 2, 3 and many characters, and others. */
function termsOf(tasks: readonly PlannedTask[]): fc.Arbitrary<string> {
  const texts = tasks.flatMap(({ name, steps }) => [name, ...steps])
  const cut = fc
    .tuple(fc.constantFrom(...texts), fc.nat({ max: 40 }), fc.constantFrom(1, 2, 3, 4, 9, 40))
    .map(([from, at, length]) =>
      Array.from(from)
        .slice(at % from.length, (at % from.length) + length)
        .join(''),
    )
  return fc.oneof({ weight: 4, arbitrary: cut }, { weight: 1, arbitrary: text })
}

function findPlainly(tasks: readonly PlannedTask[], terms: readonly string[]): readonly number[] {
  const fold = (value: string): string => foldForSearch(toStorableText(value))
  const matches = ({ name, steps }: PlannedTask): boolean =>
    terms.every((term) => [name, ...steps].some((each) => fold(each).includes(fold(term))))
  return tasks.flatMap((task, index) => (matches(task) ? [index + 1] : [])).toReversed()
}

const search = (state: StateDatabase, filter: TaskFilter, scope = SCOPE) =>
  state.read(scope, async ({ tasks }) => ({
    ids: (await tasks.list(filter, 1000)).map(({ id }) => id),
    newest: (await tasks.list(filter, 2)).map(({ id }) => id),
    found: (await tasks.search(filter, 2, 1000)).found,
    foundFew: (await tasks.search(filter, 1, 3)).found,
  }))

async function insert(state: StateDatabase, tasks: readonly PlannedTask[], scope = SCOPE): Promise<void> {
  await state.write(scope, async (rows) => {
    for (const { name, steps } of tasks) {
      const { id } = await rows.tasks.insert(name, 1)
      await rows.tasks.insertSteps(
        id,
        steps.map((each) => ({ text: each, completedAt: null })),
        1,
      )
    }
  })
}

describeEachDatabase(server, (kind) => {
  const opened: { close(): Promise<void> }[] = []
  const newLocation = async (): Promise<DatabaseLocation> =>
    kind === 'SQLite' || !server
      ? { file: join(emptyFolder(), 'state.db'), databaseUrl: '' }
      : { file: '', databaseUrl: await server.database() }
  const open = async (location: DatabaseLocation): Promise<{ state: StateDatabase; database: Database }> => {
    const [state, database] = [await openStateDatabase(location), await openDatabase(location)]
    opened.push(state, database)
    return { state, database }
  }
  const countCharacters = (database: Database) =>
    database.read(async (sql) => {
      const rows = await sql.all('SELECT characters FROM scopes ORDER BY id LIMIT 1')
      return numberColumn(requireRow(rows), 'characters')
    })

  afterEach(async () => void (await Promise.all(opened.splice(0).map((each) => each.close()))))

  for (const numRuns of [25, 400])
    test(`finds what a plain search finds, ${numRuns} runs`, { tags: numRuns > 25 ? ['long'] : [] }, async () => {
      const { state, database } = await open(await newLocation())
      if (kind === 'PostgreSQL') await database.textIndex?.create(new AbortController().signal)
      let round = 0
      const scenario = fc
        .array(plannedTask, { minLength: 1, maxLength: 8 })
        .chain((tasks) =>
          fc.tuple(fc.constant(tasks), fc.array(fc.array(termsOf(tasks), { maxLength: 3 }), { maxLength: 6 })),
        )
      await fc.assert(
        fc.asyncProperty(scenario, async ([tasks, queries]) => {
          const scope = { ...SCOPE, project: `/srv/round-${++round}` }
          await insert(state, tasks, scope)
          for (const terms of queries) {
            const expected = findPlainly(tasks, terms)
            const result = await search(state, { terms }, scope)
            const { length } = expected
            expect(result).toEqual({
              ids: expected,
              newest: expected.slice(0, 2),
              found: length,
              foundFew: Math.min(length, 3),
            })
          }
        }),
        { numRuns },
      )
    })

  test('tasks of an older version are found before, while and after they are indexed, and counted', async () => {
    const location = await newLocation()
    const { state, database } = await open(location)
    const old = Array.from({ length: 700 }, (_, index) => {
      return {
        name: `Änderung ${index + 1}`,
        steps: [`erste Straße ${index}`, `zweite ${index % 7 ? 'x' : 'wildcard'}`],
      }
    })
    await insert(state, old)
    await insert(state, [{ name: 'wildcard of another user', steps: [] }], OTHER)
    const characters = await countCharacters(database)
    await makeOld(database)
    const queries = [['strasse 4'], ['wildcard', 'anderung 3'], ['we'], ['Änderung'], ['nowhere at all']]
    const checkAll = async (): Promise<void> => {
      for (const terms of queries) {
        const expected = findPlainly(old, terms)
        expect(await search(state, { terms })).toMatchObject({ ids: expected, found: expected.length })
      }
    }
    await checkAll()
    // On a busy machine `state` may index some or all tasks before; the answers must be the same.
    let writes = 0
    const interruption = new AbortController()
    const interruptedAfterOne: Database = {
      ...database,
      write: (key, work) => {
        writes += 1
        return database.write(key, work).finally(() => interruption.abort())
      },
    }
    await indexTasks(interruptedAfterOne, interruption.signal)
    expect(writes).toBeLessThanOrEqual(1)
    await checkAll()
    old.push({ name: 'added meanwhile: Straße 4', steps: ['wildcard'] })
    await insert(state, old.slice(-1))
    await state.write(SCOPE, ({ tasks }) =>
      tasks.insertSteps(1, [{ text: 'late step: strasse 4', completedAt: null }], 1),
    )
    old[0] = { name: old[0]!.name, steps: [...old[0]!.steps, 'late step: strasse 4'] }
    await checkAll()
    await Promise.all([indexTasks(database), indexTasks(database)])
    expect(await readIndexedFrom(database)).toBe(1)
    await checkAll()
    const added = ['added meanwhile: strasse 4', 'wildcard', 'late step: strasse 4'].join('').length
    expect(await countCharacters(database)).toBe(characters + added)
    expect((await search(state, { terms: ['wildcard'] }, OTHER)).ids).toEqual([1])
  })

  test('ids beyond the index are searched without it', async () => {
    const { state, database } = await open(await newLocation())
    await insert(state, [{ name: 'before', steps: ['needle one'] }])
    await database.write('ids', async (sql) => {
      await sql.run('UPDATE scopes SET next_task = 9000000000000000, next_step = 9000000000000000')
      return { value: undefined, commit: true }
    })
    await insert(state, [{ name: 'after', steps: ['needle two'] }])
    expect((await search(state, { terms: ['needle'] })).ids).toEqual([9_000_000_000_000_000, 1])
  })
})

const readIndexedFrom = (database: Database) =>
  database.read(async (sql) => {
    const [row] = await sql.all('SELECT indexed_from FROM scopes ORDER BY id LIMIT 1')
    return row?.indexed_from ?? null
  })

/** Writes the rows as the version before the index did: the texts of the steps in the row of their task. */
async function makeOld(database: Database): Promise<void> {
  await database.write('old', async (sql) => {
    const list = sql.engine === 'sqlite' ? `group_concat(search, char(10))` : `string_agg(search, chr(10))`
    await sql.run(`UPDATE tasks SET search = coalesce(search || ${sql.engine === 'sqlite' ? 'char(10)' : 'chr(10)'} || (
      SELECT ${list} FROM steps WHERE steps.scope = tasks.scope AND task = tasks.id), search)`)
    await sql.run('UPDATE steps SET search = NULL')
    await sql.run('UPDATE scopes SET indexed_from = NULL, characters = 0')
    if (sql.engine === 'sqlite') await sql.run('DELETE FROM task_index')
    return { value: undefined, commit: true }
  })
}

test('the index of a SQLite file has no entries of deleted tasks, and those of imported ones', async () => {
  const location = { file: join(emptyFolder(), 'state.db'), databaseUrl: '' }
  const [state, database] = [await openStateDatabase(location), await openDatabase(location)]
  const countEntries = () =>
    database.read(async (sql) => {
      const rows = await sql.all(`SELECT count(*) AS entries FROM task_index WHERE task_index MATCH '"nee"'`)
      return numberColumn(requireRow(rows), 'entries')
    })
  await insert(state, [
    { name: 'one needle', steps: ['two needles', 'three needles'] },
    { name: 'four needles', steps: ['five needles'] },
  ])
  expect(await countEntries()).toBe(5)
  const exported = await exportState(database)
  await database.write('limit', async (sql) => {
    await sql.run('UPDATE scopes SET characters = characters + 16000000 - 60')
    return { value: undefined, commit: true }
  })
  await state.write(SCOPE, ({ tasks }) => tasks.complete(1, 1))
  await insert(state, [{ name: 'six needles', steps: [] }])
  expect((await search(state, { terms: ['needle'] })).ids).toEqual([3, 2])
  expect(await countEntries()).toBe(3)
  await importState(database, exported, true)
  expect((await search(state, { terms: ['needle'] })).ids).toEqual([2, 1])
  expect(await countEntries()).toBe(5)
  expect(await readIndexedFrom(database)).toBe(1)
  await Promise.all([state.close(), database.close()])
})

describe('the index of PostgreSQL', requires(postgresRequirement(server)), () => {
  const { signal } = new AbortController()
  const indexes = (address: string) =>
    server?.sql(
      `SELECT relname AS name, indisvalid AS valid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
       WHERE relname IN ('tasks_search', 'steps_search') ORDER BY 1`,
      address,
    )
  const BOTH = [
    { name: 'steps_search', valid: true },
    { name: 'tasks_search', valid: true },
  ]

  test('is created once by several processes, and again if an attempt was interrupted', async () => {
    const address = (await server?.database()) ?? ''
    const opened = await Promise.all([1, 2, 3].map(() => openDatabase({ file: '', databaseUrl: address })))
    await Promise.all(opened.map(async ({ textIndex }) => textIndex?.create(signal)))
    expect(await indexes(address)).toEqual(BOTH)
    await server?.sql(
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'scorpiox.tasks_search'::regclass`,
      address,
    )
    expect(await opened[0]?.textIndex?.findProblem()).toContain('the index does not exist yet')
    await opened[0]?.textIndex?.create(signal)
    expect(await indexes(address)).toEqual(BOTH)
    expect(await opened[0]?.textIndex?.findProblem()).toBeUndefined()
    await Promise.all(opened.map((each) => each.close()))
  })

  test('without the right to create the extension searches work, and the problem is reported', async () => {
    const address = (await server?.database()) ?? ''
    const name = address.split('/').at(-1)
    await server?.sql(`CREATE ROLE plain LOGIN; REVOKE CREATE ON DATABASE ${name} FROM PUBLIC`)
    await server?.sql('CREATE SCHEMA scorpiox AUTHORIZATION plain', address)
    const location = { file: '', databaseUrl: address.replace('postgres:not', 'plain:not') }
    const [state, database] = [await openStateDatabase(location), await openDatabase(location)]
    await insert(state, [{ name: 'one', steps: ['a needle'] }])
    await database.textIndex?.create(signal)
    expect(await indexes(address)).toEqual([])
    expect(await database.textIndex?.findProblem()).toMatch(/read every task.*run CREATE EXTENSION pg_trgm/)
    expect((await search(state, { terms: ['needle'] })).ids).toEqual([1])
    await server?.sql('CREATE EXTENSION pg_trgm', address)
    await database.textIndex?.create(signal)
    expect(await indexes(address)).toEqual(BOTH)
    expect(await database.textIndex?.findProblem()).toBeUndefined()
    expect((await search(state, { terms: ['needle'] })).ids).toEqual([1])
    await Promise.all([state.close(), database.close()])
  })
})
