// Parses and formats the JSON document of `state export` and `state import`. Input is validated, because users edit it;
// errors name the path of the value. Used by state-command and transfer. Pure.

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import type { PlanRow, PlanVersion } from '@scorpiox/server/features/plans/index'
import type { StepRow, TaskRow } from '@scorpiox/server/features/tasks/index'
import { toStorableText } from '@scorpiox/server/text/normalize-text'

/** Leaves room for further ids. */
const MAX_ID = 999_999_999_999_999
/** The range of Date. */
const MAX_TIME = 8.64e15

export interface StateExport {
  readonly version: 1
  readonly scopes: readonly ScopeExport[]
}

export interface ScopeExport {
  readonly project: string
  readonly user: string
  readonly nextTask: number
  readonly nextStep: number
  readonly nextPlan: number
  readonly currentTask: number | null
  readonly tasks: readonly TaskExport[]
  readonly plans: readonly PlanExport[]
}

export interface TaskExport extends Omit<TaskRow, 'steps' | 'stepsDone' | 'place'> {
  /** Missing if it is the id. */
  readonly place?: number
  readonly steps: readonly StepExport[]
}

export type StepExport = Omit<StepRow, 'taskId'>

export type PlanExport = PlanRow & { readonly versions: readonly PlanVersion[] }

/** Throws a Failure that says what is wrong and where. */
export function parseStateExport(text: string): StateExport {
  const document = parseJsonText(text)
  if (!isJsonObject(document) || document.version === undefined || document.scopes === undefined) {
    throw new Failure('it is not an export of tasks and plans: an object with version and scopes is expected')
  }
  if (document.version !== 1)
    throw new Failure(`its version is ${JSON.stringify(document.version)}; this program reads version 1`)
  const scopes = parseList(document.scopes, 'scopes', parseScope)
  requireDistinct(scopes, 'scopes', ({ project, user }) => JSON.stringify([project, user]))
  return { version: 1, scopes }
}

export function formatStateExport(document: StateExport): string {
  return `${JSON.stringify(document, null, 1)}\n`
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Failure(`it is not JSON (${errorMessage(error)})`, { cause: error })
  }
}

function parseScope(value: unknown, path: string): ScopeExport {
  const fields = requireObject(value, path)
  const scope: ScopeExport = {
    project: requireText(fields.project, `${path}.project`),
    user: requireText(fields.user, `${path}.user`),
    nextTask: requireId(fields.nextTask, `${path}.nextTask`),
    nextStep: requireId(fields.nextStep, `${path}.nextStep`),
    nextPlan: requireId(fields.nextPlan, `${path}.nextPlan`),
    currentTask: fields.currentTask === null ? null : requireId(fields.currentTask, `${path}.currentTask`),
    tasks: parseList(fields.tasks, `${path}.tasks`, parseTask),
    plans: parseList(fields.plans, `${path}.plans`, parsePlan),
  }
  const { tasks, plans, currentTask } = scope
  requireDistinctIds(tasks, `${path}.tasks`, scope.nextTask)
  requireDistinctIds(
    tasks.map(({ id, place = id }) => ({ id: place })),
    `the places of ${path}.tasks`,
    scope.nextTask,
  )
  requireDistinctIds(
    tasks.flatMap(({ steps }) => steps),
    `the steps of ${path}.tasks`,
    scope.nextStep,
  )
  requireDistinctIds(plans, `${path}.plans`, scope.nextPlan)
  if (currentTask !== null && !tasks.some(({ id }) => id === currentTask)) {
    throw invalidValue(`${path}.currentTask`, 'the id of one of its tasks, or null')
  }
  if (plans.filter(({ outcome }) => outcome === 'open').length > 1)
    throw invalidValue(`${path}.plans`, 'a list with at most one open plan')
  return scope
}

function parseTask(value: unknown, path: string): TaskExport {
  const fields = requireObject(value, path)
  return {
    id: requireId(fields.id, `${path}.id`),
    name: requireText(fields.name, `${path}.name`),
    createdAt: requireTime(fields.createdAt, `${path}.createdAt`),
    completedAt: requireTimeOrNull(fields.completedAt, `${path}.completedAt`),
    ...(fields.place === undefined ? {} : { place: requireId(fields.place, `${path}.place`) }),
    steps: parseList(fields.steps, `${path}.steps`, parseStep),
  }
}

function parseStep(value: unknown, path: string): StepExport {
  const fields = requireObject(value, path)
  return {
    id: requireId(fields.id, `${path}.id`),
    text: requireText(fields.text, `${path}.text`),
    createdAt: requireTime(fields.createdAt, `${path}.createdAt`),
    completedAt: requireTimeOrNull(fields.completedAt, `${path}.completedAt`),
  }
}

function parsePlan(value: unknown, path: string): PlanExport {
  const fields = requireObject(value, path)
  const { outcome } = fields
  if (outcome !== 'open' && outcome !== 'accepted' && outcome !== 'reset') {
    throw invalidValue(`${path}.outcome`, 'open, accepted or reset')
  }
  const versions = parseList(fields.versions, `${path}.versions`, parseVersion)
  if (versions.some(({ number }, index) => number <= (versions[index - 1]?.number ?? 0)))
    throw invalidValue(`${path}.versions`, 'numbered in ascending order, from 1')
  return {
    id: requireId(fields.id, `${path}.id`),
    goal: requireText(fields.goal, `${path}.goal`),
    session: requireText(fields.session, `${path}.session`),
    startedAt: requireTime(fields.startedAt, `${path}.startedAt`),
    outcome,
    endedAt: requireTimeOrNull(fields.endedAt, `${path}.endedAt`),
    planFile: fields.planFile === null ? null : requireText(fields.planFile, `${path}.planFile`),
    versions,
  }
}

function parseVersion(value: unknown, path: string): PlanVersion {
  const fields = requireObject(value, path)
  return {
    number: requireId(fields.number, `${path}.number`),
    text: requireText(fields.text, `${path}.text`),
    savedAt: requireTime(fields.savedAt, `${path}.savedAt`),
  }
}

function requireObject(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (isJsonObject(value)) return value
  throw invalidValue(path, 'an object')
}

function parseList<T>(value: unknown, path: string, read: (entry: unknown, path: string) => T): readonly T[] {
  if (!Array.isArray(value)) throw invalidValue(path, 'an array')
  const entries: readonly unknown[] = value
  return entries.map((entry, index) => read(entry, `${path}[${index}]`))
}

function requireText(value: unknown, path: string): string {
  if (typeof value === 'string') return toStorableText(value)
  throw invalidValue(path, 'a string')
}

function requireId(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_ID) return value
  throw invalidValue(path, `an integer from 1 to ${MAX_ID}`)
}

function requireTime(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MAX_TIME) return value
  throw invalidValue(path, 'a time in milliseconds since 1970')
}

function requireTimeOrNull(value: unknown, path: string): number | null {
  return value === null ? null : requireTime(value, path)
}

function requireDistinctIds(entries: readonly { readonly id: number }[], path: string, nextId: number): void {
  requireDistinct(entries, path, ({ id }) => String(id))
  if (entries.some(({ id }) => id >= nextId)) throw invalidValue(path, `numbered below ${nextId}, the next number`)
}

function requireDistinct<T>(entries: readonly T[], path: string, keyOf: (entry: T) => string): void {
  if (new Set(entries.map(keyOf)).size < entries.length) throw invalidValue(path, 'unique')
}

function invalidValue(path: string, expected: string): Failure {
  return new Failure(`${path} must be ${expected}`)
}
