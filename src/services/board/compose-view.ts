// Combines the server feeds and the database view into one view, each part sorted for display.

import type { DeskLinks } from './desk-links.js'
import type { StoredWatch } from './stored-watch.js'
import type { BoardView } from './view.js'

const MAX_CALLS = 100
const MAX_JOBS = 200

export const PARTS = [
  'servers',
  'questions',
  'messages',
  'callbacks',
  'jobs',
  'projects',
  'calls',
  'problems',
] as const satisfies readonly (keyof BoardView)[]

export function composeView(feeds: DeskLinks, database: StoredWatch): BoardView {
  const latest = feeds.all().map((feed) => feed.shown)
  const views = database.views()
  return {
    servers: latest.flatMap(({ server }) => server ?? []).toSorted((a, b) => a.startedAt - b.startedAt),
    questions: views.flatMap(({ questions }) => questions).toSorted((a, b) => a.askedAt - b.askedAt),
    messages: views.flatMap(({ messages }) => messages).toSorted((a, b) => a.createdAt - b.createdAt),
    callbacks: views
      .flatMap(({ callbacks }) => callbacks)
      .toSorted((a, b) => (a.fireAt ?? Infinity) - (b.fireAt ?? Infinity) || a.slot - b.slot),
    // Running jobs first, then the newest.
    jobs: latest
      .flatMap(({ jobs = [] }) => jobs)
      .toSorted((a, b) => Number(b.isRunning) - Number(a.isRunning) || b.startedAt - a.startedAt)
      .slice(0, MAX_JOBS),
    projects: views
      .map(({ project }) => project)
      .filter(({ plan, openTasks }) => plan !== null || openTasks > 0)
      .toSorted((a, b) => (a.project < b.project ? -1 : 1)),
    calls: latest
      .flatMap(({ calls = [] }) => calls)
      .toSorted((a, b) => b.startedAt - a.startedAt)
      .slice(0, MAX_CALLS),
    problems: [database.problem, feeds.problem].filter((problem) => problem !== undefined),
  }
}
