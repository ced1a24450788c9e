// Tags processes through an environment variable, which children inherit, and reads the tags from /proc. Process groups
// are not enough: timeout(1), `set -m`, setsid and daemons leave them. Without /proc nothing is found, and the caller
// must use groups. Used by the command runner, the shell pool, process trees, windows-processes.ts and callbacks. Starts and signals nothing.

import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs'

export const TAG_VARIABLE = 'SCORPIOX_TREE'
/** A smaller range of pids is tried one by one, which is cheaper than listing /proc. */
const LINEAR_SCAN_LIMIT = 64

const buffer = Buffer.allocUnsafe(64 * 1024)

/**
 * The tags this process has inherited, to which it appends its own: a server inside a command keeps those of its
 * parent.
 */
export function inheritedTags(env: NodeJS.ProcessEnv): string {
  return env[TAG_VARIABLE] ?? ';'
}

export function withTag(env: NodeJS.ProcessEnv, tag: string): NodeJS.ProcessEnv {
  return { ...env, [TAG_VARIABLE]: `${inheritedTags(env)}${tag};` }
}

/**
 * The processes with this tag that were started after `first`: pids are assigned in ascending order, until they wrap
 * around.
 */
export function findTaggedSince(first: number, tag: string, others: ReadonlySet<number>): readonly number[] {
  const [, last] = /(?<!\d)(\d+)\s*$/.exec(readProcFile('/proc/loadavg') ?? '') ?? []
  const range = Number(last) - first
  if (Number.isNaN(range)) return []
  const pids =
    range < 0
      ? listPids()
      : range < LINEAR_SCAN_LIMIT
        ? existingPids(first, range)
        : listPids().filter((pid) => pid > first)
  // Reading the environment of a process during its execve blocks until that is done; the session leaders of other
  // shells are skipped.
  return pids.filter(
    (pid) => !others.has(pid) && parseTags(readProcFile(`/proc/${pid}/environ`) ?? '')?.includes(`;${tag}`),
  )
}

/** Whether one of the tags begins like this. */
export function hasTag({ tags }: { readonly tags: string }, prefix: string): boolean {
  return tags.includes(`;${prefix}`)
}

export function hasProcFs(): boolean {
  return existsSync('/proc/self/environ')
}

/** All processes except this one; empty without /proc. */
export function listPids(): readonly number[] {
  if (!hasProcFs()) return []
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
}

function existingPids(first: number, range: number): readonly number[] {
  const pids: number[] = []
  for (let pid = first + 1; pid <= first + range; pid++) if (existsSync(`/proc/${pid}`)) pids.push(pid)
  return pids
}

/** The tags in the content of /proc/<pid>/environ. */
export function parseTags(environment: string): string | undefined {
  const variables = `\0${environment}`
  const start = variables.indexOf(`\0${TAG_VARIABLE}=`)
  if (start < 0) return undefined
  // Copied, because a substring keeps the whole environment in memory.
  return Buffer.from(variables.slice(start + 1, variables.indexOf('\0', start + 1)), 'latin1').toString('latin1')
}

export function readProcessName(pid: number): string | undefined {
  return readProcFile(`/proc/${pid}/comm`)?.trimEnd()
}

/** The content of a file in /proc; undefined if the process has exited or belongs to another user. */
export function readProcFile(path: string): string | undefined {
  let fd: number | undefined
  try {
    // readFileSync takes twice as long, and there may be thousands of files.
    fd = openSync(path, 'r')
    for (let text = ''; ;) {
      const length = readSync(fd, buffer)
      text += buffer.toString('latin1', 0, length)
      if (length < buffer.length) return text
    }
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
