// Plans and tasks of every project, as a list: a plan is read as a whole, a task shows its steps, and the tasks that
// the board does not send by itself are loaded from the list.

import type { ProjectView, TaskView } from '../../services/board/view.js'
import { attempt, fitting, readAll, type Context } from './context.js'
import { line } from './phrases.js'
import type { Entry } from './prompts.js'
import { projectLine, stepLine, taskLine } from './sections.js'
import { allSteps, olderTasks } from './whole-view.js'

/** Tasks that were loaded, by project. */
type Older = Map<string, readonly TaskView[]>

interface Row {
  readonly value: string
  readonly label: string
  readonly open?: () => Promise<void>
}

export async function readTasks(context: Context): Promise<void> {
  const { words, prompts } = context
  const older: Older = new Map()
  const rows = (): readonly Row[] => context.view().projects.flatMap((project) => projectRows(context, project, older))
  for (let at: string | undefined = 'back'; ;) {
    const { notice } = context
    at = await prompts.choose(() => {
      const entries = rows().map(({ value, label }): Entry<string> => ({ value, label: fitting(context, label) }))
      const title = words.say('plansAndTasks')
      const message = notice === '' ? title : `${title}\n${fitting(context, notice)}`
      return { message, entries: [{ value: 'back', label: words.say('back') }, ...entries] }
    }, at)
    context.notice = ''
    if (at === undefined || at === 'back') return
    const chosen = at
    const row = rows().find(({ value }) => value === chosen)
    if (row?.open) await attempt(context, row.open, '')
  }
}

function projectRows(context: Context, view: ProjectView, older: Older): readonly Row[] {
  const { board, words } = context
  const { project, plan, openTasks } = view
  // A task that was loaded may have become the current one.
  const known = new Set(view.tasks.map(({ id }) => id))
  const tasks = [...view.tasks, ...(older.get(project) ?? []).filter(({ id }) => !known.has(id))]
  const hidden = openTasks - tasks.length
  const loadMore = async (): Promise<void> => {
    older.set(project, [...(older.get(project) ?? []), ...(await olderTasks(board, project, tasks))])
  }
  const planRow: Row = {
    value: `plan ${project}`,
    label: `  ${words.say('plan', { goal: line(plan?.goal ?? '') })}`,
    open: () => readPlan(context, project),
  }
  const moreRow: Row = {
    value: `more ${project}`,
    label: `  ${words.say('moreTasks', { n: hidden })}`,
    open: loadMore,
  }
  return [
    { value: `project ${project}`, label: projectLine(view, words) },
    ...(plan ? [planRow] : []),
    ...tasks.map((task) => ({
      value: `task ${task.id} ${project}`,
      label: `  ${taskLine(task, words)}`,
      open: () => readTask(context, project, task),
    })),
    ...(hidden > 0 ? [moreRow] : []),
  ]
}

async function readPlan(context: Context, project: string): Promise<void> {
  const text = await context.board.readPlan(project)
  await readAll(context, text ?? context.words.say('planEmpty'))
}

/** Its steps are the entries: that way they can be scrolled. */
async function readTask(context: Context, project: string, task: TaskView): Promise<void> {
  const { board, prompts, words } = context
  const steps = await allSteps(board, project, task)
  await prompts.choose(() => ({
    message: fitting(context, taskLine(task, words).trim()),
    entries: [
      { value: 'back', label: words.say('back') },
      ...steps.map((step) => ({ value: `${step.id}`, label: fitting(context, stepLine(step)) })),
    ],
  }))
}
