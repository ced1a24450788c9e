// Runs PlanMode and formats its results. Loaded by the first call. The first lines of each result are documented.

import { Failure } from '../lib/failure.js'
import type { Plans } from '../services/plans/plans.js'
import type { Who } from '../services/who.js'
import { enteredWords, exitedWords, planJson, statusWords, type PlanJson } from './words/plan.js'

const NO_PLAN: PlanJson = { active: false, goal: null, plan_file: null, started_at: null }

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
  readonly makesTask: boolean
}

export interface Said extends PlanJson {
  readonly session?: string
  readonly task_id?: number
  readonly words: string
}

export function answerTo(input: PlanModeInput, plans: Plans, caller: Who): Promise<Said> {
  const { action, goal = '', plan = '', plan_file: planFile = '', create_task: makesTask = true } = input
  const runAction = ACTIONS.get(action.trim().toLowerCase())
  if (!runAction) throw new Failure(`There is no action ${JSON.stringify(action.slice(0, 40))}. ${VALID}`)
  return runAction(plans, caller, { goal: goal.trim(), plan: blankToEmpty(plan), planFile: planFile.trim(), makesTask })
}

const VALID =
  'Valid are enter (with goal), exit (with plan or plan_file), status (with plan it saves a draft), json and reset.'

const ACTIONS: ReadonlyMap<string, (plans: Plans, caller: Who, request: PlanModeRequest) => Promise<Said>> = new Map([
  ['enter', enter],
  ['exit', exit],
  ['status', status],
  ['json', json],
  ['reset', reset],
])

async function enter(plans: Plans, caller: Who, request: PlanModeRequest): Promise<Said> {
  const entered = await plans.enter(caller, request)
  const { session } = entered.plan
  return { ...planJson({ open: entered, lastFile: undefined }), session, words: enteredWords(entered, request) }
}

async function exit(plans: Plans, caller: Who, request: PlanModeRequest): Promise<Said> {
  const exited = await plans.exit(caller, request)
  const task = exited.task ? { task_id: exited.task.id } : {}
  return { ...NO_PLAN, plan_file: exited.path, ...task, words: exitedWords(exited) }
}

async function status(plans: Plans, caller: Who, { plan }: PlanModeRequest): Promise<Said> {
  const path = plan === '' ? undefined : await plans.draft(caller, plan)
  const planStatus = await plans.look(caller)
  const session = planStatus.open ? { session: planStatus.open.plan.session } : {}
  return { ...planJson(planStatus), ...session, words: statusWords(planStatus, path) }
}

async function json(plans: Plans, caller: Who, request: PlanModeRequest): Promise<Said> {
  rejectPlan('json', request)
  const found = planJson(await plans.look(caller))
  return { ...found, words: JSON.stringify(found) }
}

async function reset(plans: Plans, caller: Who, request: PlanModeRequest): Promise<Said> {
  rejectPlan('reset', request)
  await plans.reset(caller)
  return { ...NO_PLAN, words: 'Plan mode reset. No plan saved.' }
}

/** Rejects a plan that would otherwise be lost silently. */
function rejectPlan(action: string, { plan }: PlanModeRequest): void {
  if (plan === '') return
  throw new Failure(`${action} takes no plan, and nothing was done: status saves a draft, exit accepts the plan.`)
}

/** A blank plan counts as missing. */
function blankToEmpty(plan: string): string {
  return plan.trim() === '' ? '' : plan
}
