// Hooks that load tasks and steps beyond those in the view. They are loaded again when the project changes. Used by
// tasks.tsx. Sends requests through use-console.ts.

import { useEffect, useState } from 'preact/hooks'

import type { ProjectView, StepView, TaskView } from '../../view.js'
import type { ActionResult } from '../api.js'
import { type RunAction, useAction } from '../use-console.js'

export function useOlderTasks(project: ProjectView) {
  const act = useAction()
  const [pages, setPages] = useState(0)
  const [loaded, setLoaded] = useState<Loaded<TaskView>>(NOTHING_LOADED)
  useLoading(() => loadTasks(act, project, pages), setLoaded, [act, project, pages])
  return { older: loaded.items, refused: loaded.refused, showMore: () => setPages((before) => before + 1) }
}

export function useAllSteps(project: string, task: TaskView) {
  const act = useAction()
  const [showsAll, setShowsAll] = useState(false)
  const [loaded, setLoaded] = useState<Loaded<StepView>>(NOTHING_LOADED)
  useLoading(() => (showsAll ? loadSteps(act, project, task) : Promise.resolve(NOTHING_LOADED)), setLoaded, [
    act,
    project,
    task,
    showsAll,
  ])
  return { steps: [...task.steps, ...loaded.items], refused: loaded.refused, showAll: () => setShowsAll(true) }
}

interface Loaded<Item> {
  readonly items: readonly Item[]
  readonly refused?: ActionResult
}

const NOTHING_LOADED = { items: [] }

/** Ignores results of outdated requests. */
function useLoading<Item>(
  load: () => Promise<Loaded<Item>>,
  keep: (loaded: Loaded<Item>) => void,
  inputs: readonly unknown[],
): void {
  useEffect(() => {
    let isWanted = true
    void load().then((loaded) => {
      if (isWanted) keep(loaded)
    })
    return () => {
      isWanted = false
    }
  }, inputs)
}

async function loadTasks(act: RunAction, { project, tasks }: ProjectView, pages: number): Promise<Loaded<TaskView>> {
  const items: TaskView[] = []
  let before = tasks.findLast(({ isCurrent }) => !isCurrent)?.id ?? 0
  for (let page = 0; page < pages; page += 1) {
    const done = await act('tasks', { project, before })
    if (!done.ok) return { items, refused: done }
    const found = listIn(done.value, 'tasks', isTask)
    items.push(...found)
    before = found.at(-1)?.id ?? 0
  }
  return { items }
}

async function loadSteps(act: RunAction, project: string, { id: task, steps }: TaskView): Promise<Loaded<StepView>> {
  const items: StepView[] = []
  for (;;) {
    const from = (items.at(-1) ?? steps.at(-1))?.id ?? 0
    const done = await act('steps', { project, task, from: from + 1 })
    if (!done.ok) return { items, refused: done }
    const found = listIn(done.value, 'steps', isStep)
    if (found.length === 0) return { items }
    items.push(...found)
  }
}

/** Reads the list in a response of our own server. */
function listIn<Item>(
  value: unknown,
  member: 'tasks' | 'steps',
  fits: (item: unknown) => item is Item,
): readonly Item[] {
  const list: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined
  return Array.isArray(list) ? list.filter(fits) : []
}

function isStep(value: unknown): value is StepView {
  return typeof value === 'object' && value !== null && 'id' in value
}

function isTask(value: unknown): value is TaskView {
  return isStep(value) && 'steps' in value
}
