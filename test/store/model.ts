// A model of the tables as arrays, which both databases are compared with.

import fc from 'fast-check'

import type { PlanRow, PlanVersion } from '@scorpiox/server/features/plans/plan-table'
import type { NewStep, StepRow, TaskFilter, TaskRow } from '@scorpiox/server/features/tasks/task-table'
import type { StateTables } from '@scorpiox/server/state'
import { foldForSearch, toStorableText } from '@scorpiox/server/text/normalize-text'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export interface Model {
  tasks: Mutable<TaskRow>[]
  steps: Mutable<StepRow>[]
  plans: (Mutable<PlanRow> & { versions: PlanVersion[] })[]
  current: number | undefined
  lastTask: number
  lastStep: number
}

export type Operation =
  | { readonly kind: 'task'; readonly name: string; readonly at: number }
  | { readonly kind: 'steps'; readonly pick: number; readonly steps: readonly NewStep[]; readonly at: number }
  | { readonly kind: 'complete' | 'complete step' | 'current'; readonly pick: number; readonly at: number }
  | { readonly kind: 'reopen' | 'reopen step' | 'delete' | 'delete step'; readonly pick: number; readonly at: number }
  | { readonly kind: 'rename' | 'rewrite step'; readonly pick: number; readonly name: string; readonly at: number }
  | { readonly kind: 'move'; readonly pick: number; readonly to: number; readonly at: number }
  | { readonly kind: 'plan'; readonly goal: string; readonly session: string; readonly at: number }
  | { readonly kind: 'end'; readonly outcome: 'accepted' | 'reset'; readonly file: string | null; readonly at: number }
  | { readonly kind: 'version'; readonly text: string; readonly at: number }

export function emptyModel(): Model {
  return { tasks: [], steps: [], plans: [], current: undefined, lastTask: 0, lastStep: 0 }
}

/** Applies the same operation to the rows and to the model, and returns the actual and the expected result. */
export async function doBoth(
  rows: StateTables,
  model: Model,
  operation: Operation,
): Promise<readonly [unknown, unknown]> {
  const { at } = operation
  switch (operation.kind) {
    case 'task': {
      const task = {
        id: (model.lastTask += 1),
        name: toStorableText(operation.name),
        createdAt: at,
        completedAt: null,
      }
      model.tasks.push({ ...task, steps: 0, stepsDone: 0, place: task.id })
      return [await rows.tasks.insert(operation.name, at), { ...task, steps: 0, stepsDone: 0, place: task.id }]
    }
    case 'steps': {
      const task = picked(model.tasks, operation.pick)
      if (!task) return [0, 0]
      const first = model.lastStep + 1
      model.lastStep += operation.steps.length
      const steps = operation.steps.map(({ text, completedAt }, index) => {
        return { id: first + index, taskId: task.id, createdAt: at, completedAt, text: toStorableText(text) }
      })
      model.steps.push(...structuredClone(steps))
      task.steps += steps.length
      task.stepsDone += steps.filter(({ completedAt }) => completedAt !== null).length
      return [await rows.tasks.insertSteps(task.id, operation.steps, at), steps]
    }
    case 'complete': {
      const task = picked(model.tasks, operation.pick)
      if (task) task.completedAt ??= at
      return [await rows.tasks.complete(task?.id ?? 999, at), undefined]
    }
    case 'complete step': {
      const step = picked(model.steps, operation.pick)
      const task = model.tasks.find(({ id }) => id === step?.taskId)
      if (step && task && step.completedAt === null) task.stepsDone++
      if (step) step.completedAt ??= at
      return [await rows.tasks.completeStep(step?.id ?? 999, at), undefined]
    }
    case 'current': {
      const task = picked(model.tasks, operation.pick)
      if (!task) return [0, 0]
      model.current = task.id
      return [await rows.tasks.setCurrent(task.id), undefined]
    }
    case 'reopen': {
      const task = picked(model.tasks, operation.pick)
      if (task) task.completedAt = null
      return [await rows.tasks.reopen(task?.id ?? 999), undefined]
    }
    case 'reopen step': {
      const step = picked(model.steps, operation.pick)
      const task = model.tasks.find(({ id }) => id === step?.taskId)
      if (step && task && step.completedAt !== null) task.stepsDone--
      if (step) step.completedAt = null
      return [await rows.tasks.reopenStep(step?.id ?? 999), undefined]
    }
    case 'rename': {
      const task = picked(model.tasks, operation.pick)
      if (task) task.name = toStorableText(operation.name)
      return [await rows.tasks.rename(task?.id ?? 999, operation.name), undefined]
    }
    case 'rewrite step': {
      const step = picked(model.steps, operation.pick)
      if (step) step.text = toStorableText(operation.name)
      return [await rows.tasks.rewriteStep(step?.id ?? 999, operation.name), undefined]
    }
    case 'delete step': {
      const step = picked(model.steps, operation.pick)
      const task = model.tasks.find(({ id }) => id === step?.taskId)
      if (step && task) {
        task.steps--
        if (step.completedAt !== null) task.stepsDone--
      }
      model.steps = model.steps.filter((each) => each !== step)
      return [await rows.tasks.deleteStep(step?.id ?? 999), undefined]
    }
    case 'delete': {
      const task = picked(model.tasks, operation.pick)
      if (!task) return [0, 0]
      model.tasks = model.tasks.filter((each) => each !== task)
      model.steps = model.steps.filter(({ taskId }) => taskId !== task.id)
      if (model.current === task.id) model.current = undefined
      return [await rows.tasks.delete(task.id), undefined]
    }
    case 'move': {
      const open = listed(model).filter(({ completedAt }) => completedAt === null)
      const [task, to] = [picked(open, operation.pick), picked(open, operation.to)]
      if (!task || !to) return [0, 0]
      const places = open.map(({ place }) => place)
      const order = open.filter((each) => each !== task)
      order.splice(open.indexOf(to), 0, task)
      order.forEach((each, index) => (each.place = places[index] ?? 0))
      return [await rows.tasks.move(task.id, to.id), undefined]
    }
    case 'plan': {
      if (model.plans.at(-1)?.outcome === 'open') return [0, 0]
      const plan: PlanRow = {
        id: model.plans.length + 1,
        goal: toStorableText(operation.goal),
        session: toStorableText(operation.session),
        startedAt: at,
        outcome: 'open',
        endedAt: null,
        planFile: null,
      }
      model.plans.push({ ...plan, versions: [] })
      return [await rows.plans.insert({ goal: operation.goal, session: operation.session, startedAt: at }), plan]
    }
    case 'end': {
      const plan = model.plans.at(-1)
      if (!plan) return [0, 0]
      const planFile = operation.file === null ? null : toStorableText(operation.file)
      if (plan.outcome === 'open') Object.assign(plan, { outcome: operation.outcome, endedAt: at, planFile })
      return [
        await rows.plans.close(plan.id, { outcome: operation.outcome, endedAt: at, planFile: operation.file }),
        undefined,
      ]
    }
    case 'version':
      break
  }
  const plan = model.plans.at(-1)
  if (!plan) return [0, 0]
  const version = { number: plan.versions.length + 1, text: toStorableText(operation.text), savedAt: at }
  plan.versions.push(version)
  return [await rows.plans.addVersion(plan.id, operation.text, at), { ...version, removed: 0 }]
}

/** Everything that can be read, with every query. */
export async function readAll(rows: StateTables, filter: TaskFilter): Promise<unknown> {
  const tasks = await rows.tasks.list({ terms: [] }, 1000)
  const latest = await rows.plans.findLatest()
  return {
    current: await rows.tasks.findCurrentId(),
    tasks,
    found: await Promise.all(tasks.map(({ id }) => rows.tasks.find(id))),
    steps: await Promise.all(tasks.map(({ id }) => rows.tasks.listSteps(id))),
    firstOpen: await Promise.all(tasks.map(({ id }) => rows.tasks.listSteps(id, { state: 'open', limit: 2 }))),
    below: await rows.tasks.list({ ...filter, below: filter.before }, 1000),
    only: await rows.tasks.list({ ...filter, only: 2 }, 1000),
    step: await rows.tasks.findStep(3),
    nothing: [await rows.tasks.find(1000), await rows.tasks.findStep(1000), await rows.tasks.listSteps(1000)],
    filtered: await rows.tasks.list(filter, 5),
    counts: await rows.tasks.countAll(),
    matches: [await rows.tasks.search(filter, 2, 3), await rows.tasks.search(filter, 5, 1000)],
    open: await rows.plans.findOpen(),
    all: await rows.plans.list(),
    latest,
    versions: latest && (await rows.plans.listVersions(latest.id)),
  }
}

export function allOf(model: Model, filter: TaskFilter): unknown {
  const tasks = listed(model)
  const stepsOf = (task: number): StepRow[] => model.steps.filter(({ taskId }) => taskId === task)
  const place = tasks.find(({ id }) => id === filter.before)?.place ?? filter.before
  const matching = tasks.filter((task) => fits(task, stepsOf(task.id), filter))
  const filtered = matching.filter((task) => place === undefined || task.place < place)
  const open = tasks.filter(({ completedAt }) => completedAt === null)
  const plans = model.plans.map(({ id, goal, session, startedAt, outcome, endedAt, planFile }) => {
    return { id, goal, session, startedAt, outcome, endedAt, planFile }
  })
  return {
    current: model.current,
    tasks,
    found: tasks,
    steps: tasks.map(({ id }) => stepsOf(id)),
    firstOpen: tasks.map(({ id }) =>
      stepsOf(id)
        .filter(({ completedAt }) => completedAt === null)
        .slice(0, 2),
    ),
    below: filtered.filter((task) => filter.before === undefined || task.place < filter.before),
    only: filtered.filter(({ id }) => id === 2),
    step: model.steps.find(({ id }) => id === 3),
    nothing: [undefined, undefined, []],
    filtered: filtered.slice(0, 5),
    counts: {
      tasks: tasks.length,
      open: open.length,
      openSteps: open.reduce((sum, { steps, stepsDone }) => sum + steps - stepsDone, 0),
    },
    matches: [
      { tasks: filtered.slice(0, 2), found: Math.min(filtered.length, 3) },
      { tasks: filtered.slice(0, 5), found: filtered.length },
    ],
    open: plans.find(({ outcome }) => outcome === 'open'),
    all: plans,
    latest: plans.at(-1),
    versions: model.plans.at(-1)?.versions,
  }
}

function listed({ tasks }: Model): Mutable<TaskRow>[] {
  return tasks.toSorted((one, other) => other.place - one.place)
}

function fits(task: TaskRow, steps: readonly StepRow[], { terms, state, except }: TaskFilter): boolean {
  const texts = [task.name, ...steps.map(({ text }) => text)].map(foldForSearch)
  return (
    (state === undefined || (state === 'open') === (task.completedAt === null)) &&
    task.id !== except &&
    terms.every((term) => texts.some((text) => text.includes(foldForSearch(toStorableText(term)))))
  )
}

function picked<T>(things: readonly T[], pick: number): T | undefined {
  return things[pick % Math.max(things.length, 1)]
}

const WORDS = [
  'a',
  'Über',
  'uber',
  '%',
  '_',
  "'",
  '"',
  '\\',
  'ΟΔΟΣ',
  '한국어',
  'مَرحبا',
  'مرحبا',
  '数据',
  '🦂',
  '\0',
  '\ud800',
  '?',
  '$1',
  '',
]

/** Texts that tend to break software: lone surrogates, NUL, quotes, wildcards, every script. */
export const hostileText = fc.oneof(
  fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join('')),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
)

const at = fc.integer({ min: 0, max: 4_102_444_800_000 })
const pick = fc.nat({ max: 50 })
const step = fc.record({ text: hostileText, completedAt: fc.option(at) })

export const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ kind: fc.constant('task' as const), name: hostileText, at }),
  fc.record({ kind: fc.constant('steps' as const), pick, steps: fc.array(step, { maxLength: 5 }), at }),
  fc.record({ kind: fc.constantFrom('complete' as const, 'complete step' as const, 'current' as const), pick, at }),
  fc.record({
    kind: fc.constantFrom('reopen' as const, 'reopen step' as const, 'delete' as const, 'delete step' as const),
    pick,
    at,
  }),
  fc.record({ kind: fc.constantFrom('rename' as const, 'rewrite step' as const), pick, name: hostileText, at }),
  fc.record({ kind: fc.constant('move' as const), pick, to: pick, at }),
  fc.record({ kind: fc.constant('plan' as const), goal: hostileText, session: hostileText, at }),
  fc.record({
    kind: fc.constant('end' as const),
    outcome: fc.constantFrom('accepted' as const, 'reset' as const),
    file: fc.option(hostileText),
    at,
  }),
  fc.record({ kind: fc.constant('version' as const), text: hostileText, at }),
)

export const filter: fc.Arbitrary<TaskFilter> = fc.record({
  terms: fc.array(fc.constantFrom(...WORDS), { maxLength: 2 }),
  state: fc.constantFrom(undefined, 'open' as const, 'done' as const),
  before: fc.option(fc.nat({ max: 8 }), { nil: undefined }),
  except: fc.option(fc.nat({ max: 8 }), { nil: undefined }),
})
