// How many processes a command may have and how much memory: by a cgroup of its own where one can be made, otherwise by
// rlimits, which count processes in the command's user namespace but memory only for each process by itself.

import { readFileSync } from 'node:fs'

import { createSupply } from './cgroup-supply.js'
import { findSlots, type Controller, type OwnPlace } from './cgroups.js'

export type LimitedBy = 'cgroup v1' | 'cgroup v2' | 'rlimit' | 'nothing'

export interface Limits {
  readonly pids: LimitedBy
  readonly memory: LimitedBy
  allot(): Allotment
  close(): void
}

/** What one command may take. */
export interface Allotment {
  /** Files into which the starting process writes "0", and is limited from then on. */
  readonly entrances: readonly string[]
  /** Words for a bash that already is in the sandbox. */
  readonly ulimits: string
  release(): void
}

export interface LimitTerms {
  readonly pids: number
  readonly memoryBytes: number
  readonly isRoot: boolean
  /** Where this process is; told by tests. */
  readonly place?: OwnPlace
}

export function openLimits({ pids, memoryBytes, isRoot, place = ownPlace() }: LimitTerms): Limits {
  const values = { pids, memory: memoryBytes }
  const slots = findSlots(place, values)
  const supply = createSupply(slots, values)
  const by = (controller: Controller): LimitedBy => {
    const slot = slots.find(({ controllers }) => controllers.includes(controller))
    if (slot) return `cgroup v${slot.version}`
    // The kernel lets root have as many processes as it likes.
    return controller === 'pids' && isRoot ? 'nothing' : 'rlimit'
  }
  const ulimits = [
    // What fails does so because the limit is lower already.
    by('pids') === 'rlimit' ? `ulimit -u ${pids} 2>/dev/null; ` : '',
    // Not the address space: runtimes reserve far more of that than they ever use.
    by('memory') === 'rlimit' ? `ulimit -d ${Math.floor(memoryBytes / 1024)} 2>/dev/null; ` : '',
  ].join('')
  return {
    pids: by('pids'),
    memory: by('memory'),
    allot() {
      const entrances = slots.length > 0 ? supply.take() : []
      return { entrances, ulimits, release: () => supply.giveBack(entrances) }
    },
    close: () => supply.close(),
  }
}

function ownPlace(): OwnPlace {
  return { mountinfo: read('/proc/self/mountinfo'), cgroup: read('/proc/self/cgroup') }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
