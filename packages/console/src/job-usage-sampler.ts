// Measures what running jobs use while a user watches, for server-feed.ts: at least three seconds apart, and so that it
// takes at most a hundredth of the processor time. What was measured in the last minutes is kept for each job. Reads
// /proc through the shell feature; sets a timer.

import type { Job, JobUsage } from '@scorpiox/server/features/shell/index'
import { canMeasureJobs, readJobUsage } from '@scorpiox/server/features/shell/lazy'
import type { JobUsageSample, JobUsageView, JobView } from './view.js'

const INTERVAL_MS = 3000
/** The share of the processor time that measuring takes is at most the reciprocal. */
const COST_FACTOR = 100
/** Three minutes at the shortest interval. */
const MAX_SAMPLES = 60
const MAX_PORTS = 50
/** A longer pause begins a new history: its average would look like one moment. */
const MAX_PAUSE_FACTOR = 4

export interface JobUsageSampler {
  /** Measures soon, unless that was done or is planned. Call when jobs are listed. */
  request(): void
  usageOf(job: Job): NonNullable<JobView['usage']> | null
  stop(): void
}

export interface JobUsageSamplerDeps {
  /** The running jobs of the users who watch. */
  readonly listWatched: () => Promise<readonly Job[]>
  /** Called after a measurement. */
  readonly onMeasured: () => void
}

export function createJobUsageSampler({ listWatched, onMeasured }: JobUsageSamplerDeps): JobUsageSampler {
  const canMeasure = canMeasureJobs()
  const measured = new WeakMap<Job, JobUsageView>()
  let timer: NodeJS.Timeout | undefined
  let intervalMs = INTERVAL_MS
  let nextAt = 0
  let isStopped = false

  async function measure(): Promise<void> {
    const jobs = await listWatched().catch(() => [])
    timer = undefined
    if (jobs.length === 0 || isStopped) return
    const before = process.cpuUsage()
    const usages = readJobUsage(jobs)
    const { user, system } = process.cpuUsage(before)
    const maxPauseMs = intervalMs * MAX_PAUSE_FACTOR
    intervalMs = Math.max(INTERVAL_MS, ((user + system) / 1000) * COST_FACTOR)
    nextAt = performance.now() + intervalMs
    for (const [job, usage] of usages)
      if (usage.processes > 0) measured.set(job, addSample(measured.get(job), usage, maxPauseMs))
    onMeasured()
  }

  return {
    request() {
      if (!canMeasure || timer || isStopped) return
      timer = setTimeout(() => void measure(), Math.max(0, nextAt - performance.now())).unref()
    },
    usageOf: (job) => (job.isRunning ? (canMeasure ? (measured.get(job) ?? null) : 'unknown') : null),
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

function addSample(before: JobUsageView | undefined, usage: JobUsage, maxPauseMs: number): JobUsageView {
  const { ports, hasOwnNetwork, processes, memoryBytes, processorMs } = usage
  const at = Date.now()
  const view = { ports: ports.slice(0, MAX_PORTS), hasOwnNetwork, processes, memoryBytes, processorMs, at }
  const elapsedMs = at - (before?.at ?? 0)
  if (!before || elapsedMs <= 0 || elapsedMs > maxPauseMs) return { ...view, history: [], historySince: at }
  // Processes that end take their time with them, unless their parent has waited for them.
  const processorPercent = Math.max(0, Math.round(((processorMs - before.processorMs) / elapsedMs) * 100))
  const all: readonly JobUsageSample[] = [...before.history, { processorPercent, memoryBytes }]
  const history = all.slice(-MAX_SAMPLES)
  const droppedMs = (all.length - history.length) * (elapsedMs > 0 ? (at - before.historySince) / all.length : 0)
  return { ...view, history, historySince: Math.round(before.historySince + droppedMs) }
}
