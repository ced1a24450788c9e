// Memory, processor time, uptime and event-loop delay of this process. Read by metrics.ts for each scrape. Node
// measures the delay with a timer of 20 ms until it is closed.

import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 20
const NS_PER_SECOND = 1e9

export interface ProcessStats {
  residentBytes(): number
  cpuSeconds(): number
  uptimeSeconds(): number
  /** How late timers fired since the last reset, by percentile. */
  loopDelaySeconds(percentile: number): number
  resetDelays(): void
  close(): void
}

export function startProcessStats(): ProcessStats {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  return {
    residentBytes: () => process.memoryUsage.rss(),
    cpuSeconds() {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    },
    uptimeSeconds: () => process.uptime(),
    // Node.js measures from timer to timer, so an idle loop shows the resolution rather than zero.
    loopDelaySeconds: (percentile) => Math.max(0, delays.percentile(percentile) / NS_PER_SECOND - RESOLUTION_MS / 1000),
    resetDelays: () => delays.reset(),
    close: () => void delays.disable(),
  }
}
