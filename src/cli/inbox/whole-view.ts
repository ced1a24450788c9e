// Completes a view by what it does not contain: all open tasks of each project, and the text of its plan.

import { Failure } from '../../lib/failure.js'
import type { Board } from '../../services/board/board.js'
import type { BoardView, ProjectView, StepView, TaskView } from '../../services/board/view.js'

/** Further open tasks of a project are counted but not listed. */
const MAX_TASKS = 2000

export interface WholeProject extends ProjectView {
  /** The open plan as Markdown; null if nothing was written yet. */
  readonly planText?: string | null
}

export async function readWholeView(board: Board, view: BoardView): Promise<BoardView> {
  const projects: WholeProject[] = []
  for (const project of view.projects) projects.push(await readFullProject(board, project))
  return { ...view, projects }
}

async function readFullProject(board: Board, project: ProjectView): Promise<WholeProject> {
  try {
    const planText = project.plan ? ((await board.readPlan(project.project)) ?? null) : null
    return { ...project, planText, tasks: await loadAllTasks(board, project) }
  } catch (error) {
    // The view lists what could not be read under its problems.
    if (error instanceof Failure) return project
    throw error
  }
}

async function loadAllTasks(board: Board, { project, tasks, openTasks }: ProjectView): Promise<readonly TaskView[]> {
  const all = [...tasks]
  while (all.length < Math.min(openTasks, MAX_TASKS)) {
    const more = await olderTasks(board, project, all)
    if (more.length === 0) break
    all.push(...more)
  }
  return all
}

/** The next page of tasks after those in `known`. */
export async function olderTasks(
  board: Board,
  project: string,
  known: readonly TaskView[],
): Promise<readonly TaskView[]> {
  const last = known.findLast(({ isCurrent }) => !isCurrent)
  return last ? board.olderTasks(project, last.id) : []
}

export async function allSteps(board: Board, project: string, task: TaskView): Promise<readonly StepView[]> {
  const all = [...task.steps]
  while (all.length < task.stepsTotal) {
    const more = await board.taskSteps(project, task.id, (all.at(-1)?.id ?? -1) + 1)
    if (more.length === 0) break
    all.push(...more)
  }
  return all
}
