// What running jobs use: the ports they listen on, processor time and memory, of all their processes, from /proc. Used by
// ListBgTasks when it is asked for it. Elsewhere than on Linux nothing is known. Reads /proc only.

import { readdirSync, readlinkSync } from 'node:fs'

import { createProcessScanner, type ScannedProcess } from '../../process/process-scan.js'
import { hasProcFs, hasTag, readProcFile } from '../../process/process-tags.js'
import type { Job } from './job.js'

const PAGE_BYTES = 4096
/** Clock ticks of /proc are hundredths of a second on every system that Node.js runs on. */
const TICK_MS = 10
/** The state of a listening socket in /proc/net/tcp. */
const LISTENING = '0A'

export interface JobUsage {
  /** Sorted. */
  readonly ports: readonly number[]
  readonly processorMs: number
  /** Resident; memory that processes share counts for each. */
  readonly memoryBytes: number
  readonly processes: number
}

/** Of the jobs that run. */
export function readJobUsage(jobs: readonly Job[]): ReadonlyMap<Job, JobUsage> {
  const running = jobs.filter(({ isRunning, record }) => isRunning && record.tag !== '')
  if (running.length === 0 || !hasProcFs()) return new Map()
  const { processes } = createProcessScanner()()
  return new Map(running.map((job) => [job, addUp(processes.filter((found) => hasTag(found, `${job.record.tag};`)))]))
}

function addUp(processes: readonly ScannedProcess[]): JobUsage {
  const pids = processes.map(({ pid }) => pid)
  const stats = pids.map(readUsage)
  // Processes of one job may be in several network namespaces: each lists its own sockets.
  const ports = new Set(pids.flatMap(listPorts))
  return {
    ports: [...ports].sort((a, b) => a - b),
    processorMs: stats.reduce((sum, { processorMs }) => sum + processorMs, 0),
    memoryBytes: stats.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
    processes: pids.length,
  }
}

/** Fields of /proc/<pid>/stat, counted from the state. */
const [USER_TICKS, SYSTEM_TICKS, WAITED_USER_TICKS, WAITED_SYSTEM_TICKS, RESIDENT_PAGES] = [11, 12, 13, 14, 21]

function readUsage(pid: number): { readonly processorMs: number; readonly memoryBytes: number } {
  const stat = readProcFile(`/proc/${pid}/stat`) ?? ''
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const field = (index: number): number => Number(fields[index] ?? 0)
  // With the children that have ended.
  const ticks = field(USER_TICKS) + field(SYSTEM_TICKS) + field(WAITED_USER_TICKS) + field(WAITED_SYSTEM_TICKS)
  return { processorMs: ticks * TICK_MS, memoryBytes: field(RESIDENT_PAGES) * PAGE_BYTES }
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
