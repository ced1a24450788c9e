// Notifies subscribers of the resources of jobs: that a job has started, printed or ended. Created by job-service, one
// for each user. Sets timers; no other I/O.

import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { JOBS_URI, jobUri } from './job-resources.js'
import type { Job } from './job.js'

/** Minimum interval between output notifications of one job. */
const NOTIFY_INTERVAL_MS = 500

/** Notifies subscribers: of output at intervals, of start and end at once. */
export function createJobChangeNotifier(changeEvents: ChangeEvents, user: string): (job: Job) => void {
  const listed = new Set<number>()
  const scheduled = new Set<number>()
  return ({ id, isRunning, record }) => {
    if (record.background && listed.has(id) !== isRunning) changeEvents.notifyResourceUpdated(JOBS_URI, user)
    if (record.background && isRunning) listed.add(id)
    else listed.delete(id)
    if (!isRunning) return changeEvents.notifyResourceUpdated(jobUri(id), user)
    if (scheduled.has(id)) return
    scheduled.add(id)
    const notify = (): void => {
      scheduled.delete(id)
      changeEvents.notifyResourceUpdated(jobUri(id), user)
    }
    setTimeout(notify, NOTIFY_INTERVAL_MS).unref()
  }
}
