// Records the background jobs of this server with the calls: when each started and ended. Jobs are listed after a change,
// not at the change, so that commands do not wait for it. Created by services.ts of the app. Sets a timer; writes through
// the history.

import { settlesWithin } from '../../async/timeouts.js'
import { createThrottle } from '../../async/concurrency.js'
import type { CallHistory } from './call-history.js'
import type { PastJob } from './past-job-table.js'

export interface JobRecorder {
  /** The jobs of a user have changed. */
  onChange(user: string): void
  /** Records what is left, as far as it can in this time. */
  close(): Promise<void>
}

export interface JobRecorderDeps {
  /** Jobs of a user in this server, as they are now; `isLast`: the server stops, and they with it. */
  readonly listJobs: (user: string, isLast: boolean) => Promise<readonly PastJob[]>
  readonly openHistory: () => Promise<Pick<CallHistory, 'appendJobs'>>
  readonly onError: (error: unknown) => void
}

const DELAY_MS = 500
const MAX_CLOSE_MS = 2000
/** More than a server lists. */
const MAX_KNOWN = 5000

export function createJobRecorder({ listJobs, openHistory, onError }: JobRecorderDeps): JobRecorder {
  const changed = new Set<string>()
  /** Users with jobs that run. */
  const running = new Set<string>()
  /** What was recorded of each job. */
  const known = new Map<string, number | null>()
  let hasFailed = false
  let recorded = Promise.resolve()

  async function recordUser(user: string, isLast: boolean): Promise<void> {
    const keyOf = ({ id, startedAt }: PastJob): string => JSON.stringify([user, id, startedAt])
    const all = await listJobs(user, isLast)
    if (all.some(({ endedAt }) => endedAt === null)) running.add(user)
    else running.delete(user)
    const jobs = all.filter((job) => known.get(keyOf(job)) !== job.endedAt)
    if (jobs.length === 0) return
    await (await openHistory()).appendJobs(user, jobs)
    if (known.size > MAX_KNOWN) known.clear()
    for (const job of jobs) known.set(keyOf(job), job.endedAt)
  }

  /** One after the other, so that `close` also waits for the one that is under way. */
  function record(isLast: boolean): Promise<void> {
    recorded = recorded.then(() => recordChanged(isLast))
    return recorded
  }

  async function recordChanged(isLast: boolean): Promise<void> {
    const users = new Set([...changed, ...(isLast ? running : [])])
    changed.clear()
    for (const user of users) {
      try {
        await recordUser(user, isLast)
      } catch (error) {
        if (!hasFailed) onError(error)
        hasFailed = true
      }
    }
  }

  const recording = createThrottle(DELAY_MS, () => record(false))
  return {
    onChange(user) {
      changed.add(user)
      recording.request()
    },
    async close() {
      recording.stop()
      await settlesWithin(MAX_CLOSE_MS, record(true))
    },
  }
}
