// What the page sends to read plans and tasks, and to change tasks. Registered in console-actions.ts. Pure; the actions act
// through the console.

import type { StepView, TaskChange, TaskQuery } from '@scorpiox/console/view'
import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import { type ActionParsers, isNumber, isText, parseProjectItem } from './action.js'

const MAX_STEPS = 100

export const TASK_ACTIONS: ActionParsers = {
  plan({ project }) {
    if (!isText(project)) return 'project must be a string'
    return async (userConsole) => (await userConsole.readPlanDetails(project)) ?? { text: null, changes: [] }
  },
  tasks({ project, ...fields }) {
    if (!isText(project)) return 'project must be a string'
    const query = parseQuery(fields)
    return typeof query === 'string' ? query : (userConsole) => userConsole.listTasks(project, query)
  },
  task(fields) {
    const task = parseProjectItem(fields)
    return typeof task === 'string' ? task : (userConsole) => userConsole.readTask(task)
  },
  steps({ project, task, from }) {
    if (!isText(project)) return 'project must be a string'
    if (!isNumber(task)) return 'task must be the number of a task'
    if (!isNumber(from)) return 'from must be the number of a step'
    return async (userConsole) => ({ steps: await userConsole.taskSteps(project, task, from) })
  },
  'change-task'({ project, change }) {
    if (!isText(project)) return 'project must be a string'
    const parsed = isJsonObject(change) ? parseChange(change) : 'change must be an object with a kind'
    return typeof parsed === 'string' ? parsed : (userConsole) => userConsole.changeTask(project, parsed)
  },
}

function parseQuery({ text = '', state = 'all', after = null }: JsonObject): TaskQuery | string {
  if (!isText(text)) return 'text must be a string'
  if (state !== 'open' && state !== 'done' && state !== 'all') return 'state must be "open", "done" or "all"'
  if (after !== null && !isNumber(after)) return 'after must be the next of a page, or null'
  return { text, state, after }
}

function parseChange(fields: JsonObject): TaskChange | string {
  const { kind, id } = fields
  if (kind === 'create') {
    const { name, steps = [] } = fields
    if (!isText(name)) return 'name must be a string'
    return isTextList(steps) ? { kind, name, steps } : STEPS_EXPECTED
  }
  if (!isNumber(id)) return 'id must be the number of a task'
  switch (kind) {
    case 'complete':
    case 'reopen':
    case 'set-current':
      return { kind, id }
    case 'rename': {
      const { name, before } = fields
      if (!isText(name)) return 'name must be a string'
      return isText(before) ? { kind, id, name, before } : 'before must be the name that was shown'
    }
    case 'delete': {
      const seen = parseSeenTask(fields.seen)
      return seen ? { kind, id, seen } : 'seen must be {"name", "isDone", "stepsDone", "stepsTotal"} as shown'
    }
    case 'move':
      return isNumber(fields.to) ? { kind, id, to: fields.to } : 'to must be the number of a task'
    case 'add-steps':
      return isTextList(fields.steps) ? { kind, id, steps: fields.steps } : STEPS_EXPECTED
    default:
      return parseStepChange(fields, id)
  }
}

const STEPS_EXPECTED = `steps must be a list of at most ${MAX_STEPS} strings`

function parseStepChange({ kind, step, text, before, seen }: JsonObject, id: number): TaskChange | string {
  if (kind !== 'rename-step' && kind !== 'complete-step' && kind !== 'reopen-step' && kind !== 'delete-step')
    return 'kind is none of the changes of a task'
  if (!isNumber(step)) return 'step must be the number of a step'
  if (kind === 'delete-step') {
    const seenStep = parseSeenStep(seen)
    return seenStep ? { kind, id, step, seen: seenStep } : 'seen must be {"text", "isDone"} as shown'
  }
  if (kind !== 'rename-step') return { kind, id, step }
  if (!isText(text)) return 'text must be a string'
  return isText(before) ? { kind, id, step, text, before } : 'before must be the text that was shown'
}

type SeenTask = Extract<TaskChange, { readonly kind: 'delete' }>['seen']

function parseSeenTask(value: unknown): SeenTask | undefined {
  if (!isJsonObject(value)) return undefined
  const { name, isDone, stepsDone, stepsTotal } = value
  const isValid = isText(name) && typeof isDone === 'boolean' && isNumber(stepsDone) && isNumber(stepsTotal)
  return isValid ? { name, isDone, stepsDone, stepsTotal } : undefined
}

function parseSeenStep(value: unknown): Pick<StepView, 'text' | 'isDone'> | undefined {
  if (!isJsonObject(value)) return undefined
  const { text, isDone } = value
  return isText(text) && typeof isDone === 'boolean' ? { text, isDone } : undefined
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= MAX_STEPS && value.every(isText)
}
