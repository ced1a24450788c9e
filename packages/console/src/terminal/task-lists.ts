// The tasks of all projects as the inbox has loaded them: in pages, for what is searched, and again when something
// changes. Used by tasks-screen.ts. Loads through the console.

import { Failure } from '@scorpiox/mcp/errors'
import type { ProjectView, TaskPage, TaskQuery, TaskView } from '../view.js'
import type { InboxContext } from './inbox-context.js'

/** More than this is found by searching. */
const MAX_TASKS = 5000

export type TaskFilter = Pick<TaskQuery, 'text' | 'state'>

export interface TaskList {
  readonly tasks: readonly TaskView[]
  readonly found: number
  /** Why they could not be read. */
  readonly problem: string
}

export interface TaskLists {
  filter: TaskFilter
  /** Those loaded so far; loads the first ones, and changed ones. */
  of(project: ProjectView): TaskList
  loadMore(): void
  /** After a change of one's own. */
  reload(): void
}

interface LoadedTasks extends TaskList {
  readonly next: number | null
  /** Of the project and the filter that it was loaded for; undefined: to be loaded again. */
  loadedFor: string | undefined
  isLoading: boolean
}

export function createTaskLists({ userConsole, ui }: InboxContext): TaskLists {
  const loaded = new Map<string, LoadedTasks>()
  let filter: TaskFilter = { text: '', state: 'open' }

  async function load(project: string, key: string, count: number): Promise<void> {
    const before = loaded.get(project)
    loaded.set(project, { tasks: [], found: 0, next: null, problem: '', ...before, loadedFor: key, isLoading: true })
    const result = await readTasks(project, count)
    const isCurrent = loaded.get(project)?.loadedFor === key
    // Another search has begun meanwhile: its tasks are loaded when they are drawn.
    loaded.set(project, { ...result, loadedFor: isCurrent ? key : undefined, isLoading: false })
    ui.redraw()
  }

  async function readTasks(project: string, count: number): Promise<TaskList & { readonly next: number | null }> {
    const tasks: TaskView[] = []
    let page: TaskPage | undefined
    try {
      do {
        page = await userConsole.listTasks(project, { ...filter, after: page?.next ?? null })
        tasks.push(...page.tasks)
      } while (page.next !== null && tasks.length < count)
      return { tasks, found: tasks.length - page.tasks.length + page.found, next: page.next, problem: '' }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { tasks, found: tasks.length, next: null, problem: error.message }
    }
  }

  const keyOf = ({ taskRevision }: ProjectView): string => JSON.stringify([filter, taskRevision])

  return {
    get filter() {
      return filter
    },
    set filter(value) {
      filter = value
    },
    of(view) {
      const known = loaded.get(view.project)
      const key = keyOf(view)
      if (!known?.isLoading && known?.loadedFor !== key) void load(view.project, key, known?.tasks.length ?? 1)
      return known ?? { tasks: [], found: 0, problem: '' }
    },
    loadMore() {
      const found = [...loaded].find(
        ([, { tasks, next, loadedFor, isLoading }]) =>
          next !== null && !isLoading && loadedFor !== undefined && tasks.length < MAX_TASKS,
      )
      if (found?.[1].loadedFor !== undefined) void load(found[0], found[1].loadedFor, found[1].tasks.length + 1)
    },
    reload() {
      for (const list of loaded.values()) list.loadedFor = undefined
      ui.redraw()
    },
  }
}
