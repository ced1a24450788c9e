// Time limits that also hold on a busy machine: work is measured in CPU time, waiting in wall time that grows with the
// load.

import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'

/** Starts to count the CPU time of this process; the returned function returns the milliseconds so far. */
export function startCpuClock(): () => number {
  const start = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  }
}

/** A limit of wall time for an idle machine, extended in proportion to the runnable processes per core. */
export function underLoad(ms: number): number {
  const [average = 0] = loadavg()
  return ms * Math.max(1, Math.max(average, runnable()) / availableParallelism())
}

/** The number of runnable processes now; the load average lags behind by a minute. */
function runnable(): number {
  try {
    return Number(/ (\d+)\/\d+ /.exec(readFileSync('/proc/loadavg', 'utf8'))?.[1])
  } catch {
    return 0
  }
}
