// Reads the time twice: the wall clock, which people and programs set forwards and backwards, and a count of
// milliseconds that neither jumps nor stops while the machine is suspended. Counts are comparable if `boot` is equal.
// Used by callbacks and session leases. Reads /proc/uptime with each reading; boot id and pid namespace once.

import { uptime } from 'node:os'

import { readFileOrEmpty } from '../files/read-file-or-empty.js'
import { pidNamespace, readBootId } from './process-identity.js'

export interface ClockReading {
  readonly wallMs: number
  readonly uptimeMs: number
  readonly boot: string
}

export type Clock = () => ClockReading

export function createSystemClock(): Clock {
  const boot = readBootId()
  if (boot === '') return createProcessClock()
  // A container may have a counter of its own although the machine below it was booted once.
  const bootKey = `${boot} ${pidNamespace()}`
  return () => ({ wallMs: Date.now(), uptimeMs: Math.floor(readUptimeSeconds() * 1000), boot: bootKey })
}

/** Read from /proc, with hundredths of a second: some runtimes return whole seconds only. */
function readUptimeSeconds(): number {
  const [seconds] = readFileOrEmpty('/proc/uptime').split(' ')
  return Number(seconds) || uptime()
}

/** Without a boot ID, os.uptime() is computed from the wall clock; performance.now() is not. */
function createProcessClock(): Clock {
  const bootKey = crypto.randomUUID()
  return () => ({ wallMs: Date.now(), uptimeMs: Math.floor(performance.now()), boot: bootKey })
}
