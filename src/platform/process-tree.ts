// Finds what a command started, wherever it went: every program is started with a tag in its environment, children
// inherit it, and Linux shows each process's environment. Process groups are not enough: timeout(1), `set -m`, setsid
// and daemons leave them. Where /proc is missing, nothing is found and groups must do.

import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs'

const VARIABLE = 'SCORPIOX_TREE'
/** Fewer numbers than these are tried one by one, which is cheaper than asking for all there are. */
const FEW = 64

const page = Buffer.allocUnsafe(64 * 1024)

/** The tags a process has inherited, to which it adds its own: a server inside a command keeps its parent's. */
export function tagsIn(env: NodeJS.ProcessEnv): string {
  return env[VARIABLE] ?? ';'
}

export function tagged(env: NodeJS.ProcessEnv, tag: string): NodeJS.ProcessEnv {
  return { ...env, [VARIABLE]: `${tagsIn(env)}${tag};` }
}

/** What carries a tag and was started after a process: numbers are given out in order, until they begin again. */
export function findTaggedAfter(first: number, tag: string, others: ReadonlySet<number>): readonly number[] {
  const [, last] = /(\d+)\s*$/.exec(read('/proc/loadavg') ?? '') ?? []
  const range = Number(last) - first
  if (Number.isNaN(range)) return []
  const pids =
    range < 0 ? allProcesses() : range < FEW ? existing(first, range) : allProcesses().filter((pid) => pid > first)
  // To look at one that is just becoming another program would take until it has.
  return pids.filter((pid) => !others.has(pid) && tagsWithin(read(`/proc/${pid}/environ`) ?? '')?.includes(`;${tag}`))
}

/** Whether the process was started with a tag that begins so. */
export function hasTag({ tags }: { readonly tags: string }, beginning: string): boolean {
  return tags.includes(`;${beginning}`)
}

export function canSeeProcesses(): boolean {
  return existsSync('/proc/self/environ')
}

/** Every process but this one; none where they cannot be seen. */
export function allProcesses(): readonly number[] {
  if (!canSeeProcesses()) return []
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
}

function existing(first: number, range: number): readonly number[] {
  return Array.from({ length: range }, (_, index) => first + 1 + index).filter((pid) => existsSync(`/proc/${pid}`))
}

/** The tags in an environment as Linux shows it. */
export function tagsWithin(environment: string): string | undefined {
  const variables = `\0${environment}`
  const start = variables.indexOf(`\0${VARIABLE}=`)
  return start < 0 ? undefined : variables.slice(start + 1, variables.indexOf('\0', start + 1))
}

export function processName(pid: number): string | undefined {
  return read(`/proc/${pid}/comm`)?.trimEnd()
}

/** A file of a process; undefined when it has ended meanwhile, or belongs to somebody else. */
export function read(path: string): string | undefined {
  let fd: number | undefined
  try {
    // readFileSync takes twice as long, and there may be thousands.
    fd = openSync(path, 'r')
    for (let text = ''; ;) {
      const length = readSync(fd, page)
      text += page.toString('latin1', 0, length)
      if (length < page.length) return text
    }
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
