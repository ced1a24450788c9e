// Reports the latest output line of a running command as progress, at most four times a second. If there is no new
// line for a while, the last one is repeated with the elapsed time, to show that the command still runs.

import { startHeartbeat } from '../../progress-heartbeat.js'
import type { CommandExecution } from './command-execution.js'

const MIN_INTERVAL_MS = 250

/** Returns a function that stops it. */
export function reportLatestLine(execution: CommandExecution, report: (line: string) => void): () => void {
  let reportedAt = -Infinity
  let timer: NodeJS.Timeout | undefined

  const heartbeat = startHeartbeat((seconds) => {
    reportedAt = performance.now()
    report(`${execution.renderer.latestLine()} [${seconds} s]`.trimStart())
  })

  function reportNow(): void {
    timer = undefined
    reportedAt = performance.now()
    heartbeat.restart()
    report(execution.renderer.latestLine())
  }

  const unsubscribe = execution.onOutput(() => {
    if (timer !== undefined) return
    const wait = MIN_INTERVAL_MS - (performance.now() - reportedAt)
    if (wait <= 0) return reportNow()
    heartbeat.restart()
    timer = setTimeout(reportNow, wait)
  })
  return () => {
    unsubscribe()
    heartbeat.stop()
    clearTimeout(timer)
  }
}
