// Runs PlanMode and formats its results. Loaded by the first call. The first lines of each result are documented.

import { Failure } from '../lib/failure.js'
import type { Plans } from '../services/plans/plans.js'
import type { Who } from '../services/who.js'
import { enteredWords, exitedWords, planJson, statusWords, type PlanJson } from './words/plan.js'

const NO_PLAN: PlanJson = { active: false, goal: null, plan_file: null, started_at: null }

interface Given {
  readonly action: string
  readonly goal?: string | undefined
  readonly plan?: string | undefined
  readonly plan_file?: string | undefined
  readonly create_task?: boolean | undefined
}

interface Wish {
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

export function answerTo(given: Given, plans: Plans, who: Who): Promise<Said> {
  const { action, goal = '', plan = '', plan_file: planFile = '', create_task: makesTask = true } = given
  const perform = ACTIONS.get(action.trim().toLowerCase())
  if (!perform) throw new Failure(`There is no action ${JSON.stringify(action.slice(0, 40))}. ${VALID}`)
  return perform(plans, who, { goal: goal.trim(), plan: orNothing(plan), planFile: planFile.trim(), makesTask })
}

const VALID =
  'Valid are enter (with goal), exit (with plan or plan_file), status (with plan it saves a draft), json and reset.'

const ACTIONS: ReadonlyMap<string, (plans: Plans, who: Who, wish: Wish) => Promise<Said>> = new Map([
  ['enter', enter],
  ['exit', exit],
  ['status', status],
  ['json', json],
  ['reset', reset],
])

async function enter(plans: Plans, who: Who, wish: Wish): Promise<Said> {
  const entered = await plans.enter(who, wish)
  const { session } = entered.plan
  return { ...planJson({ open: entered, lastFile: undefined }), session, words: enteredWords(entered, wish) }
}

async function exit(plans: Plans, who: Who, wish: Wish): Promise<Said> {
  const exited = await plans.exit(who, wish)
  const task = exited.task ? { task_id: exited.task.id } : {}
  return { ...NO_PLAN, plan_file: exited.path, ...task, words: exitedWords(exited) }
}

async function status(plans: Plans, who: Who, { plan }: Wish): Promise<Said> {
  const path = plan === '' ? undefined : await plans.draft(who, plan)
  const standing = await plans.look(who)
  const session = standing.open ? { session: standing.open.plan.session } : {}
  return { ...planJson(standing), ...session, words: statusWords(standing, path) }
}

async function json(plans: Plans, who: Who, wish: Wish): Promise<Said> {
  refusePlan('json', wish)
  const found = planJson(await plans.look(who))
  return { ...found, words: JSON.stringify(found) }
}

async function reset(plans: Plans, who: Who, wish: Wish): Promise<Said> {
  refusePlan('reset', wish)
  await plans.reset(who)
  return { ...NO_PLAN, words: 'Plan mode reset. No plan saved.' }
}

/** Rejects a plan that would otherwise be lost silently. */
function refusePlan(action: string, { plan }: Wish): void {
  if (plan === '') return
  throw new Failure(`${action} takes no plan, and nothing was done: status saves a draft, exit accepts the plan.`)
}

/** A blank plan counts as missing. */
function orNothing(plan: string): string {
  return plan.trim() === '' ? '' : plan
}
