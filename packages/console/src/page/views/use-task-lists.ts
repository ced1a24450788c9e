// The tasks of the projects that the view of tasks lists, page by page, loaded again when they change. Moves are shown at
// once and sent one after the other. Used by tasks.tsx. Sends requests through use-console.ts.

import { useEffect, useRef, useState } from 'preact/hooks'

import type { ProjectView, TaskPage, TaskQuery, TaskView } from '../../view.js'
import type { ActionResult } from '../api.js'
import { useAction } from '../use-console.js'
import { useServers } from '../use-servers.js'

export interface TaskList {
  /** Undefined while the first page is loaded. */
  readonly tasks: readonly TaskView[] | undefined
  readonly found: number
  /** Null: there are no more. */
  readonly next: number | null
  readonly refused: ActionResult | undefined
}

export interface TaskLists {
  readonly of: (project: string) => TaskList
  readonly loadMore: (project: string) => void
  /** Gives a task the place of another one. */
  readonly move: (project: string, id: number, to: number) => Promise<ActionResult>
}

type Filter = Pick<TaskQuery, 'text' | 'state'>

const NOT_LOADED: TaskList = { tasks: undefined, found: 0, next: null, refused: undefined }

export function useTaskLists(projects: readonly ProjectView[], { text, state }: Filter): TaskLists {
  const act = useAction()
  const { isConnected } = useServers()
  const [lists, setLists] = useState<ReadonlyMap<string, TaskList>>(new Map())
  const latest = useRef(lists)
  const loader = useRef(createLoader()).current
  const filter = useRef({ text, state })
  filter.current = { text, state }

  const keep = (project: string, list: TaskList): void => {
    latest.current = new Map(latest.current).set(project, list)
    setLists(latest.current)
  }
  /** Loads pages after those in `first` until there are as many tasks as wanted. An older load is given up. */
  const load = async (project: string, first: readonly TaskView[], from: number | null): Promise<void> => {
    const isCurrent = loader.begin(project)
    const tasks = [...first]
    for (let after = from; ;) {
      const done = await act('tasks', { project, ...filter.current, after })
      if (!isCurrent()) return
      if (!done.ok || !isTaskPage(done.value)) {
        loader.end(project)
        const before = latest.current.get(project) ?? NOT_LOADED
        return keep(project, { ...before, tasks: before.tasks ?? [], refused: done })
      }
      const found = tasks.length + done.value.found
      tasks.push(...done.value.tasks)
      after = done.value.next
      if (after !== null && tasks.length < loader.countOf(project)) continue
      loader.end(project)
      return keep(project, { tasks: distinct(tasks), found, next: after, refused: undefined })
    }
  }

  const known = useRef(new Map<string, { readonly filter: string; readonly revision: number }>()).current
  const revisions = projects.map(({ project, taskRevision }) => `${taskRevision} ${project}`).join('\n')
  useEffect(() => {
    for (const { project, taskRevision } of projects) {
      const before = known.get(project)
      const now = { filter: `${state} ${text}`, revision: taskRevision }
      const hasFailed = isConnected && latest.current.get(project)?.refused !== undefined
      if (before?.filter === now.filter && before.revision === now.revision && !hasFailed) continue
      known.set(project, now)
      if (before?.filter !== now.filter) loader.want(project, 0)
      if (!loader.isMoving(project)) void load(project, [], null)
    }
  }, [revisions, text, state, isConnected])

  return {
    of: (project) => lists.get(project) ?? NOT_LOADED,
    loadMore(project) {
      const { tasks, next } = latest.current.get(project) ?? NOT_LOADED
      if (tasks === undefined || next === null) return
      loader.want(project, tasks.length + 1)
      if (!loader.isLoading(project)) void load(project, tasks, next)
    },
    async move(project, id, to) {
      const list = latest.current.get(project) ?? NOT_LOADED
      if (list.tasks !== undefined) keep(project, { ...list, tasks: moveTo(list.tasks, id, to) })
      const done = await loader.move(project, () => act('change-task', { project, change: { kind: 'move', id, to } }))
      if (!loader.isMoving(project)) void load(project, [], null)
      return done
    },
  }
}

/** Which load of a project is the current one, how many tasks it wants, and the moves that are sent one after the other. */
function createLoader() {
  const loads = new Map<string, symbol>()
  const counts = new Map<string, number>()
  const moving = new Map<string, number>()
  let lastMove = Promise.resolve()
  return {
    begin(project: string): () => boolean {
      const id = Symbol(project)
      loads.set(project, id)
      return () => loads.get(project) === id
    },
    end: (project: string): void => void loads.delete(project),
    isLoading: (project: string): boolean => loads.has(project),
    countOf: (project: string): number => counts.get(project) ?? 0,
    want: (project: string, count: number): void => void counts.set(project, count),
    isMoving: (project: string): boolean => (moving.get(project) ?? 0) > 0,
    async move(project: string, send: () => Promise<ActionResult>): Promise<ActionResult> {
      // What is being loaded does not have the order that is shown.
      loads.delete(project)
      moving.set(project, (moving.get(project) ?? 0) + 1)
      const sent = lastMove.then(send)
      lastMove = sent.then(() => undefined)
      const done = await sent
      moving.set(project, (moving.get(project) ?? 1) - 1)
      return done
    },
  }
}

/** A task that moved between two pages may be on both. */
function distinct(tasks: readonly TaskView[]): readonly TaskView[] {
  return [...new Map(tasks.map((task) => [task.id, task])).values()]
}

function moveTo(tasks: readonly TaskView[], id: number, to: number): readonly TaskView[] {
  const task = tasks.find((each) => each.id === id)
  const target = tasks.findIndex((each) => each.id === to)
  if (task === undefined || target < 0) return tasks
  const others = tasks.filter((each) => each !== task)
  return [...others.slice(0, target), task, ...others.slice(target)]
}

function isTaskPage(value: unknown): value is TaskPage {
  return typeof value === 'object' && value !== null && 'tasks' in value && Array.isArray(value.tasks)
}
