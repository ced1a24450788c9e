// What running jobs use: the ports they listen on, processor time and memory, of all their processes, from /proc. Used by
// ListBgTasks when it is asked for it, and by the console while a user watches. Elsewhere than on Linux nothing is known.
// Reads /proc only.

import { readdirSync, readlinkSync } from 'node:fs'

import { createProcessScanner, type ScannedProcess } from '../../process/process-scan.js'
import { hasProcFs, hasTag, readProcFile } from '../../process/process-tags.js'
import type { Job } from './job.js'

/** Clock ticks of /proc are hundredths of a second on every system that Node.js runs on. */
const TICK_MS = 10
/** The state of a listening socket in /proc/net/tcp. */
const LISTENING = '0A'

export interface JobUsage {
  /** Sorted. */
  readonly ports: readonly number[]
  /** They can be reached from inside the job only. */
  readonly hasOwnNetwork: boolean
  /** With that of children that have ended and were waited for. */
  readonly processorMs: number
  /** Resident; memory that processes share counts for each. */
  readonly memoryBytes: number
  /** Without those of the sandbox itself. */
  readonly processes: number
}

export function canMeasureJobs(): boolean {
  return hasProcFs()
}

/** Of the jobs that run. */
export function readJobUsage(jobs: readonly Job[]): ReadonlyMap<Job, JobUsage> {
  const running = jobs.filter(({ isRunning, record }) => isRunning && record.tag !== '')
  if (running.length === 0 || !canMeasureJobs()) return new Map()
  const { processes } = createProcessScanner()()
  return new Map(running.map((job) => [job, addUp(processes.filter((found) => hasTag(found, `${job.record.tag};`)))]))
}

function addUp(processes: readonly ScannedProcess[]): JobUsage {
  const own = processes.filter(({ isBubblewrap }) => !isBubblewrap).map(({ pid }) => pid)
  // Processes of one job may be in several network namespaces: each lists its own sockets.
  const listening = own.flatMap((pid) => listPorts(pid).map((port) => ({ port, pid })))
  const serverNetwork = tryReadLink('/proc/self/ns/net')
  return {
    ports: [...new Set(listening.map(({ port }) => port))].sort((a, b) => a - b),
    hasOwnNetwork:
      listening.length > 0 && listening.every(({ pid }) => tryReadLink(`/proc/${pid}/ns/net`) !== serverNetwork),
    // That of the sandbox has the time of daemons that have ended in it.
    processorMs: sum(processes.map(({ pid }) => readProcessorMs(pid))),
    memoryBytes: sum(own.map(readMemoryBytes)),
    processes: own.length,
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Fields of /proc/<pid>/stat, counted from the state. */
const [USER_TICKS, SYSTEM_TICKS, WAITED_USER_TICKS, WAITED_SYSTEM_TICKS] = [11, 12, 13, 14]

function readProcessorMs(pid: number): number {
  const stat = readProcFile(`/proc/${pid}/stat`) ?? ''
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = [USER_TICKS, SYSTEM_TICKS, WAITED_USER_TICKS, WAITED_SYSTEM_TICKS].map((at) => Number(fields[at] ?? 0))
  return sum(ticks) * TICK_MS
}

/** In kilobytes there, whatever the size of a page. */
function readMemoryBytes(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s*(\d+) kB/m.exec(readProcFile(`/proc/${pid}/status`) ?? '') ?? []
  return Number(kilobytes) * 1024
}

function listPorts(pid: number): readonly number[] {
  const sockets = listSockets(pid)
  if (sockets.size === 0) return []
  return ['tcp', 'tcp6'].flatMap((table) => {
    const [, ...rows] = (readProcFile(`/proc/${pid}/net/${table}`) ?? '').trimEnd().split('\n')
    return rows.flatMap((row) => {
      const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/)
      const port = Number.parseInt(local.split(':')[1] ?? '', 16)
      return state === LISTENING && sockets.has(inode) ? [port] : []
    })
  })
}

function listSockets(pid: number): ReadonlySet<string> {
  try {
    const links = readdirSync(`/proc/${pid}/fd`).map((fd) => tryReadLink(`/proc/${pid}/fd/${fd}`))
    return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
  } catch {
    return new Set()
  }
}

function tryReadLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
