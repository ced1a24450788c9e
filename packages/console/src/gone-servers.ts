// The last data of servers that have exited: kept for five minutes, so that a person still sees what they did. Their
// jobs and calls no longer run. A job that another server has taken over is shown by that server only. Used by
// feed-connections.ts and user-console.ts. Sets a timer.

import type { FeedUpdate } from './socket-messages.js'
import type { CallView, JobView, ServerView } from './view.js'

const KEEP_MS = 5 * 60_000
const MAX_SERVERS = 20

export interface GoneServer {
  readonly server: ServerView
  readonly jobs: readonly JobView[]
  readonly calls: readonly CallView[]
}

export interface GoneServers {
  add(latest: FeedUpdate): void
  /** The server is connected again. */
  remove(id: string): void
  /** Without the jobs that a live server has. */
  list(liveJobs: readonly JobView[]): readonly GoneServer[]
  close(): void
}

export interface GoneServersDeps {
  /** Called when servers are dropped after their time. */
  readonly onExpire: () => void
  readonly now?: () => number
}

export function createGoneServers({ onExpire, now = Date.now }: GoneServersDeps): GoneServers {
  /** In the order in which they exited. */
  const servers = new Map<string, GoneServer>()
  let timer: NodeJS.Timeout | undefined

  function scheduleExpiry(): void {
    clearTimeout(timer)
    const [oldest] = servers.values()
    if (oldest) timer = setTimeout(expire, Math.max(0, (oldest.server.goneAt ?? 0) + KEEP_MS - now())).unref()
  }

  function expire(): void {
    const dropped = [...servers.values()].filter(({ server }) => (server.goneAt ?? 0) + KEEP_MS <= now())
    for (const { server } of dropped) servers.delete(server.id)
    scheduleExpiry()
    if (dropped.length > 0) onExpire()
  }

  return {
    add({ server, jobs = [], calls = [] }) {
      if (!server) return
      const goneAt = now()
      servers.delete(server.id)
      servers.set(server.id, {
        server: { ...server, isGone: true, goneAt },
        jobs: jobs.map((job) => toEndedJob(job, goneAt)),
        calls: calls.map((each) => toEndedCall(each, goneAt)),
      })
      for (const id of [...servers.keys()].slice(0, -MAX_SERVERS)) servers.delete(id)
      scheduleExpiry()
    },
    remove(id) {
      if (servers.delete(id)) scheduleExpiry()
    },
    list(liveJobs) {
      const taken = new Set(liveJobs.map(jobKey))
      return Array.from(servers.values(), ({ jobs, ...gone }) => ({
        ...gone,
        jobs: jobs.filter((job) => !taken.has(jobKey(job))),
      }))
    },
    close() {
      clearTimeout(timer)
      servers.clear()
    },
  }
}

/** Servers of one project number their jobs together. */
function jobKey({ project, id }: JobView): string {
  return JSON.stringify([project, id])
}

function toEndedJob(job: JobView, goneAt: number): JobView {
  if (!job.isRunning) return job
  return { ...job, isRunning: false, endedAt: goneAt, ending: 'unknown', terminal: null }
}

function toEndedCall(call: CallView, goneAt: number): CallView {
  if (call.outcome !== 'running') return call
  return { ...call, outcome: 'cancelled', ms: Math.max(0, goneAt - call.startedAt) }
}
