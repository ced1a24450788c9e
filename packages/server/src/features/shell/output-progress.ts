// Reports the latest output line of a running command as progress, at most four times a second. If there is no new
// line for a while, the last one is repeated with the elapsed time, to show that the command still runs.

import type { CommandExecution } from './command-execution.js'

const MIN_INTERVAL_MS = 250
const HEARTBEAT_MS = 5000

/** Returns a function that stops it. */
export function reportLatestLine(execution: CommandExecution, report: (line: string) => void): () => void {
  const startedAt = performance.now()
  let reportedAt = -Infinity
  let timer: NodeJS.Timeout | undefined

  function reportNow(): void {
    clearTimeout(timer)
    reportedAt = performance.now()
    report(execution.renderer.latestLine())
    scheduleRepeat()
  }

  function scheduleRepeat(): void {
    timer = setTimeout(() => {
      reportedAt = performance.now()
      const seconds = Math.round((performance.now() - startedAt) / 1000)
      report(`${execution.renderer.latestLine()} [${seconds} s]`.trimStart())
      scheduleRepeat()
    }, HEARTBEAT_MS)
  }

  let isScheduled = false
  const unsubscribe = execution.onOutput(() => {
    if (isScheduled) return
    const wait = MIN_INTERVAL_MS - (performance.now() - reportedAt)
    if (wait <= 0) return reportNow()
    isScheduled = true
    clearTimeout(timer)
    timer = setTimeout(() => {
      isScheduled = false
      reportNow()
    }, wait)
  })
  scheduleRepeat()
  return () => {
    unsubscribe()
    clearTimeout(timer)
  }
}
