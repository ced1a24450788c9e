// One task with its steps, up to a limit, requested again when the tasks of its project change. Used by task-pane.tsx.
// Sends requests through use-console.ts.

import { useEffect, useState } from 'preact/hooks'

import type { StepView, TaskView } from '../../view.js'
import type { ActionResult } from '../api.js'
import { type RunAction, useAction } from '../use-console.js'
import { useServers } from '../use-servers.js'

interface LoadedTask {
  readonly task: TaskView | undefined
  /** Why it could not be read, such as that it was deleted. */
  readonly refused: ActionResult | undefined
}

export function useTask(project: string, id: number, revision: number): LoadedTask {
  const act = useAction()
  const { isConnected } = useServers()
  const [loaded, setLoaded] = useState<LoadedTask>({ task: undefined, refused: undefined })
  useEffect(() => {
    if (!isConnected) return undefined
    let isWanted = true
    void loadTask(act, project, id).then((done) => {
      if (!isWanted) return
      if (done.ok && isTask(done.value)) setLoaded({ task: done.value, refused: undefined })
      // Without a response it may still exist.
      else setLoaded((before) => ({ task: !done.ok && done.status === 409 ? undefined : before.task, refused: done }))
    })
    return () => {
      isWanted = false
    }
  }, [act, project, id, revision, isConnected])
  return loaded
}

/** More would make the page slow. */
const MAX_STEPS = 2000

async function loadTask(act: RunAction, project: string, id: number): Promise<ActionResult> {
  const done = await act('task', { project, id })
  if (!done.ok || !isTask(done.value)) return done
  const steps = [...done.value.steps]
  while (steps.length < Math.min(done.value.stepsTotal, MAX_STEPS)) {
    const more = await act('steps', { project, task: id, from: (steps.at(-1)?.id ?? 0) + 1 })
    if (!more.ok || !isStepList(more.value) || more.value.steps.length === 0) break
    steps.push(...more.value.steps)
  }
  return { ok: true, value: { ...done.value, steps } }
}

function isStepList(value: unknown): value is { readonly steps: readonly StepView[] } {
  return typeof value === 'object' && value !== null && 'steps' in value && Array.isArray(value.steps)
}

function isTask(value: unknown): value is TaskView {
  return typeof value === 'object' && value !== null && 'steps' in value && Array.isArray(value.steps)
}
