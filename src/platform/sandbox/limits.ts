// Limits the number of processes and the memory of a command: by a cgroup of its own if one can be created, otherwise
// by rlimits, which count processes in the user namespace of the command, but memory for each process separately.

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

/** The limits of one command. */
interface Allotment {
  /** Files to which the starting process writes "0" to enter its cgroups. */
  readonly entrances: readonly string[]
  /** Shell code for a bash that is already in the sandbox. */
  readonly ulimits: string
  release(): void
}

interface LimitTerms {
  readonly pids: number
  readonly memoryBytes: number
  readonly isRoot: boolean
  /** The cgroup of this process; set by tests. */
  readonly place?: OwnPlace
}

export function openLimits({ pids, memoryBytes, isRoot, place: ownCgroup = readOwnCgroup() }: LimitTerms): Limits {
  const values = { pids, memory: memoryBytes }
  const parents = findSlots(ownCgroup, values)
  const pool = createSupply(parents, values)
  const mechanismFor = (controller: Controller): LimitedBy => {
    const parent = parents.find(({ controllers }) => controllers.includes(controller))
    if (parent) return `cgroup v${parent.version}`
    // The kernel does not limit the number of processes of root.
    return controller === 'pids' && isRoot ? 'nothing' : 'rlimit'
  }
  const ulimits = [
    // A failing ulimit means that the limit is lower already.
    mechanismFor('pids') === 'rlimit' ? `ulimit -u ${pids} 2>/dev/null; ` : '',
    // Not the address space: runtimes reserve far more of it than they use.
    mechanismFor('memory') === 'rlimit' ? `ulimit -d ${Math.floor(memoryBytes / 1024)} 2>/dev/null; ` : '',
  ].join('')
  return {
    pids: mechanismFor('pids'),
    memory: mechanismFor('memory'),
    allot() {
      const procsFiles = parents.length > 0 ? pool.take() : []
      return { entrances: procsFiles, ulimits, release: () => pool.giveBack(procsFiles) }
    },
    close: () => pool.close(),
  }
}

function readOwnCgroup(): OwnPlace {
  return { mountinfo: readOrEmpty('/proc/self/mountinfo'), cgroup: readOrEmpty('/proc/self/cgroup') }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
