// Finds and kills process trees: all processes with a tag of this server (process-tags.ts), with SIGTERM first and
// SIGKILL later. Used for commands, for callbacks, and at start to remove what killed servers left. Needs and reads
// /proc; signals processes.

import { setTimeout as sleep } from 'node:timers/promises'

import { createProcessScanner, type ProcessScan, type ScannedProcess } from './process-scan.js'
import { hasTag } from './process-tags.js'
import { signalProcess } from './signals.js'

/** Between two scans, but at least as long as the scan took, so that the signalled processes get processor time. */
const POLL_MS = 20
/** More processes than this are killed at once: some programs fork on SIGTERM. */
const KILL_AT_ONCE_ABOVE = 1000
/** On a busy machine some process is always being started; this many empty scans are enough. */
const EMPTY_SCANS_NEEDED = 5
/** How long a killed process may take to disappear, on a busy machine, before it counts as unkillable. */
const UNKILLABLE_MS = 8000

interface ProcessTrees {
  /** The prefix of every tag. */
  readonly tagPrefix: string
  /** Forgets the last scan, which does not contain programs started after it. */
  invalidateScan(): void
  /**
   * Sends SIGTERM to all processes of a tag, and SIGKILL to the remaining ones after a while. Resolves when none is
   * left and `hasExited` is true: a program that was just started may not carry its tag yet. Returns the processes that
   * could not be killed.
   */
  killTree(tag: string, killAfterMs: number, hasExited?: () => boolean): Promise<readonly number[]>
  /** The same for all tags of this server, except the given ones. */
  killAll(killAfterMs: number, exceptTags?: ReadonlySet<string>, hasExited?: () => boolean): Promise<readonly number[]>
  isTreeRunning(tag: string): boolean
}

export function createProcessTrees(tagPrefix = createTagPrefix(), unkillableMs = UNKILLABLE_MS): ProcessTrees {
  const scanProcesses = createProcessScanner()
  let lastScan: (ProcessScan & { readonly at: number; readonly pauseMs: number }) | undefined
  let terminated: ReadonlySet<string> = new Set()

  /** Concurrent callers share a scan, so that killing hundreds of commands takes no longer than killing one. */
  function currentScan(): ProcessScan & { readonly pauseMs: number } {
    const startedAt = performance.now()
    if (!lastScan || startedAt - lastScan.at >= lastScan.pauseMs) {
      const scan = scanProcesses()
      const at = performance.now()
      lastScan = { ...scan, at, pauseMs: Math.max(POLL_MS, at - startedAt) }
      terminated = new Set(scan.processes.map(({ key }) => key).filter((key) => terminated.has(key)))
    }
    return lastScan
  }

  // Each process receives SIGTERM once, also if several calls kill it: some programs abort their clean-up at the
  // second.
  function terminateOnce(found: readonly ScannedProcess[]): void {
    const newProcesses = found.filter(({ key, isBubblewrap }) => !isBubblewrap && !terminated.has(key))
    for (const { pid } of newProcesses) signalProcess(pid, 'SIGTERM')
    terminated = new Set([...terminated, ...newProcesses.map(({ key }) => key)])
  }

  async function killMembers(
    isMember: (found: ScannedProcess) => boolean,
    killAfterMs: number,
    hasExited: () => boolean = () => true,
  ): Promise<readonly number[]> {
    const startedAt = performance.now()
    let killedAt: number | undefined
    for (let emptyScans = 0; ;) {
      const { processes, isComplete, pauseMs } = currentScan()
      const members = processes.filter(isMember)
      emptyScans = members.length === 0 && hasExited() ? emptyScans + 1 : 0
      if (emptyScans > 0 && (isComplete || emptyScans >= EMPTY_SCANS_NEEDED)) return []
      const now = performance.now()
      if (killedAt !== undefined && now - killedAt >= unkillableMs) return members.map(({ pid }) => pid)
      terminateOnce(members)
      if (now - startedAt >= killAfterMs || members.length > KILL_AT_ONCE_ABOVE) {
        killedAt ??= now
        kill(members)
      }
      await sleep(pauseMs)
    }
  }

  return {
    tagPrefix,
    invalidateScan: () => (lastScan = undefined),
    killTree: (tag, killAfterMs, hasExited) => killMembers((found) => hasTag(found, `${tag};`), killAfterMs, hasExited),
    killAll: (killAfterMs, exceptTags, hasExited) =>
      killMembers((found) => hasTag(found, `${tagPrefix}.`) && !hasAnyTag(found, exceptTags), killAfterMs, hasExited),
    isTreeRunning: (tag) => currentScan().processes.some((found) => hasTag(found, `${tag};`)),
  }
}

function hasAnyTag(found: ScannedProcess, tags: ReadonlySet<string> = new Set()): boolean {
  return [...tags].some((tag) => hasTag(found, `${tag};`))
}

// Signals the groups as well, which reaches all members at once: a program that keeps forking and exiting would escape
// otherwise.
function kill(members: readonly ScannedProcess[]): void {
  const groups = new Set(members.map(({ group = 0 }) => -group).filter((group) => group < -1))
  for (const id of [...groups, ...members.map(({ pid }) => pid)]) signalProcess(id, 'SIGKILL')
}

function createTagPrefix(): string {
  return `${process.pid.toString(36)}-${Math.random().toString(36).slice(2)}`
}
