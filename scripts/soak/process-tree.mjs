// What Linux says of processes: descendants of one with their kinds, memory, descriptors and threads. Used by the samples
// and by the fault that kills one.

import { readdirSync, readFileSync } from 'node:fs'

const PAGE_BYTES = 4096

/** All descendants of a process, as {pid, kind}. */
export function descendantsOf(root) {
  const children = new Map()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = parentOf(name)
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const found = []
  for (const queue = [root]; queue.length > 0;) {
    const next = children.get(queue.shift()) ?? []
    queue.push(...next)
    found.push(...next)
  }
  // One that has ended has no command line.
  return found.map((pid) => ({ pid, kind: kindOf(pid) })).filter(({ kind }) => kind !== '')
}

/** Bytes that are resident; NaN if the process has ended. */
export function residentBytes(pid) {
  return Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? NaN) * PAGE_BYTES
}

export function countDescriptors(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return NaN
  }
}

export function countThreads(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).length
  } catch {
    return NaN
  }
}

/** Seconds of CPU of the process and of its children that have ended. */
export function cpuSeconds(pid) {
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
}

function parentOf(pid) {
  const [, parent] = /\) \S+ (\d+)/.exec(read(`/proc/${pid}/stat`)) ?? []
  return parent === undefined ? undefined : Number(parent)
}

function kindOf(pid) {
  const [program = '', ...args] = read(`/proc/${pid}/cmdline`).split('\0')
  const text = args.join(' ')
  const worker = /(image|pdf)-worker\.js/.exec(text)
  if (worker) return `${worker[1]} worker`
  const name = program.replace(/^.*\//, '').replace(/^-/, '')
  if (name === 'bash' && !/(^| )-c( |$)/.test(text)) return 'shell'
  return name
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
