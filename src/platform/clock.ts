// What time it is, told twice: by the calendar, which people and programs set forwards and backwards, and by a count of
// milliseconds that neither jumps nor stands still while the machine sleeps. The count means something as long as `boot`
// is the same.

import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'

import { bootId, pidSpace } from './process-identity.js'

export interface Moment {
  readonly calendar: number
  readonly uptime: number
  readonly boot: string
}

export type Clock = () => Moment

export function systemClock(): Clock {
  const boot = bootId()
  if (boot === '') return processClock()
  // A container may have a count of its own, though the machine below it was started once.
  const here = `${boot} ${pidSpace()}`
  return () => ({ calendar: Date.now(), uptime: Math.floor(secondsUp() * 1000), boot: here })
}

/** As the system tells it to a hundredth: not every runtime passes on more than whole seconds. */
function secondsUp(): number {
  try {
    const [seconds] = readFileSync('/proc/uptime', 'latin1').split(' ')
    return Number(seconds) || uptime()
  } catch {
    return uptime()
  }
}

/** Where boots have no names, what the system calls uptime is made from the calendar; the count of a process is not. */
function processClock(): Clock {
  const here = crypto.randomUUID()
  return () => ({ calendar: Date.now(), uptime: Math.floor(performance.now()), boot: here })
}
