// Changes that a person makes to tasks on the console, on both databases: what the model sees of them, conflicts, limits,
// counters and the index; several processes at once; export and import of the order.

import { join } from 'node:path'

import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'

import { exportState, importState } from '@scorpiox/app/cli/state/transfer'
import { createChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { editTask, type TaskEdit } from '@scorpiox/server/features/tasks/edit-task'
import { indexTasks } from '@scorpiox/server/features/tasks/index-tasks'
import { listTaskPage } from '@scorpiox/server/features/tasks/list-tasks'
import { formatTaskList, toTaskListResult } from '@scorpiox/server/features/tasks/task-manager-handler'
import { createTaskService, type TaskService } from '@scorpiox/server/features/tasks/task-service'
import { openStateDatabase, type StateDatabase } from '@scorpiox/server/state'
import { type Database, numberColumn, requireRow } from '@scorpiox/server/storage/database'
import { type DatabaseLocation, openDatabase } from '@scorpiox/server/storage/open-database'
import { describeEachDatabase, startPostgres } from '../store/postgres-server.js'
import { emptyFolder } from '../support/client.js'

const SCOPE = { project: '/srv/project', user: 'ann' }

const server = await startPostgres()
afterAll(() => server?.stop('immediate'))

describeEachDatabase(server, (kind) => {
  let location: DatabaseLocation
  let state: StateDatabase
  let model: TaskService
  const opened: { close(): Promise<void> }[] = []

  const newLocation = async (): Promise<DatabaseLocation> =>
    kind === 'SQLite' || !server
      ? { file: join(emptyFolder(), 'state.db'), databaseUrl: '' }
      : { file: '', databaseUrl: await server.database() }
  const open = async (): Promise<StateDatabase> => {
    const another = await openStateDatabase(location)
    opened.push(another)
    return another
  }
  const edit = (wanted: TaskEdit, from = state, scope = SCOPE): Promise<void> =>
    from.write(scope, ({ tasks }) => editTask(tasks, wanted, 1000))
  const names = async (): Promise<string[]> => {
    const { entries } = await model.list('ann', '')
    return entries.map(({ task }) => task.name)
  }
  const textOf = async (action: 'list' | 'pending', query = ''): Promise<string> =>
    formatTaskList(toTaskListResult(action, query, await model[action]('ann', query)))

  beforeEach(async () => {
    location = await newLocation()
    state = await open()
    model = createTaskService({ state, project: SCOPE.project, changeEvents: createChangeEvents() })
  })
  afterEach(async () => {
    await model.close()
    await Promise.all(opened.splice(0).map((each) => each.close()))
  })

  test('a task of a person becomes the current one only if no open task is', async () => {
    await edit({ kind: 'create', name: ' first ', steps: ['a', 'b'] })
    expect((await model.list('ann', '')).current).toBe(1)
    await edit({ kind: 'create', name: 'second', steps: [] })
    expect(await textOf('list')).toBe(
      '2 tasks, 2 open.\n  2  second  (no steps yet)\n* 1  first  (current, 0 of 2 steps done)',
    )
    await model.complete('ann', 1)
    await edit({ kind: 'create', name: 'third', steps: [] })
    expect((await model.list('ann', '')).current).toBe(3)
    await edit({ kind: 'set-current', id: 2 })
    expect((await model.add('ann', ['by the model'])).task.id).toBe(2)
  })

  test('the order of a person is what list and pending show, page by page; a new task comes first', async () => {
    for (let id = 1; id <= 250; id++) await model.create('ann', `task ${id} ${'x'.repeat(80)}`, [])
    await model.complete('ann', 100)
    const order = Array.from({ length: 250 }, (_, index) => 250 - index)
    const moveInOrder = async (id: number, to: number): Promise<void> => {
      await edit({ kind: 'move', id, to })
      const isOpen = (each: number): boolean => each !== 100
      const openOrder = order.filter(isOpen)
      const moved = openOrder.filter((each) => each !== id)
      moved.splice(openOrder.indexOf(to), 0, id)
      for (const [index, each] of order.entries()) if (isOpen(each)) order[index] = moved.shift() ?? 0
    }
    await moveInOrder(1, 250)
    await moveInOrder(249, 3)
    await moveInOrder(120, 60)
    await model.switchTo('ann', 1)
    await model.create('ann', 'new', [])
    order.unshift(251)
    for (const action of ['list', 'pending'] as const) {
      const seen: number[] = []
      for (let query = ''; ;) {
        const text = await textOf(action, query)
        seen.push(...[...text.matchAll(/^[* ] (\d+) {2}/gm)].map(([, id]) => Number(id)))
        const next = /query ("(?:[^"\\]|\\.)*") shows the next/.exec(text)?.[1]
        if (next === undefined) break
        query = JSON.parse(next)
      }
      expect(seen).toEqual(order.filter((id) => action === 'list' || id !== 100))
    }
    const pages: number[] = []
    for (let after: number | null = null; ;) {
      const page = await state.read(SCOPE, ({ tasks }) => listTaskPage(tasks, { text: 'xxx', state: 'open', after }))
      pages.push(...page.tasks.map(({ id }) => id))
      after = page.next
      if (after === null) break
    }
    expect(pages).toEqual(order.filter((id) => id !== 100 && id !== 251))
  })

  test('conflicts are a sentence, and what the other has done is kept', async () => {
    await model.create('ann', 'Shared', ['one', 'two'])
    await model.create('ann', 'Other', [])
    const seen = { name: 'Shared', isDone: false, stepsDone: 0, stepsTotal: 2 }
    await model.completeStep('ann', 1, 1)
    await expect(edit({ kind: 'delete', id: 1, seen })).rejects.toThrow(
      'Task 1 "Shared" has changed meanwhile: it is open, with 1 of 2 steps done. It was not deleted: look at it first.',
    )
    await expect(edit({ kind: 'complete-step', id: 1, step: 1 })).rejects.toThrow('Step 1 "one" is already complete')
    const stale = { kind: 'delete-step', id: 1, step: 1, seen: { text: 'one', isDone: false } } as const
    await expect(edit(stale)).rejects.toThrow('Step 1 "one" has changed meanwhile. It was not deleted')
    await edit({ kind: 'rename', id: 1, name: 'Renamed', before: 'Shared' })
    await expect(edit({ kind: 'rename', id: 1, name: 'Mine', before: 'Shared' })).rejects.toThrow(
      'The text of task 1 was changed to "Renamed" meanwhile.',
    )
    // Sent twice: nothing is lost.
    await edit({ kind: 'rename', id: 1, name: 'Renamed', before: 'Shared' })
    await model.complete('ann', 1)
    await edit({ kind: 'rename', id: 1, name: 'Renamed again', before: 'Renamed' })
    expect(await textOf('list')).toContain('1  Renamed again  (complete)')
    await expect(edit({ kind: 'complete', id: 1 })).rejects.toThrow(/Task 1 .* is already complete, since \d/)
    await expect(edit({ kind: 'move', id: 1, to: 2 })).rejects.toThrow('is complete now. The order was not changed.')
    await expect(edit({ kind: 'add-steps', id: 1, steps: ['x'] })).rejects.toThrow('is already complete')
    await expect(edit({ kind: 'reopen', id: 2 })).rejects.toThrow('Task 2 "Other" is already open')
    await expect(edit({ kind: 'rename-step', id: 2, step: 1, text: 'x', before: 'one' })).rejects.toThrow(
      'Task 2 "Other" has no step 1',
    )
    await edit({ kind: 'delete', id: 2, seen: { name: 'Other', isDone: false, stepsDone: 0, stepsTotal: 0 } })
    await expect(model.complete('ann')).rejects.toThrow('There is no current task')
    await expect(edit({ kind: 'complete', id: 2 })).rejects.toThrow('There is no task 2: it was deleted.')
  })

  test('names and steps have the limits of TaskManager; a refused change changes nothing', async () => {
    await model.create('ann', 'Shared', ['one'])
    const refused: [TaskEdit, RegExp][] = [
      [{ kind: 'create', name: '  ', steps: [] }, /name of the task is missing/],
      [{ kind: 'create', name: 'x', steps: ['a', ' '] }, /text of step 2 in the list is missing/],
      [{ kind: 'create', name: 'x', steps: Array.from({ length: 101 }, () => 'x') }, /at most 100/],
      [{ kind: 'rename', id: 1, name: 'x'.repeat(501), before: 'Shared' }, /501 characters; at most 500/],
      [{ kind: 'rename-step', id: 1, step: 1, text: 'x'.repeat(2001), before: 'one' }, /2001 characters; at most 2000/],
    ]
    for (const [wanted, message] of refused) await expect(edit(wanted)).rejects.toThrow(message)
    expect(await names()).toEqual(['Shared'])
  })

  test('moves and changes of three connections at once keep every task once, and the counters are right', async () => {
    for (let id = 1; id <= 12; id++) await model.create('ann', `task ${id}`, ['a', 'b'])
    const others = [state, await open(), await open()]
    const random = fc.sample(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 })), 60)
    await Promise.all(
      random.map(async ([id, to], index) => {
        const from = others[index % others.length]
        await edit({ kind: 'move', id, to }, from)
        await edit({ kind: 'complete-step', id, step: 2 * id - (index % 2) }, from).catch(() => undefined)
      }),
    )
    const { entries, openSteps } = await model.list('ann', '')
    expect(entries.map(({ task }) => task.id).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, index) => index + 1),
    )
    expect(openSteps).toBe(entries.reduce((sum, { task }) => sum + task.steps - task.stepsDone, 0))
  })

  test('searches find texts as they are now, and characters are counted, indexed or not', async () => {
    await model.create('ann', 'Erste Straße', ['needle in it', 'another needle'])
    await model.create('ann', 'Second', ['needle too'])
    const database = await openDatabase(location)
    opened.push(database)
    const find = async (query: string): Promise<number[]> =>
      (await model.list('ann', query)).entries.map(({ task }) => task.id)
    const exported = await exportState(database)
    const changeTexts = async (): Promise<void> => {
      await edit({ kind: 'rename', id: 1, name: 'Zweite Gasse', before: 'Erste Straße' })
      await edit({ kind: 'rename-step', id: 1, step: 1, text: 'thread in it', before: 'needle in it' })
      await edit({ kind: 'delete-step', id: 1, step: 2, seen: { text: 'another needle', isDone: false } })
      expect(await find('strasse')).toEqual([])
      expect([await find('zweite gasse'), await find('thread'), await find('needle')]).toEqual([[1], [1], [2]])
    }
    await changeTexts()
    expect(await countCharacters(database)).toBe(
      'zweite gasse|thread in it|second|needle too'.replaceAll('|', '').length,
    )
    await importState(database, exported, true)
    await forgetIndex(database)
    await changeTexts()
    await indexTasks(database)
    expect([await find('strasse'), await find('gasse'), await find('thread'), await find('needle')]).toEqual([
      [],
      [1],
      [1],
      [2],
    ])
    expect(await countCharacters(database)).toBe(
      'zweite gasse|thread in it|second|needle too'.replaceAll('|', '').length,
    )
    const seen = { name: 'Zweite Gasse', isDone: false, stepsDone: 0, stepsTotal: 1 }
    await edit({ kind: 'delete', id: 1, seen })
    expect([await find('gasse'), await find('thread')]).toEqual([[], []])
    expect(await countCharacters(database)).toBe('second|needle too'.replaceAll('|', '').length)
  })

  test('the order survives export and import, and documents without it are in the order of the numbers', async () => {
    for (const name of ['one', 'two', 'three']) await model.create('ann', name, [])
    await edit({ kind: 'move', id: 1, to: 3 })
    const database = await openDatabase(location)
    opened.push(database)
    const exported = await exportState(database)
    await importState(database, exported, true)
    expect(await names()).toEqual(['one', 'three', 'two'])
    await model.create('ann', 'four', [])
    expect(await names()).toEqual(['four', 'one', 'three', 'two'])
    const scopes = exported.scopes.map((scope) => ({
      ...scope,
      tasks: scope.tasks.map(({ id, name, createdAt, completedAt, steps }) => ({
        id,
        name,
        createdAt,
        completedAt,
        steps,
      })),
    }))
    await importState(database, { ...exported, scopes }, true)
    expect(await names()).toEqual(['three', 'two', 'one'])
  })
})

const countCharacters = (database: Database): Promise<number> =>
  database.read(async (sql) => numberColumn(requireRow(await sql.all('SELECT characters FROM scopes')), 'characters'))

/** As the version before the index left its rows: the texts of the steps in the row of their task. */
function forgetIndex(database: Database): Promise<void> {
  return database.write('forget', async (sql) => {
    const [newLine, texts] =
      sql.engine === 'sqlite'
        ? ['char(10)', 'group_concat(search, char(10))']
        : ['chr(10)', 'string_agg(search, chr(10))']
    await sql.run(`UPDATE tasks SET search = coalesce(search || ${newLine} || (
      SELECT ${texts} FROM steps WHERE steps.scope = tasks.scope AND task = tasks.id), search)`)
    await sql.run('UPDATE scopes SET indexed_from = NULL, characters = 0')
    await sql.run('UPDATE steps SET search = NULL')
    if (sql.engine === 'sqlite') await sql.run('DELETE FROM task_index')
    return { value: undefined, commit: true }
  })
}
