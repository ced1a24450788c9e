// What the process can say of itself: memory, processor time, age, and how late its event loop runs.

import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 20
const NS = 1e9

export interface Vitals {
  residentBytes(): number
  cpuSeconds(): number
  uptimeSeconds(): number
  /** How late timers fired since `forget` was last called, by percentile. */
  loopDelaySeconds(percentile: number): number
  forget(): void
  close(): void
}

export function watchVitals(): Vitals {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  return {
    residentBytes: () => process.memoryUsage.rss(),
    cpuSeconds() {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    },
    uptimeSeconds: () => process.uptime(),
    // Node measures from timer to timer, so an idle loop reads as the resolution rather than as zero.
    loopDelaySeconds: (percentile) => Math.max(0, delays.percentile(percentile) / NS - RESOLUTION_MS / 1000),
    forget: () => delays.reset(),
    close: () => void delays.disable(),
  }
}
