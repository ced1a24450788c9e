// The projects whose tasks are listed: those that have some, and those in which a server works, where the first one can be
// created. Used by the views of tasks of the page and the inbox. Pure.

import type { ProjectView } from './view.js'

export function withServed(projects: readonly ProjectView[], served: readonly string[]): readonly ProjectView[] {
  const known = new Set(projects.map(({ project }) => project))
  const others = [...new Set(served)].filter((project) => !known.has(project))
  return [
    ...projects,
    ...others.map((project) => ({ project, plan: null, tasks: [], openTasks: 0, doneTasks: 0, taskRevision: 0 })),
  ].toSorted((one, other) => (one.project < other.project ? -1 : 1))
}
