// What Linux knows about a process tree and about the machine: memory, CPU time, cores.
// On other systems these figures are absent (null), never guessed.

import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'

const read = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const hasProc = read('/proc/self/stat') !== ''
const TICK_MS = 10
const MEBIBYTE = 1024 * 1024

// The command name in /proc/<pid>/stat may hold spaces and brackets, so fields are counted from the last bracket.
const statFields = (pid) => {
  const stat = read(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

const processTree = (root) => {
  const children = new Map()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = Number(statFields(name)[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const tree = [root]
  for (const pid of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

const statusBytes = (pid, field) => {
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(read(`/proc/${pid}/status`))?.[1]
  return Number(kibibytes ?? 0) * 1024
}

const sumOfTree = (root, figure) => {
  if (!hasProc) return null
  return processTree(root).reduce((sum, pid) => sum + figure(pid), 0)
}

export const residentMebibytes = (root) => {
  const bytes = sumOfTree(root, (pid) => statusBytes(pid, 'VmRSS'))
  return bytes === null ? null : bytes / MEBIBYTE
}

export const peakMebibytes = (root) => {
  const bytes = sumOfTree(root, (pid) => statusBytes(pid, 'VmHWM'))
  return bytes === null ? null : bytes / MEBIBYTE
}

/** By how many megabytes a process, without its children, grows from now on: at its height, and at the moment of asking. */
export const watchGrowth = (pid) => {
  if (!hasProc) return { peak: () => null, now: () => null }
  try {
    // Makes the kernel forget the height so far, which may be that of the start.
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // The growth is then overestimated rather than underestimated.
  }
  const before = statusBytes(pid, 'VmRSS')
  const growth = (field) => (statusBytes(pid, field) - before) / 1e6
  return { peak: () => growth('VmHWM'), now: () => growth('VmRSS') }
}

// schedstat counts nanoseconds where stat counts ticks of 10 ms; some kernels are built without it.
const cpuMillisecondsOf = (pid) => {
  let nanoseconds = 0
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      nanoseconds += Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0])
    }
  } catch {
    return 0
  }
  if (nanoseconds > 0) return nanoseconds / 1e6
  const fields = statFields(pid)
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

export const cpuMilliseconds = (root) => sumOfTree(root, cpuMillisecondsOf)

/** With the time of children that have exited, which is counted in ticks: for the difference over many calls. */
export const cpuMillisecondsWithChildren = (root) =>
  sumOfTree(root, (pid) => {
    const ticks = statFields(pid).slice(11, 15)
    return ticks.reduce((sum, each) => sum + Number(each), 0) * TICK_MS
  })

const machineBusyMilliseconds = () => {
  const [user, nice, system, , , irq, softirq, steal] = read('/proc/stat').split('\n')[0].trim().split(/\s+/).slice(1)
  return [user, nice, system, irq, softirq, steal].reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS
}

const ownMilliseconds = () => {
  const [user, system, childUser, childSystem] = statFields('self').slice(11, 15)
  return [user, system, childUser, childSystem].reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS
}

/**
 * Starts watching on behalf of a process that has `pid` do something; the returned function returns how many cores all
 * others used since, or null.
 */
export const watchBystanders = (pid) => {
  if (!hasProc) return () => null
  const idle = () => machineBusyMilliseconds() - cpuMillisecondsOf(pid) - cpuMillisecondsOf('self')
  const startedAt = performance.now()
  const before = idle()
  return () => Math.max(0, idle() - before) / (performance.now() - startedAt)
}

/** Starts watching; the returned function returns how many cores other processes used since. */
export const watchOthers = () => {
  if (!hasProc) return () => null
  const startedAt = performance.now()
  const others = machineBusyMilliseconds() - ownMilliseconds()
  return () => Math.max(0, machineBusyMilliseconds() - ownMilliseconds() - others) / (performance.now() - startedAt)
}

// Core lists look like 0-3,8; null if the kernel does not provide it.
const allowedCores = () => /^Cpus_allowed_list:\s+(\S+)/m.exec(read('/proc/self/status'))?.[1] ?? null

const setCores = (cores) => {
  execFileSync('taskset', ['-a', '-c', '-p', cores, String(process.pid)], { stdio: 'ignore' })
}

/** Ties this process, and so every child it starts, to one core. Returns the way back, or null where there is none. */
export const pinToOneCore = () => {
  const allowed = allowedCores()
  if (allowed === null) return null
  // The last core: device interrupts usually land on the first.
  const core = allowed.split(/[,-]/).at(-1)
  try {
    setCores(core)
  } catch {
    return null
  }
  return () => setCores(allowed)
}

/** One core for the servers and another for the load, as arguments to put before a command; null if there are not two. */
export const twoCores = () => {
  const allowed = allowedCores()
  const cores = allowed?.split(/[,-]/) ?? []
  const [first, last] = [cores[0], cores.at(-1)]
  if (first === last) return null
  try {
    setCores(allowed)
  } catch {
    return null
  }
  return { load: ['taskset', '-c', first], server: ['taskset', '-c', last] }
}

/** The most files, and so connections, a process here may have open. Node itself raises the soft limit to the hard one. */
export const openFilesLimit = () =>
  Number(/^Max open files\s+\d+\s+(\d+)/m.exec(read('/proc/self/limits'))?.[1] ?? 1024)
