// Enters and leaves plan mode, and says how it stands. While it is on, commands can only read.

import { Failure } from '../lib/failure.js'
import type { Who } from '../services/who.js'
import type { Plans } from '../services/plans/plans.js'
import { toolsOver } from './tool.js'
import { enteredWords, exitedWords, planJson, statusWords, type PlanJson } from './words/plan.js'

const NO_PLAN: PlanJson = { active: false, goal: null, plan_file: null, started_at: null }

interface Wish {
  readonly goal: string
  readonly plan: string
  readonly planFile: string
  readonly makesTask: boolean
}

interface Said extends PlanJson {
  readonly session?: string
  readonly task_id?: number
  readonly words: string
}

export const planMode = toolsOver<{ plans: Plans }>()({
  name: 'PlanMode',
  title: 'Plan before acting',
  description: `Manage plan mode for complex tasks
enter: commands can only read while you explore and write a plan (the session's folder stays writable). exit: takes plan, plan_file, or plan.md of that folder, and makes its checklist (- [ ] …) a task. status, json: how it stands; status with plan saves a draft. reset: drops the plan.`,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  needs: ['plans'],

  input: {
    type: 'object',
    properties: {
      action: { type: 'string', description: 'Action: enter, exit, status, json, reset' },
      goal: { type: 'string', description: 'Goal/description' },
      plan_file: { type: 'string', description: 'Path to markdown plan file' },
      plan: { type: 'string', description: 'The plan as markdown' },
      create_task: { type: 'boolean', description: 'On exit (default: true)' },
    },
    required: ['action'],
  },

  output: {
    type: 'object',
    properties: {
      active: { type: 'boolean' },
      goal: { type: ['string', 'null'] },
      plan_file: { type: ['string', 'null'] },
      started_at: { type: ['string', 'null'] },
      session: { type: 'string' },
      task_id: { type: 'integer' },
    },
  },

  run({ action, goal = '', plan = '', plan_file = '', create_task = true }, { plans }, { user, session }) {
    const perform = ACTIONS.get(action.trim().toLowerCase())
    if (!perform) throw new Failure(`There is no action ${JSON.stringify(action.slice(0, 40))}. ${VALID}`)
    const wish = { goal: goal.trim(), plan: given(plan), planFile: plan_file.trim(), makesTask: create_task }
    return perform(plans, { user, session }, wish)
  },

  render: ({ words }) => words,
})

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

/** What was written would be lost without a word. */
function refusePlan(action: string, { plan }: Wish): void {
  if (plan === '') return
  throw new Failure(`${action} takes no plan, and nothing was done: status saves a draft, exit accepts the plan.`)
}

/** Blank is as good as nothing. */
function given(plan: string): string {
  return plan.trim() === '' ? '' : plan
}
