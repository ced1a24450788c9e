// The order of a list of jobs: running ones first, then those that ended, the newest first. Used by the page and the
// inbox. Pure.

import type { JobView } from './view.js'

export function sortJobs(jobs: readonly JobView[]): readonly JobView[] {
  return jobs.toSorted(
    (a, b) =>
      Number(b.isRunning) - Number(a.isRunning) ||
      (b.endedAt ?? b.startedAt) - (a.endedAt ?? a.startedAt) ||
      b.id - a.id,
  )
}
