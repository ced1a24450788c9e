// Lists all processes that have a tag of this server or descend from one, for process-tree.ts. /proc is read until no
// new pid appears, because a parent may exit before it is read. A process without a tag belongs to a tree if its
// parent, its session leader or an earlier scan says so: `env -i` does not leave a tree, only a daemon that also drops
// its environment does. Also used by command-memory. Reads /proc.

import { listPids, readProcFile, parseTags } from './process-tags.js'

const MAX_LISTINGS = 10
/** The flag PF_KTHREAD: kernel threads have no environment. */
const KERNEL_THREAD = 0x200000
/** Fields of /proc/<pid>/stat, counted from the one after the flags. */
const STARTED_AT = 12
const ENVIRONMENT_END = 41

export interface ScannedProcess {
  readonly pid: number
  /** The pid and the start time, which together are unique. */
  readonly key: string
  readonly tags: string
  /** Its process group, unless the group leader does not belong to the tree. */
  readonly group: number | undefined
  /** bwrap itself: on SIGTERM it would kill the processes in it before they could react. */
  readonly isBubblewrap: boolean
}

export interface ProcessScan {
  readonly processes: readonly ScannedProcess[]
  /** False if the tag of some process is not known yet. */
  readonly isComplete: boolean
}

interface ReadProcess extends Omit<ScannedProcess, 'tags' | 'group'> {
  readonly tags: string | undefined
  readonly group: number
  readonly parent: number
  readonly session: number
  readonly isStarting: boolean
}

export function createProcessScanner(): () => ProcessScan {
  let tagsByKey: ReadonlyMap<string, string> = new Map()
  return () => {
    const { processes, isStable } = listUntilStable(tagsByKey)
    const tags = inheritTags(processes)
    const untaggedPids = new Set(processes.map(({ pid }) => pid).filter((pid) => !tags.has(pid)))
    const found = processes.flatMap(({ pid, key, group, isBubblewrap }): ScannedProcess[] => {
      const ownTags = tags.get(pid)
      if (ownTags === undefined) return []
      return [{ pid, key, isBubblewrap, tags: ownTags, group: untaggedPids.has(group) ? undefined : group }]
    })
    tagsByKey = new Map(found.map(({ key, tags: all }) => [key, all]))
    return {
      processes: found,
      isComplete: isStable && !processes.some(({ pid, isStarting }) => isStarting && !tags.has(pid)),
    }
  }
}

type TagsByKey = ReadonlyMap<string, string>

function listUntilStable(tagsByKey: TagsByKey): {
  readonly processes: readonly ReadProcess[]
  readonly isStable: boolean
} {
  const processes: ReadProcess[] = []
  const listed = new Set<number>()
  for (let listings = 0; listings < MAX_LISTINGS; listings++) {
    const newPids = listPids().filter((pid) => !listed.has(pid))
    if (newPids.length === 0) return { processes, isStable: true }
    for (const pid of newPids) {
      listed.add(pid)
      const found = readProcess(pid, tagsByKey)
      if (found) processes.push(found)
    }
  }
  return { processes, isStable: false }
}

function readProcess(pid: number, tagsByKey: TagsByKey): ReadProcess | undefined {
  const [, name, rest = ''] = /^\d+ \((.*)\) (.*)/s.exec(readProcFile(`/proc/${pid}/stat`) ?? '') ?? []
  const [state = '', parent, group, session, , , flags, ...fields] = rest.split(' ')
  if (state === '' || state === 'Z' || state === 'X') return undefined
  const key = `${pid} ${fields[STARTED_AT]}`
  const environment = readProcFile(`/proc/${pid}/environ`)
  return {
    pid,
    key,
    tags: parseTags(environment ?? '') ?? tagsByKey.get(key),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    isBubblewrap: name === 'bwrap',
    // During execve a process has no environment for a moment.
    isStarting: environment === '' && fields[ENVIRONMENT_END] === '0' && (Number(flags) & KERNEL_THREAD) === 0,
  }
}

/** The tags by pid. A process without a tag has those of its parent or session leader. */
function inheritTags(processes: readonly ReadProcess[]): ReadonlyMap<number, string> {
  const tags = new Map<number, string>()
  for (const { pid, tags: ownTags } of processes) if (ownTags) tags.set(pid, ownTags)
  for (let count = -1; count !== tags.size;) {
    count = tags.size
    for (const { pid, parent, session } of processes) {
      const inherited = tags.get(parent) ?? tags.get(session)
      if (inherited !== undefined && !tags.has(pid)) tags.set(pid, inherited)
    }
  }
  return tags
}
