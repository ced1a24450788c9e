// The opened jobs of each user (createJobsByUser). A user that made no call for an hour and has nothing running is
// forgotten: the jobs are on disk, and the next call opens them again. Used by job-service. Sets a timer.

import type { UserJobs } from './user-jobs.js'

const FORGET_AFTER_MS = 60 * 60 * 1000
const CHECK_INTERVAL_MS = 10 * 60 * 1000

export interface JobsByUser {
  /** Opens them if needed. After a failure the next call tries again. */
  of(user: string): Promise<UserJobs>
  ifOpen(user: string): Promise<UserJobs> | undefined
  all(): readonly Promise<UserJobs>[]
  /** Ends the timer. */
  close(): void
}

interface OpenUser {
  readonly jobs: Promise<UserJobs>
  usedAt: number
}

export function createJobsByUser(open: (user: string) => Promise<UserJobs>): JobsByUser {
  const users = new Map<string, OpenUser>()
  const timer = setInterval(() => void forgetIdle(), CHECK_INTERVAL_MS).unref()

  /** A single user is kept: it is the one of a stdio server, whose session continues to read where it stopped. */
  async function forgetIdle(): Promise<void> {
    for (const [user, opened] of users) {
      const jobs = await opened.jobs.catch(() => undefined)
      const isIdle = performance.now() - opened.usedAt > FORGET_AFTER_MS
      if (!isIdle || users.size === 1 || !jobs || jobs.list().some(({ isRunning }) => isRunning)) continue
      users.delete(user)
    }
  }

  return {
    of(user) {
      const existing = users.get(user)
      if (existing) {
        existing.usedAt = performance.now()
        return existing.jobs
      }
      const jobs = open(user)
      users.set(user, { jobs, usedAt: performance.now() })
      jobs.catch(() => users.delete(user))
      return jobs
    },
    ifOpen: (user) => users.get(user)?.jobs,
    all: () => Array.from(users.values(), ({ jobs }) => jobs),
    close: () => clearInterval(timer),
  }
}
