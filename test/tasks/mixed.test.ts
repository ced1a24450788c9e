// Four servers that act at random on one project: exactly the acknowledged changes are stored, and the maintained
// counts equal a recount, also after export and import.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

import type { StateExport } from '@scorpiox/app/cli/state/state-document'
import { describeEachDatabase, startPostgres } from '../store/postgres-server.js'
import {
  emptyFolder,
  newEnvironment,
  PROGRAM,
  type ServerEnvironment,
  startServerIn,
  task,
  type ToolResult,
} from '../support/client.js'

const OPERATIONS = 90
/** So many that a list no longer counts them one by one. */
const CREATES = 26

const postgres = await startPostgres()
afterAll(() => postgres?.stop('immediate'))

interface Acknowledged {
  readonly created: Map<number, string>
  readonly added: Map<number, readonly [task: number, text: string]>
  readonly tasksDone: number[]
  readonly stepsDone: number[]
}

describeEachDatabase(postgres, (database) => {
  const newTaskEnvironment = async (): Promise<ServerEnvironment> =>
    newEnvironment(database === 'PostgreSQL' && postgres ? { DATABASE_URL: await postgres.database() } : {})

  const tags = database === 'PostgreSQL' ? ['long'] : []
  test(
    '4 servers at random: exactly the acknowledged changes, counted correctly, also after an import',
    { tags },
    async () => {
      const environment = await newTaskEnvironment()
      const all: Acknowledged = { created: new Map(), added: new Map(), tasksDone: [], stepsDone: [] }
      await Promise.all([1, 2, 3, 4].map((agent) => work(environment, agent, all)))
      const file = join(emptyFolder(), 'export.json')
      const document = exported(environment, file)
      expect(found(document)).toEqual({
        created: new Map([...all.created].sort(byNumber)),
        added: new Map([...all.added].sort(byNumber)),
        tasksDone: all.tasksDone.sort((a, b) => a - b),
        stepsDone: all.stepsDone.sort((a, b) => a - b),
      })
      expect(await counted(environment)).toEqual(recounted(document))
      state(environment, 'import', file, '--replace')
      expect(await counted(environment)).toEqual(recounted(document))
      const elsewhere = { ...(await newTaskEnvironment()), cwd: environment.cwd }
      state(elsewhere, 'import', file)
      expect(await counted(elsewhere)).toEqual(recounted(document))
      await work(elsewhere, 5, all)
      expect(await counted(elsewhere)).toEqual(recounted(exported(elsewhere, file)))
    },
  )
})

/** Any task or step number that was ever returned, and sometimes one that was not. */
function pick(from: Iterable<number>): number {
  const numbers = [...from, 9999]
  return numbers[Math.floor(Math.random() * numbers.length)] ?? 9999
}

async function work(
  environment: ServerEnvironment,
  agent: number,
  { created, added, tasksDone, stepsDone }: Acknowledged,
): Promise<void> {
  const client = startServerIn(environment)
  for (let operation = 0; operation < OPERATIONS; operation++) {
    const text = `${agent}-${operation}`
    const taskId = pick(created.keys())
    const stepId = pick(added.keys())
    const operations: (() => Promise<void>)[] = [
      () => task(client, 'create', { text }).then(ok(({ tasks }) => created.set(tasks[0].task_id, text))),
      () =>
        task(client, 'add', { text }).then(ok(({ steps }) => added.set(steps[0].step_id, [steps[0].task_id, text]))),
      () =>
        task(client, 'add', { text, task_id: taskId }).then(
          ok(({ steps }) => added.set(steps[0].step_id, [taskId, text])),
        ),
      () => task(client, 'complete', { task_id: taskId }).then(ok(() => tasksDone.push(taskId))),
      () =>
        task(client, 'complete', { step_id: stepId, task_id: added.get(stepId)?.[0] ?? 1 }).then(
          ok(() => stepsDone.push(stepId)),
        ),
      () => task(client, 'switch', { task_id: taskId }).then(ok(() => undefined)),
      () => task(client, 'list').then(ok(() => undefined)),
    ]
    await operations[operation < CREATES ? 0 : Math.floor(Math.random() * operations.length)]?.()
  }
  expect(await client.close()).toBe(0)
}

function ok(note: (structured: ToolResult['structured']) => unknown): (result: ToolResult) => void {
  return ({ isError, structured }) => void (isError || note(structured))
}

function state(environment: ServerEnvironment, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'state', ...args], {
    ...environment,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
}

function exported(environment: ServerEnvironment, file: string): StateExport {
  state(environment, 'export', file)
  return JSON.parse(readFileSync(file, 'utf8'))
}

function found({ scopes }: StateExport): unknown {
  const tasks = scopes.flatMap((scope) => scope.tasks)
  const steps = tasks.flatMap((each) => each.steps.map((step) => ({ ...step, taskId: each.id })))
  const done = (rows: readonly { id: number; completedAt: number | null }[]) =>
    rows.flatMap(({ id, completedAt }) => (completedAt === null ? [] : [id])).sort((a, b) => a - b)
  return {
    created: new Map(tasks.map(({ id, name }) => [id, name])),
    added: new Map(steps.map(({ id, taskId, text }) => [id, [taskId, text]])),
    tasksDone: done(tasks),
    stepsDone: done(steps),
  }
}

async function counted(environment: ServerEnvironment): Promise<unknown> {
  const client = startServerIn(environment)
  const { structured, text } = await task(client, 'list')
  await client.close()
  return {
    tasks: Number(/^([\d,]+) tasks?,/.exec(text)?.[1]),
    open: structured.open_tasks,
    steps: structured.open_steps,
  }
}

function recounted({ scopes }: StateExport): unknown {
  const tasks = scopes.flatMap((scope) => scope.tasks)
  const open = tasks.filter(({ completedAt }) => completedAt === null)
  const steps = open.flatMap((each) => each.steps).filter(({ completedAt }) => completedAt === null)
  return { tasks: tasks.length, open: open.length, steps: steps.length }
}

function byNumber([one]: readonly [number, unknown], [other]: readonly [number, unknown]): number {
  return one - other
}
