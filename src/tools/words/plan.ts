import { oneLine } from '../../lib/one-line.js'
import type { Entered, Exited, Standing } from '../../services/plans/plans.js'
import type { PlanTask } from '../../services/plans/task-from-plan.js'

const MAX_NAMED = 20
const MAX_NAME = 100

export interface PlanJson {
  readonly active: boolean
  readonly goal: string | null
  readonly plan_file: string | null
  readonly started_at: string | null
}

export function planJson({ open, lastFile }: Standing): PlanJson {
  if (!open) return { active: false, goal: null, plan_file: lastFile ?? null, started_at: null }
  const { goal, startedAt } = open.plan
  return { active: true, goal, plan_file: null, started_at: formatTime(startedAt) }
}

export function enteredWords(
  { plan, folder, running }: Entered,
  request: { readonly plan: string; readonly planFile: string },
): string {
  return [
    `Plan mode activated. Write your plan as markdown. (session: ${plan.session})`,
    `Plan will be saved to ${folder}`,
    `Commands can now only read, except in that folder. ${HOW_TO_LEAVE}`,
    ...(request.plan === '' ? [] : [`The plan was saved as a draft to ${folder}plan.md.`]),
    ...(request.planFile === '' ? [] : ['plan_file was not read: give it with exit.']),
    ...formatRunningJobs(running),
  ].join('\n')
}

const HOW_TO_LEAVE =
  'PlanMode(action: "exit", plan: "…") accepts the plan and lets commands write again, PlanMode(action: "reset") discards it.'

export function exitedWords({ path, task }: Exited): string {
  const lines = [`Plan saved to ${path}`, 'Exiting plan mode. Returning to execution.']
  return [...lines, ...(task ? formatCreatedTask(task) : [])].join('\n')
}

export function statusWords({ open, lastFile }: Standing, draft: string | undefined): string {
  if (!open) return ['Plan mode: INACTIVE', ...(lastFile === undefined ? [] : [`Last plan: ${lastFile}`])].join('\n')
  const { goal, startedAt } = open.plan
  return [
    'Plan mode: ACTIVE',
    `Goal: "${oneLine(goal, goal.length)}"`,
    `Duration: ${formatDuration(Date.now() - startedAt)}`,
    `Commands can only read, except in ${open.folder}`,
    ...(draft === undefined ? [] : [`The plan was saved as a draft to ${draft}.`]),
  ].join('\n')
}

function formatRunningJobs(ids: readonly number[]): readonly string[] {
  if (ids.length === 0) return []
  if (ids.length === 1) return [`Background task ${ids[0]} was started before and may still write: KillBgTask ends it.`]
  const shown = ids.slice(0, MAX_NAMED)
  const rest = ids.length > shown.length ? `${ids.length - shown.length} more` : shown.pop()
  return [
    `Background tasks ${shown.join(', ')} and ${rest} were started before and may still write: KillBgTask ends them.`,
  ]
}

function formatCreatedTask({ id, name, items, left, cut, isDone, stays }: PlanTask): readonly string[] {
  const from = items === 1 ? 'its checklist item' : `its ${items} checklist items`
  const outcome = isDone ? ' and is complete' : stays ? '' : ' and is the current task'
  const current = stays && !isDone ? [formatCurrentTask(id, stays)] : []
  return [
    `Task ${id} "${name}" was made from ${from}${outcome}.`,
    ...current,
    ...(left === 0 ? [] : [`${left} further items were not taken: a task made from a plan has at most ${items}.`]),
    ...(cut === 0 ? [] : [`${cut} of them were longer than 1,000 characters and were cut.`]),
  ]
}

function formatCurrentTask(id: number, stays: { readonly id: number; readonly name: string }): string {
  const title = `${stays.id} "${oneLine(stays.name, MAX_NAME)}"`
  return `The current task is still ${title}: TaskManager(action: "switch", task_id: ${id}) changes that.`
}

/** For example 4m 32s. */
function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)]
  if (minutes === 0) return `${seconds}s`
  return hours === 0 ? `${minutes}m ${seconds % 60}s` : `${hours}h ${minutes % 60}m ${seconds % 60}s`
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
