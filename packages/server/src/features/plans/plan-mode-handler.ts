// Handler of the tool PlanMode: runs its actions on the plan service and formats the results. Loaded by the first call, and
// by the plan resource, which shows the same status. The first lines of each result are documented. No I/O of its own.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import { Failure } from '@scorpiox/mcp/errors'
import { toSingleLine } from '../../text/format.js'
import { toResultMeta } from '../../text/result-data.js'
import { type AskingCall, toAskingCall } from '../questions/lazy.js'
import { formatDecision, formatPendingApproval, formatUnasked, REPLACED } from './format-decision.js'
import type { ApprovalResult } from './plan-approver.js'
import type { CreatedPlanTask } from './plan-checklist.js'
import { describePlanEffect } from './plan-effect.js'
import type { EndPlanResult, EnterPlanResult, PlanService, PlanStatus, SavedDraft } from './plan-service.js'
import { MAX_VERSIONS } from './plan-table.js'

interface PlanModeInput {
  readonly action: string
  readonly goal?: string | undefined
  readonly plan?: string | undefined
  readonly plan_file?: string | undefined
  readonly create_task?: boolean | undefined
}

interface PlanModeRequest {
  readonly goal: string
  readonly plan: string
  readonly planFile: string
  readonly createTask: boolean
}

type PlanModeResult =
  | { readonly action: 'enter'; readonly entered: EnterPlanResult; readonly request: PlanModeRequest }
  | { readonly action: 'exit' | 'reset'; readonly end: EndPlanResult }
  | { readonly action: 'status'; readonly status: PlanStatus; readonly draft: SavedDraft | undefined }
  | { readonly action: 'json'; readonly status: PlanStatus }

export const planModeHandler = {
  run: (input: PlanModeInput, call: CallContext, { plans }: { readonly plans: PlanService }) =>
    runPlanMode(input, plans, toAskingCall(call)),
  format: formatPlanMode,
  meta: (result: PlanModeResult) => toResultMeta(toPlanFields(result)),
}

async function runPlanMode(input: PlanModeInput, plans: PlanService, call: AskingCall): Promise<PlanModeResult> {
  const { goal = '', plan = '', plan_file: planFile = '', create_task: createTask = true } = input
  const request: PlanModeRequest = {
    goal: goal.trim(),
    // A blank plan counts as missing.
    plan: plan.trim() === '' ? '' : plan,
    planFile: planFile.trim(),
    createTask,
  }
  const action = input.action.trim().toLowerCase()
  switch (action) {
    case 'enter':
      return { action, entered: await plans.enter(call, request), request }
    case 'exit':
      return { action, end: await plans.exit(call, request) }
    case 'status': {
      const draft = request.plan === '' ? undefined : await plans.saveDraft(call, request.plan)
      return { action, status: await plans.getStatus(call), draft }
    }
    case 'json':
      rejectPlan(action, request)
      return { action, status: await plans.getStatus(call) }
    case 'reset':
      rejectPlan(action, request)
      return { action, end: await plans.reset(call) }
    default:
      throw new Failure(`There is no action ${JSON.stringify(input.action.slice(0, 40))}. ${VALID_ACTIONS}`)
  }
}

const VALID_ACTIONS = 'Valid: enter (goal), exit (plan or plan_file), status (plan saves a draft), json, reset.'

/** Rejects a plan that would otherwise be lost silently. */
function rejectPlan(action: string, { plan }: PlanModeRequest): void {
  if (plan === '') return
  throw new Failure(`${action} takes no plan. Nothing was done. status saves a draft, exit submits the plan.`)
}

const MAX_NAMED = 20
const MAX_NAME = 100

function formatPlanMode(result: PlanModeResult): string {
  if (result.action === 'enter') return formatPlanEntered(result.entered, result.request)
  if (result.action === 'status') return formatPlanStatus(result.status, result.draft)
  return result.action === 'json' ? JSON.stringify(toPlanJson(result.status)) : formatPlanEnd(result.end)
}

interface PlanJson {
  readonly active: boolean
  readonly goal: string | null
  readonly plan_file: string | null
  readonly started_at: string | null
}

function toPlanJson({ open, lastFile }: PlanStatus): PlanJson {
  if (!open) return { active: false, goal: null, plan_file: lastFile ?? null, started_at: null }
  const { goal, startedAt } = open.plan
  return { active: true, goal, plan_file: null, started_at: formatTime(startedAt) }
}

function toPlanFields(result: PlanModeResult): object {
  if (result.action === 'enter') {
    const { entered: open } = result
    return { ...toPlanJson({ open, lastFile: undefined }), session: open.plan.session }
  }
  if ('end' in result) return toEndFields(result.end)
  const { action, status } = result
  return { ...toPlanJson(status), session: action === 'status' ? status.open?.plan.session : undefined }
}

function toEndFields(end: EndPlanResult): object {
  const { approval } = end
  const decision = approval?.kind === 'decided' ? approval.row.decision : undefined
  const fields = {
    approval: approval?.kind === 'pending' ? 'pending' : decision?.outcome,
    comment: decision?.comment ?? undefined,
  }
  if (!end.hasEnded) return { ...toPlanJson({ open: end.open, lastFile: undefined }), ...fields }
  return { ...toPlanJson({ open: undefined, lastFile: end.path }), task_id: end.task?.id, ...fields }
}

function formatPlanEntered(
  { plan, directory, runningJobIds, needsApproval }: EnterPlanResult,
  request: { readonly plan: string; readonly planFile: string },
): string {
  const { atStart, regained } = describePlanEffect()
  return [
    `Plan mode activated. Write your plan as markdown. (session: ${plan.session})`,
    `Plan will be saved to ${directory}`,
    `${atStart} ${HOW_TO_LEAVE} ${needsApproval ? 'The user is asked to approve; then' : 'Then'} commands can ${regained} again.`,
    ...(request.plan === '' ? [] : [`The plan was saved as a draft to ${directory}plan.md.`]),
    ...(request.planFile === '' ? [] : ['plan_file was not read: only exit uses it.']),
    ...formatRunningJobs(runningJobIds),
  ].join('\n')
}

const HOW_TO_LEAVE = 'PlanMode(action: "exit", plan: "…") submits the plan, PlanMode(action: "reset") discards it.'

function formatPlanEnd(end: EndPlanResult): string {
  const { approval } = end
  if (approval?.kind === 'pending') return formatPendingApproval(approval.row, approval.reasons).join('\n')
  if (!end.hasEnded) return formatNotEnded(end.approval)
  const { path, task } = end
  const lines =
    path === undefined
      ? ['Plan mode reset. No plan saved.']
      : [`Plan saved to ${path}`, 'Exiting plan mode. Returning to execution.']
  const decided = approval ? formatApproval(approval) : []
  return [...lines, ...(task ? formatCreatedTask(task) : []), ...decided].join('\n')
}

function formatNotEnded(approval: ApprovalResult): string {
  const isRejected = approval.kind === 'decided' && approval.row.decision.outcome === 'rejected'
  return isRejected ? formatDecision(approval.row).join('\n') : REPLACED
}

function formatApproval({ row, reasons }: Extract<ApprovalResult, { readonly kind: 'decided' }>): readonly string[] {
  return row.decision.outcome === 'unasked' ? [formatUnasked(reasons)] : formatDecision(row)
}

export function formatPlanStatus({ open, lastFile, request }: PlanStatus, draft: SavedDraft | undefined): string {
  if (!open) return ['Plan mode: INACTIVE', ...(lastFile === undefined ? [] : [`Last plan: ${lastFile}`])].join('\n')
  const { goal, startedAt } = open.plan
  return [
    'Plan mode: ACTIVE',
    `Goal: "${toSingleLine(goal, goal.length)}"`,
    `Duration: ${formatElapsedTime(Date.now() - startedAt)}`,
    describePlanEffect().inFolder(open.directory),
    ...(draft === undefined ? [] : [`The plan was saved as a draft to ${draft.path}.${removedNote(draft)}`]),
    ...(request ? [formatOpenRequest(request)] : []),
  ].join('\n')
}

function formatOpenRequest({ id, action, requestedAt }: NonNullable<PlanStatus['request']>): string {
  const since = formatTime(requestedAt)
  return `Waiting for the user to approve ${action} since ${since} (request ${id}, on the console page or in the terminal inbox)`
}

function removedNote({ removedVersions }: SavedDraft): string {
  return removedVersions === 0
    ? ''
    : ` The oldest version was removed: at most ${MAX_VERSIONS} versions or 8 MB are kept.`
}

function formatRunningJobs(ids: readonly number[]): readonly string[] {
  if (ids.length === 0) return []
  if (ids.length === 1) return [`Job ${ids[0]} was started before plan mode and can still write. KillBgTask kills it.`]
  const shown = ids.slice(0, MAX_NAMED)
  const rest = ids.length > shown.length ? `${ids.length - shown.length} more` : shown.pop()
  return [
    `Jobs ${shown.join(', ')} and ${rest} were started before plan mode and can still write. KillBgTask kills them.`,
  ]
}

function formatCreatedTask({
  id,
  name,
  items,
  omittedItems,
  truncatedItems,
  isDone,
  currentTask,
}: CreatedPlanTask): readonly string[] {
  const from = items === 1 ? 'its checklist item' : `its ${items} checklist items`
  const outcome = isDone ? ' and is complete' : currentTask ? '' : ' and is the current task'
  const current = currentTask && !isDone ? [formatCurrentTask(id, currentTask)] : []
  return [
    `Task ${id} "${name}" was created from ${from}${outcome}.`,
    ...current,
    ...(omittedItems === 0
      ? []
      : [`${omittedItems} more items were left out: a task created from a plan has at most ${items} steps.`]),
    ...(truncatedItems === 0 ? [] : [`${truncatedItems} of its steps were cut to 1,000 characters.`]),
  ]
}

function formatCurrentTask(id: number, stays: { readonly id: number; readonly name: string }): string {
  const title = `${stays.id} "${toSingleLine(stays.name, MAX_NAME)}"`
  return `The current task is still ${title}. To switch: TaskManager(action: "switch", task_id: ${id}).`
}

/** For example 4m 32s. */
function formatElapsedTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)]
  if (minutes === 0) return `${seconds}s`
  return hours === 0 ? `${minutes}m ${seconds % 60}s` : `${hours}h ${minutes % 60}m ${seconds % 60}s`
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
