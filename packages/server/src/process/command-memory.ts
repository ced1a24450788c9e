// Limits the memory of all commands together, on Linux: limits of the kernel apply to one process or one command, and a
// cgroup for all of them needs rights that a server often lacks. Adds up the memory of the processes of each command,
// and ends the largest command of the user whose commands take the most.
// Used by command-runner.ts. Reads /proc every half second while commands run; kills processes. Sets timers.

import { readFile, statfs } from 'node:fs/promises'
import { totalmem } from 'node:os'

import { createProcessScanner } from './process-scan.js'
import { hasTag } from './process-tags.js'

const CHECK_MS = 500
/** Measuring takes at most this share of the time. */
const MAX_TIME_SHARE = 1 / 20
const DEFAULT_SHARE = 0.75
const MEGABYTE = 1024 * 1024
const TMPFS_MAGIC = 0x01021994

export interface WatchedCommand {
  readonly tag: string
  /** The user. */
  readonly owner: string
  readonly isSandboxed: boolean
  /** Kills its process tree; the sentence says why. */
  end(reason: string): Promise<unknown>
}

export interface CommandMemoryWatch {
  /** Returns a function that ends the watch, to be called when the command has exited. */
  add(command: WatchedCommand): () => void
}

interface CommandMemory {
  readonly command: WatchedCommand
  readonly bytes: number
}

/** Three quarters of the memory that this process may use, unless a limit is set. */
export function resolveMemoryLimit(megabytes: number): number {
  if (megabytes > 0) return megabytes * MEGABYTE
  // Some runtimes have no such function, or return 0 or a huge number without a limit.
  const constrained = typeof process.constrainedMemory === 'function' ? process.constrainedMemory() : 0
  return Math.floor(DEFAULT_SHARE * (constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()))
}

export function createCommandMemoryWatch(tagPrefix: string, limitBytes: number): CommandMemoryWatch {
  const commands = new Set<WatchedCommand>()
  const scanProcesses = createProcessScanner()
  let timer: NodeJS.Timeout | undefined

  function schedule(delayMs: number): void {
    timer ??= setTimeout(() => void check(), delayMs).unref()
  }

  async function check(): Promise<void> {
    const startedAt = performance.now()
    await limitMemory().catch(() => undefined)
    timer = undefined
    if (commands.size > 0) schedule(Math.max(CHECK_MS, (performance.now() - startedAt) / MAX_TIME_SHARE))
  }

  async function limitMemory(): Promise<void> {
    // All commands together cannot take more than everything on this machine.
    if ((await readUsedMemory()) <= limitBytes) return
    const measured = await measureCommands()
    const total = sumBytes(measured)
    const largest = total > limitBytes ? findLargest(measured) : undefined
    await largest?.command.end(explainEnd(total, largest.bytes, limitBytes))
  }

  async function measureCommands(): Promise<readonly CommandMemory[]> {
    const processes = scanProcesses().processes.filter((found) => hasTag(found, `${tagPrefix}.`))
    const measured: CommandMemory[] = []
    for (const command of commands) {
      const pids = processes.filter((found) => hasTag(found, `${command.tag};`)).map(({ pid }) => pid)
      const memory = await Promise.all(pids.map(readProportionalMemory))
      const files = command.isSandboxed ? await readPrivateFiles(pids) : 0
      measured.push({ command, bytes: memory.reduce((sum, bytes) => sum + bytes, files) })
    }
    return measured
  }

  return {
    add(command) {
      if (process.platform !== 'linux') return () => {}
      commands.add(command)
      schedule(CHECK_MS)
      return () => void commands.delete(command)
    },
  }
}

/** The largest command of the owner whose commands take the most. */
function findLargest(measured: readonly CommandMemory[]): CommandMemory | undefined {
  const totalOf = ({ command }: CommandMemory): number =>
    sumBytes(measured.filter((other) => other.command.owner === command.owner))
  const [largest] = measured.toSorted((one, other) => totalOf(other) - totalOf(one) || other.bytes - one.bytes)
  return largest
}

function sumBytes(measured: readonly CommandMemory[]): number {
  return measured.reduce((sum, { bytes }) => sum + bytes, 0)
}

function explainEnd(total: number, own: number, limit: number): string {
  return (
    `The server killed it: all running commands together used ${formatMegabytes(total)} of memory, more than the limit of ` +
    `${formatMegabytes(limit)} (COMMANDS_MEMORY_MB), and this one used ${formatMegabytes(own)}. Part of its work may be ` +
    'done: check before you repeat it, and run less at once.'
  )
}

function formatMegabytes(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MB`
}

/** Memory of this machine that is not available to new processes. */
async function readUsedMemory(): Promise<number> {
  const text = await readFile('/proc/meminfo', 'latin1')
  const kilobytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN)
  const used = (kilobytes('MemTotal') - kilobytes('MemAvailable')) * 1024
  return Number.isNaN(used) ? Infinity : used
}

/** Memory that cannot be reclaimed; what processes share is divided between them. 0 if the process has exited. */
async function readProportionalMemory(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'latin1').catch(() => '')
  const proportional = sumFields(rollup, /^Pss_(?:Anon|Shmem):\s+(\d+)/gm)
  if (proportional !== undefined) return proportional
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')
  return sumFields(status, /^Rss(?:Anon|Shmem):\s+(\d+)/gm) ?? 0
}

function sumFields(text: string, pattern: RegExp): number | undefined {
  const fields = [...text.matchAll(pattern)].map(([, kilobytes]) => Number(kilobytes) * 1024)
  return fields.length === 0 ? undefined : fields.reduce((sum, bytes) => sum + bytes, 0)
}

/** Files in the private folders of a sandbox, which are kept in memory. */
async function readPrivateFiles(pids: readonly number[]): Promise<number> {
  let bytes = 0
  for (const folder of ['tmp', 'dev/shm']) {
    // All processes of a command see the same folder, except bwrap itself.
    const used = await Promise.all(pids.map((pid) => readTmpfsUsage(`/proc/${pid}/root/${folder}`)))
    bytes += Math.max(0, ...used)
  }
  return bytes
}

async function readTmpfsUsage(path: string): Promise<number> {
  try {
    const { type, blocks, bfree, bsize } = await statfs(path)
    return type === TMPFS_MAGIC ? (blocks - bfree) * bsize : 0
  } catch {
    return 0
  }
}
