// Completes a view, through the console, by what it does not contain: all open tasks of each project, and the text of
// its plan. Used by the inbox. No I/O of its own.

import { Failure } from '@scorpiox/mcp/errors'
import type { UserConsole } from '../user-console.js'
import type { ConsoleView, ProjectView, StepView, TaskPage, TaskView } from '../view.js'

/** Further open tasks of a project are counted but not listed. */
const MAX_TASKS = 2000

export interface FullProjectView extends ProjectView {
  /** The open plan as Markdown; null if nothing was written yet. */
  readonly planText?: string | null
}

export async function readFullView(userConsole: UserConsole, view: ConsoleView): Promise<ConsoleView> {
  const projects: FullProjectView[] = []
  for (const project of view.projects) projects.push(await readFullProject(userConsole, project))
  return { ...view, projects }
}

async function readFullProject(userConsole: UserConsole, project: ProjectView): Promise<FullProjectView> {
  try {
    const planText = project.plan ? ((await userConsole.readPlan(project.project)) ?? null) : null
    return { ...project, planText, tasks: await loadAllTasks(userConsole, project) }
  } catch (error) {
    // The view lists what could not be read under its problems.
    if (error instanceof Failure) return project
    throw error
  }
}

async function loadAllTasks(
  userConsole: UserConsole,
  { project, tasks, openTasks }: ProjectView,
): Promise<readonly TaskView[]> {
  if (tasks.length >= openTasks) return tasks
  const others = await loadOpenTasks(userConsole, project)
  const current = tasks.filter(({ isCurrent }) => isCurrent)
  return [...current, ...others.filter(({ isCurrent }) => !isCurrent)].slice(0, MAX_TASKS)
}

async function loadOpenTasks(userConsole: UserConsole, project: string): Promise<readonly TaskView[]> {
  const all: TaskView[] = []
  for (let after: number | null = null; ;) {
    const page: TaskPage = await userConsole.listTasks(project, { text: '', state: 'open', after })
    all.push(...page.tasks)
    after = page.next
    if (after === null || all.length >= MAX_TASKS) return all
  }
}

export async function loadAllSteps(
  userConsole: UserConsole,
  project: string,
  task: TaskView,
): Promise<readonly StepView[]> {
  const all = [...task.steps]
  while (all.length < task.stepsTotal) {
    const more = await userConsole.taskSteps(project, task.id, (all.at(-1)?.id ?? -1) + 1)
    if (more.length === 0) break
    all.push(...more)
  }
  return all
}
