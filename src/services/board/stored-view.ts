// Reads what the console shows of one project from the database: questions, messages, callbacks, plan and tasks.

import type { Rows } from '../../store/state/state.js'
import type { StepRow, TaskRow, TaskRows } from '../../store/state/task-rows.js'
import type { CallbackView, MessageView, ProjectView, QuestionView, StepView, TaskView } from './view.js'

const MAX_QUESTIONS = 50
const MAX_MESSAGES = 50
const MAX_CALLBACKS = 200
const MAX_TASKS = 10
const MAX_STEPS = 20
/** Limit per request. */
const MORE_TASKS = 100
const MORE_STEPS = 500

export interface StoredView {
  readonly questions: readonly QuestionView[]
  readonly messages: readonly MessageView[]
  readonly callbacks: readonly CallbackView[]
  readonly project: ProjectView
}

export async function readStored(project: string, rows: Rows): Promise<StoredView> {
  const [questions, messages, callbacks] = [
    await rows.questions.open(),
    await rows.messages.waiting(),
    await rows.callbacks.all(),
  ]
  const plan = await rows.plans.open()
  return {
    questions: questions
      .slice(0, MAX_QUESTIONS)
      .map(({ id, askedAt, waiting, questions: asked }) => ({ project, id, askedAt, waiting, questions: asked })),
    messages: messages
      .slice(0, MAX_MESSAGES)
      .map(({ id, kind, text, createdAt }) => ({ project, id, kind, text, createdAt })),
    callbacks: callbacks.slice(0, MAX_CALLBACKS).map((row) => ({
      project,
      session: row.session,
      slot: row.slot,
      message: row.message,
      fireAt: row.fireAt,
      everyMs: row.delayMs,
      repeatsLeft: row.repeatsLeft,
      job: row.job,
      pattern: row.pattern,
    })),
    project: {
      project,
      plan: plan ? { goal: plan.goal, startedAt: plan.startedAt } : null,
      tasks: await readTasks(rows),
      openTasks: (await rows.tasks.count({ terms: [] })).open,
    },
  }
}

async function readTasks({ tasks }: Rows): Promise<readonly TaskView[]> {
  const current = await tasks.current()
  const first = current === undefined ? undefined : await tasks.find(current)
  const currentTask = first?.completedAt === null ? [first] : []
  const others = await tasks.list({ terms: [], state: 'open', except: current }, MAX_TASKS - currentTask.length)
  return toTaskViews(tasks, [...currentTask, ...others], current)
}

/** Open tasks with smaller ids, newest first, without the current task. */
export async function olderTasks({ tasks }: Rows, before: number): Promise<readonly TaskView[]> {
  const current = await tasks.current()
  return toTaskViews(
    tasks,
    await tasks.list({ terms: [], state: 'open', except: current, before }, MORE_TASKS),
    current,
  )
}

export async function taskSteps({ tasks }: Rows, task: number, from: number): Promise<readonly StepView[]> {
  return (await tasks.steps(task, { from, limit: MORE_STEPS })).map(toStepView)
}

async function toTaskViews(
  tasks: TaskRows,
  rows: readonly TaskRow[],
  current: number | undefined,
): Promise<TaskView[]> {
  const views: TaskView[] = []
  for (const { id, name, steps: stepsTotal, stepsDone } of rows) {
    const steps = (await tasks.steps(id, { limit: MAX_STEPS })).map(toStepView)
    views.push({ id, name, isCurrent: id === current, steps, stepsDone, stepsTotal })
  }
  return views
}

function toStepView({ id, text, completedAt }: StepRow): StepView {
  return { id, text, isDone: completedAt !== null }
}
