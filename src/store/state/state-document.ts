// All that is kept, as one JSON document: what `state export` prints and `state import` takes. Read with suspicion,
// because people edit it: what is wrong is named by its place.

import { Failure } from '../../lib/failure.js'
import { isObject } from '../../lib/json.js'
import { reasonOf } from '../../lib/reason-of.js'
import { storableText } from '../../lib/storable-text.js'
import type { PlanRow, PlanVersion } from './plan-rows.js'
import type { StepRow, TaskRow } from './task-rows.js'

/** Leaves room to count on. */
const MAX_ID = 999_999_999_999_999
/** What a Date can hold. */
const MAX_TIME = 8.64e15

export interface StateDocument {
  readonly version: 1
  readonly scopes: readonly ScopeDocument[]
}

export interface ScopeDocument {
  readonly project: string
  readonly user: string
  readonly nextTask: number
  readonly nextStep: number
  readonly nextPlan: number
  readonly currentTask: number | null
  readonly tasks: readonly TaskDocument[]
  readonly plans: readonly PlanDocument[]
}

export type TaskDocument = Omit<TaskRow, 'steps' | 'stepsDone'> & { readonly steps: readonly StepDocument[] }

export type StepDocument = Omit<StepRow, 'taskId'>

export type PlanDocument = PlanRow & { readonly versions: readonly PlanVersion[] }

/** Throws a Failure that says what is wrong and where. */
export function readStateDocument(text: string): StateDocument {
  const document = parse(text)
  if (!isObject(document) || document.version === undefined || document.scopes === undefined) {
    throw new Failure('it is not an export of tasks and plans: an object with version and scopes is expected')
  }
  if (document.version !== 1)
    throw new Failure(`its version is ${JSON.stringify(document.version)}; this program reads version 1`)
  const scopes = listOf(document.scopes, 'scopes', scopeOf)
  distinct(scopes, 'scopes', ({ project, user }) => JSON.stringify([project, user]))
  return { version: 1, scopes }
}

export function printStateDocument(document: StateDocument): string {
  return `${JSON.stringify(document, null, 1)}\n`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Failure(`it is not JSON (${reasonOf(error)})`, { cause: error })
  }
}

function scopeOf(value: unknown, at: string): ScopeDocument {
  const given = objectOf(value, at)
  const scope: ScopeDocument = {
    project: textOf(given.project, `${at}.project`),
    user: textOf(given.user, `${at}.user`),
    nextTask: idOf(given.nextTask, `${at}.nextTask`),
    nextStep: idOf(given.nextStep, `${at}.nextStep`),
    nextPlan: idOf(given.nextPlan, `${at}.nextPlan`),
    currentTask: given.currentTask === null ? null : idOf(given.currentTask, `${at}.currentTask`),
    tasks: listOf(given.tasks, `${at}.tasks`, taskOf),
    plans: listOf(given.plans, `${at}.plans`, planOf),
  }
  const { tasks, plans, currentTask } = scope
  distinctIds(tasks, `${at}.tasks`, scope.nextTask)
  distinctIds(
    tasks.flatMap(({ steps }) => steps),
    `the steps of ${at}.tasks`,
    scope.nextStep,
  )
  distinctIds(plans, `${at}.plans`, scope.nextPlan)
  if (currentTask !== null && !tasks.some(({ id }) => id === currentTask)) {
    throw wrong(`${at}.currentTask`, 'the id of one of its tasks, or null')
  }
  if (plans.filter(({ outcome }) => outcome === 'open').length > 1)
    throw wrong(`${at}.plans`, 'open in one case at most')
  return scope
}

function taskOf(value: unknown, at: string): TaskDocument {
  const given = objectOf(value, at)
  return {
    id: idOf(given.id, `${at}.id`),
    name: textOf(given.name, `${at}.name`),
    createdAt: timeOf(given.createdAt, `${at}.createdAt`),
    completedAt: timeOrNullOf(given.completedAt, `${at}.completedAt`),
    steps: listOf(given.steps, `${at}.steps`, stepOf),
  }
}

function stepOf(value: unknown, at: string): StepDocument {
  const given = objectOf(value, at)
  return {
    id: idOf(given.id, `${at}.id`),
    text: textOf(given.text, `${at}.text`),
    createdAt: timeOf(given.createdAt, `${at}.createdAt`),
    completedAt: timeOrNullOf(given.completedAt, `${at}.completedAt`),
  }
}

function planOf(value: unknown, at: string): PlanDocument {
  const given = objectOf(value, at)
  const { outcome } = given
  if (outcome !== 'open' && outcome !== 'accepted' && outcome !== 'reset') {
    throw wrong(`${at}.outcome`, 'open, accepted or reset')
  }
  const versions = listOf(given.versions, `${at}.versions`, versionOf)
  if (versions.some(({ number }, index) => number !== index + 1))
    throw wrong(`${at}.versions`, 'numbered 1, 2, 3 and so on')
  return {
    id: idOf(given.id, `${at}.id`),
    goal: textOf(given.goal, `${at}.goal`),
    session: textOf(given.session, `${at}.session`),
    startedAt: timeOf(given.startedAt, `${at}.startedAt`),
    outcome,
    endedAt: timeOrNullOf(given.endedAt, `${at}.endedAt`),
    planFile: given.planFile === null ? null : textOf(given.planFile, `${at}.planFile`),
    versions,
  }
}

function versionOf(value: unknown, at: string): PlanVersion {
  const given = objectOf(value, at)
  return {
    number: idOf(given.number, `${at}.number`),
    text: textOf(given.text, `${at}.text`),
    savedAt: timeOf(given.savedAt, `${at}.savedAt`),
  }
}

function objectOf(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value
  throw wrong(at, 'an object')
}

function listOf<T>(value: unknown, at: string, read: (entry: unknown, at: string) => T): readonly T[] {
  if (!Array.isArray(value)) throw wrong(at, 'a list')
  const entries: readonly unknown[] = value
  return entries.map((entry, index) => read(entry, `${at}[${index}]`))
}

function textOf(value: unknown, at: string): string {
  if (typeof value === 'string') return storableText(value)
  throw wrong(at, 'a text')
}

function idOf(value: unknown, at: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_ID) return value
  throw wrong(at, `a whole number from 1 to ${MAX_ID}`)
}

function timeOf(value: unknown, at: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MAX_TIME) return value
  throw wrong(at, 'a time in milliseconds since 1970')
}

function timeOrNullOf(value: unknown, at: string): number | null {
  return value === null ? null : timeOf(value, at)
}

function distinctIds(entries: readonly { readonly id: number }[], at: string, next: number): void {
  distinct(entries, at, ({ id }) => String(id))
  if (entries.some(({ id }) => id >= next)) throw wrong(at, `numbered below the next number, ${next}`)
}

function distinct<T>(entries: readonly T[], at: string, nameOf: (entry: T) => string): void {
  if (new Set(entries.map(nameOf)).size < entries.length) throw wrong(at, 'different from each other')
}

function wrong(at: string, expected: string): Failure {
  return new Failure(`${at} must be ${expected}`)
}
