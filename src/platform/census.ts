// Counts what belongs to trees, so that nobody gets away while he is looked for. Processes are listed until none has
// come since: a parent may end before it was looked at, and its child was not listed then. Who has no tag but a parent,
// a leader of his session or a past that has belongs too: `env -i` does not leave a tree, only a daemon that also drops
// its environment does.

import { allProcesses, read, tagsWithin } from './process-tree.js'

const MAX_LISTINGS = 10
/** A flag of threads of the kernel, which have no environment. */
const KERNEL = 0x200000
/** Places in what Linux tells of a process, counted from the field behind its flags. */
const STARTED_AT = 12
const ENVIRONMENT_END = 41

export interface TreeProcess {
  readonly pid: number
  /** Its number and the moment it was started, which together are its own. */
  readonly key: string
  readonly tags: string
  /** The process group it is in, unless the leader of that is none of its tree. */
  readonly group: number | undefined
  /** It only holds others in: asked to end, it would kill them before they could obey. */
  readonly isCage: boolean
}

export interface Census {
  readonly found: readonly TreeProcess[]
  /** False when there was somebody of whom nothing can be said yet. */
  readonly isSure: boolean
}

interface Seen extends Omit<TreeProcess, 'tags' | 'group'> {
  readonly tags: string | undefined
  readonly group: number
  readonly parent: number
  readonly session: number
  readonly isStarting: boolean
}

export function createCensus(): () => Census {
  let known: ReadonlyMap<string, string> = new Map()
  return () => {
    const { seen, isWhole } = lookAround(known)
    const tags = tagsOfAll(seen)
    const strangers = new Set(seen.map(({ pid }) => pid).filter((pid) => !tags.has(pid)))
    const found = seen.flatMap(({ pid, key, group, isCage }) => {
      const own = tags.get(pid)
      if (own === undefined) return []
      return [{ pid, key, isCage, tags: own, group: strangers.has(group) ? undefined : group }]
    })
    known = new Map(found.map((each) => [each.key, each.tags]))
    return { found, isSure: isWhole && !seen.some(({ pid, isStarting }) => isStarting && !tags.has(pid)) }
  }
}

type Known = ReadonlyMap<string, string>

function lookAround(known: Known): { readonly seen: readonly Seen[]; readonly isWhole: boolean } {
  const seen: Seen[] = []
  const listed = new Set<number>()
  for (let listings = 0; listings < MAX_LISTINGS; listings++) {
    const fresh = allProcesses().filter((pid) => !listed.has(pid))
    if (fresh.length === 0) return { seen, isWhole: true }
    for (const pid of fresh) {
      listed.add(pid)
      const found = look(pid, known)
      if (found) seen.push(found)
    }
  }
  return { seen, isWhole: false }
}

function look(pid: number, known: Known): Seen | undefined {
  const [, name, rest = ''] = /\((.*)\) (.*)/s.exec(read(`/proc/${pid}/stat`) ?? '') ?? []
  const [state = '', parent, group, session, , , flags, ...fields] = rest.split(' ')
  if (state === '' || state === 'Z' || state === 'X') return undefined
  const key = `${pid} ${fields[STARTED_AT]}`
  const environment = read(`/proc/${pid}/environ`)
  return {
    pid,
    key,
    tags: tagsWithin(environment ?? '') ?? known.get(key),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    isCage: name === 'bwrap',
    // On its way from one program to another a process has no environment for a moment.
    isStarting: environment === '' && fields[ENVIRONMENT_END] === '0' && (Number(flags) & KERNEL) === 0,
  }
}

/** By number. Who has none of his own has those of whom he belongs to. */
function tagsOfAll(seen: readonly Seen[]): ReadonlyMap<number, string> {
  const tags = new Map<number, string>()
  for (const { pid, tags: own } of seen) if (own) tags.set(pid, own)
  for (let count = -1; count !== tags.size;) {
    count = tags.size
    for (const { pid, parent, session } of seen) {
      const inherited = tags.get(parent) ?? tags.get(session)
      if (inherited !== undefined && !tags.has(pid)) tags.set(pid, inherited)
    }
  }
  return tags
}
