// Screen with the plans and tasks of all projects: opens the text of a plan or the steps of a task, and loads older tasks,
// which the view does not contain.

import type { ProjectView, TaskView } from '../../services/board/view.js'
import { attempt, fitting, readAll, type Context } from './context.js'
import { line } from './phrases.js'
import type { Entry } from './prompts.js'
import { projectLine, stepLine, taskLine } from './sections.js'
import { allSteps, olderTasks } from './whole-view.js'

/** Loaded tasks by project. */
type LoadedTasks = Map<string, readonly TaskView[]>

interface Row {
  readonly value: string
  readonly label: string
  readonly open?: () => Promise<void>
}

export async function readTasks(context: Context): Promise<void> {
  const { words: translator, prompts } = context
  const loaded: LoadedTasks = new Map()
  const rows = (): readonly Row[] => context.view().projects.flatMap((project) => projectRows(context, project, loaded))
  for (let selected: string | undefined = 'back'; ;) {
    const { notice } = context
    selected = await prompts.choose(() => {
      const entries = rows().map(({ value, label }): Entry<string> => ({ value, label: fitting(context, label) }))
      const title = translator.say('plansAndTasks')
      const message = notice === '' ? title : `${title}\n${fitting(context, notice)}`
      return { message, entries: [{ value: 'back', label: translator.say('back') }, ...entries] }
    }, selected)
    context.notice = ''
    if (selected === undefined || selected === 'back') return
    const chosen = selected
    const row = rows().find(({ value }) => value === chosen)
    if (row?.open) await attempt(context, row.open, '')
  }
}

function projectRows(context: Context, view: ProjectView, loaded: LoadedTasks): readonly Row[] {
  const { board, words: translator } = context
  const { project, plan, openTasks } = view
  // A loaded task may have become the current one and be part of the view now.
  const listedIds = new Set(view.tasks.map(({ id }) => id))
  const tasks = [...view.tasks, ...(loaded.get(project) ?? []).filter(({ id }) => !listedIds.has(id))]
  const hidden = openTasks - tasks.length
  const loadMore = async (): Promise<void> => {
    loaded.set(project, [...(loaded.get(project) ?? []), ...(await olderTasks(board, project, tasks))])
  }
  const planRow: Row = {
    value: `plan ${project}`,
    label: `  ${translator.say('plan', { goal: line(plan?.goal ?? '') })}`,
    open: () => showPlan(context, project),
  }
  const moreRow: Row = {
    value: `more ${project}`,
    label: `  ${translator.say('moreTasks', { n: hidden })}`,
    open: loadMore,
  }
  return [
    { value: `project ${project}`, label: projectLine(view, translator) },
    ...(plan ? [planRow] : []),
    ...tasks.map((task) => ({
      value: `task ${task.id} ${project}`,
      label: `  ${taskLine(task, translator)}`,
      open: () => showTask(context, project, task),
    })),
    ...(hidden > 0 ? [moreRow] : []),
  ]
}

async function showPlan(context: Context, project: string): Promise<void> {
  const text = await context.board.readPlan(project)
  await readAll(context, text ?? context.words.say('planEmpty'))
}

/** The steps are menu entries, so that they can be scrolled. */
async function showTask(context: Context, project: string, task: TaskView): Promise<void> {
  const { board, prompts, words: translator } = context
  const steps = await allSteps(board, project, task)
  await prompts.choose(() => ({
    message: fitting(context, taskLine(task, translator).trim()),
    entries: [
      { value: 'back', label: translator.say('back') },
      ...steps.map((step) => ({ value: `${step.id}`, label: fitting(context, stepLine(step)) })),
    ],
  }))
}
