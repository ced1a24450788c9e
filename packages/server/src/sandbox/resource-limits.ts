// Limits the number of processes and the memory of each sandboxed command: by a cgroup of its own if one can be
// created, otherwise by rlimits, which count processes in the user namespace of the command, but memory for each
// process separately. Opened by sandbox.ts, used by command-factory. Creates and removes cgroups. Sets timers.

import { existsSync, rmdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { readFileOrEmpty } from '../files/read-file-or-empty.js'
import {
  type CgroupController,
  type CgroupParent,
  createCgroup,
  createCommonCgroup,
  findCgroupParents,
  type LimitValues,
  type OwnCgroup,
} from './cgroups.js'

const RETRIES = 6
const RETRY_MS = 10
/** The kernel ends a process without a reason; up to the limit itself, command-memory.ts gives one. */
const KERNEL_MARGIN = 1.1

interface CgroupPool {
  /** The cgroup.procs files through which a process enters its cgroups. */
  acquire(): readonly string[]
  release(procsFiles: readonly string[]): void
  close(): void
}

/**
 * One set of cgroups for each command. Creating them takes longer than everything else a command waits for, so those
 * for the next command are created in advance. `reopenParents` is called if they are gone: a server that sees other
 * process numbers, as in a container with the same cgroup tree, takes empty ones for left behind.
 */
function createCgroupPool(
  parents: readonly CgroupParent[],
  values: LimitValues,
  reopenParents: () => void,
): CgroupPool {
  const namePrefix = `scorpiox-${process.pid}-${Math.random().toString(36).slice(2)}`
  let count = 0
  let spare: readonly string[] | undefined
  let isClosed = false

  function createSet(): readonly string[] {
    try {
      return tryCreateSet()
    } catch (error) {
      if (!hasErrorCode(error, 'ENOENT')) throw toFailure(error)
    }
    try {
      reopenParents()
      return tryCreateSet()
    } catch (error) {
      throw toFailure(error)
    }
  }

  function tryCreateSet(): readonly string[] {
    const name = `${namePrefix}-${++count}`
    const created: string[] = []
    try {
      for (const parent of parents) created.push(createCgroup(parent, name, values))
      return created
    } catch (error) {
      removeCgroups(created)
      throw error
    }
  }

  function createSpare(): void {
    if (isClosed) return
    try {
      spare ??= createSet()
    } catch {
      // Not reported: the next command that needs them reports the error.
    }
  }

  return {
    acquire() {
      const acquired = spare?.every((file) => existsSync(dirname(file))) ? spare : createSet()
      spare = undefined
      setImmediate(createSpare)
      return acquired
    },
    release: removeCgroups,
    close() {
      isClosed = true
      removeCgroups(spare ?? [])
      spare = undefined
    },
  }
}

function toFailure(error: unknown): Failure {
  return new Failure(`The command was not started: its limits could not be set (${errorMessage(error)}).`)
}

function removeCgroups(procsFiles: readonly string[]): void {
  for (const procsFile of procsFiles) removeCgroup(dirname(procsFile), RETRIES)
}

/** Its last process may still be exiting. What cannot be removed is removed by the next server. */
function removeCgroup(cgroup: string, tries: number): void {
  try {
    rmdirSync(cgroup)
  } catch (error) {
    if (hasErrorCode(error, 'EBUSY') && tries > 0)
      setTimeout(removeCgroup, RETRY_MS * 2 ** (RETRIES - tries), cgroup, tries - 1).unref()
  }
}

export type LimitMechanism = 'cgroup v1' | 'cgroup v2' | 'rlimit' | 'nothing'

export interface ResourceLimits {
  readonly pids: LimitMechanism
  readonly memory: LimitMechanism
  allocate(): LimitAllocation
  close(): void
}

/** The limits of one command. */
interface LimitAllocation {
  /** Files to which the starting process writes "0" to enter its cgroups. */
  readonly cgroupFiles: readonly string[]
  /** Shell code for a bash that is already in the sandbox. */
  readonly ulimits: string
  release(): void
}

interface LimitOptions {
  readonly pids: number
  readonly memoryBytes: number
  /** Of all commands together. */
  readonly totalMemoryBytes?: number | undefined
  readonly isRoot: boolean
  /** The cgroup of this process; set by tests. */
  readonly ownCgroup?: OwnCgroup
}

export function openResourceLimits({
  pids,
  memoryBytes,
  totalMemoryBytes,
  isRoot,
  ownCgroup = readOwnCgroup(),
}: LimitOptions): ResourceLimits {
  const values = { pids, memory: memoryBytes }
  const commonName = `scorpiox-${process.pid}-all-${Math.random().toString(36).slice(2)}`
  const openParents = (): readonly CgroupParent[] => {
    const found = findCgroupParents(ownCgroup, values)
    if (totalMemoryBytes === undefined) return found
    const memory = Math.floor(KERNEL_MARGIN * totalMemoryBytes)
    return found.map((parent) => createCommonCgroup(parent, commonName, memory))
  }
  const parents = openParents()
  const pool = createCgroupPool(parents, values, () => {
    // A command never runs with fewer limits than the server has announced.
    if (foldersOf(openParents()) !== foldersOf(parents)) throw new Error('the cgroups of this server are gone')
  })
  const mechanismFor = (controller: CgroupController): LimitMechanism => {
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
    allocate() {
      const procsFiles = parents.length > 0 ? pool.acquire() : []
      return { cgroupFiles: procsFiles, ulimits, release: () => pool.release(procsFiles) }
    },
    close() {
      pool.close()
      for (const { folder } of parents) if (basename(folder) === commonName) removeCgroup(folder, RETRIES)
    },
  }
}

function foldersOf(parents: readonly CgroupParent[]): string {
  return parents.map(({ folder }) => folder).join(' ')
}

function readOwnCgroup(): OwnCgroup {
  return { mountinfo: readFileOrEmpty('/proc/self/mountinfo'), cgroup: readFileOrEmpty('/proc/self/cgroup') }
}
