// Screen with the plans and tasks of all projects: opens the text of a plan or the steps of a task, and loads older
// tasks, which the view does not contain. Opened by screens.ts. Reads and writes the terminal; loads tasks through the
// console.

import type { ProjectView, TaskView } from '../view.js'
import { formatProjectRow, formatStepRow, formatTaskRow, sanitizeLine } from './format-view.js'
import { loadAllSteps, loadOlderTasks } from './full-view.js'
import { fitLine, type InboxContext, runAction, showFullText } from './inbox-context.js'
import type { PromptEntry } from './prompts.js'

/** Loaded tasks by project. */
type LoadedTasks = Map<string, readonly TaskView[]>

interface Row {
  readonly value: string
  readonly label: string
  readonly open?: () => Promise<void>
}

export async function showTasks(context: InboxContext): Promise<void> {
  const { translator, prompts } = context
  const loaded: LoadedTasks = new Map()
  const rows = (): readonly Row[] => context.view().projects.flatMap((project) => projectRows(context, project, loaded))
  for (let selected: string | undefined = 'back'; ;) {
    const { statusLine } = context
    selected = await prompts.choose(() => {
      const entries = rows().map(({ value, label }): PromptEntry<string> => ({ value, label: fitLine(context, label) }))
      const title = translator.translate('plansAndTasks')
      const message = statusLine === '' ? title : `${title}\n${fitLine(context, statusLine)}`
      return { message, entries: [{ value: 'back', label: translator.translate('back') }, ...entries] }
    }, selected)
    context.statusLine = ''
    if (selected === undefined || selected === 'back') return
    const chosen = selected
    const row = rows().find(({ value }) => value === chosen)
    if (row?.open) await runAction(context, row.open, '')
  }
}

function projectRows(context: InboxContext, view: ProjectView, loaded: LoadedTasks): readonly Row[] {
  const { userConsole, translator } = context
  const { project, plan, openTasks } = view
  // A loaded task may have become the current one and be part of the view now.
  const listedIds = new Set(view.tasks.map(({ id }) => id))
  const tasks = [...view.tasks, ...(loaded.get(project) ?? []).filter(({ id }) => !listedIds.has(id))]
  const hidden = openTasks - tasks.length
  const loadMore = async (): Promise<void> => {
    loaded.set(project, [...(loaded.get(project) ?? []), ...(await loadOlderTasks(userConsole, project, tasks))])
  }
  const planRow: Row = {
    value: `plan ${project}`,
    label: `  ${translator.translate('plan', { goal: sanitizeLine(plan?.goal ?? '') })}`,
    open: () => showPlan(context, project),
  }
  const moreRow: Row = {
    value: `more ${project}`,
    label: `  ${translator.translate('moreTasks', { n: hidden })}`,
    open: loadMore,
  }
  return [
    { value: `project ${project}`, label: formatProjectRow(view, translator) },
    ...(plan ? [planRow] : []),
    ...tasks.map((task) => ({
      value: `task ${task.id} ${project}`,
      label: `  ${formatTaskRow(task, translator)}`,
      open: () => showTask(context, project, task),
    })),
    ...(hidden > 0 ? [moreRow] : []),
  ]
}

async function showPlan(context: InboxContext, project: string): Promise<void> {
  const text = await context.userConsole.readPlan(project)
  await showFullText(context, text ?? context.translator.translate('planEmpty'))
}

/** The steps are menu entries, so that they can be scrolled. */
async function showTask(context: InboxContext, project: string, task: TaskView): Promise<void> {
  const { userConsole, prompts, translator } = context
  const steps = await loadAllSteps(userConsole, project, task)
  await prompts.choose(() => ({
    message: fitLine(context, formatTaskRow(task, translator).trim()),
    entries: [
      { value: 'back', label: translator.translate('back') },
      ...steps.map((step) => ({ value: `${step.id}`, label: fitLine(context, formatStepRow(step)) })),
    ],
  }))
}
