// What a board shows of what is remembered: in each project of the user what waits for the person or for the model, and
// what is under way. Read project by project, when something there has changed.

import type { Rows } from '../../store/state/state.js'
import type { TaskRow } from '../../store/state/task-rows.js'
import type { CallbackView, MessageView, ProjectView, QuestionView, TaskView } from './view.js'

const MAX_QUESTIONS = 50
const MAX_MESSAGES = 50
const MAX_CALLBACKS = 200
const MAX_TASKS = 10
const MAX_STEPS = 20

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
      tasks: await tasksOf(rows),
      openTasks: (await rows.tasks.count({ terms: [] })).open,
    },
  }
}

async function tasksOf({ tasks }: Rows): Promise<readonly TaskView[]> {
  const current = await tasks.current()
  const first = current === undefined ? undefined : await tasks.find(current)
  const others = await tasks.list({ terms: [], state: 'open', except: current }, MAX_TASKS - 1)
  const views: TaskView[] = []
  for (const task of [...(first?.completedAt === null ? [first] : []), ...others]) {
    const steps = await tasks.steps(task.id, { limit: MAX_STEPS })
    views.push(taskView(task, task.id === current, steps))
  }
  return views
}

function taskView(
  { id, name, steps: stepsTotal, stepsDone }: TaskRow,
  isCurrent: boolean,
  steps: readonly { readonly id: number; readonly text: string; readonly completedAt: number | null }[],
): TaskView {
  const shown = steps.map((step) => ({ id: step.id, text: step.text, isDone: step.completedAt !== null }))
  return { id, name, isCurrent, steps: shown, stepsDone, stepsTotal }
}
