// Kills process trees where there is no /proc and tags cannot be read: macOS and the BSDs list processes with ps,
// Windows is in kill-windows-trees.ts. Only known processes and the descendants that the system lists can be killed.
// Used by command-runner.ts and the side effects of callbacks; with /proc, process-tree.ts is used.

import { setTimeout as sleep } from 'node:timers/promises'

import { isPidRunning } from '@scorpiox/mcp/os'
import { shareRuns } from '../async/concurrency.js'
import { killWindowsTrees } from './kill-windows-trees.js'
import { signalProcess } from './signals.js'
import { readSystemToolOutput, type SpawnedProcess } from './spawn.js'
import type { ShellProgram } from './shell-program.js'
import { listWindowsProcesses, type ProcessListDeps, type WindowsProcessList } from './windows-processes.js'

const POLL_MS = 50
const UNKILLABLE_MS = 1000

/** A started program, leader of its own process group where there are groups. */
export interface RootProcess {
  readonly pid: number
  /** Whether it has exited. Its children may still run, but its pid may belong to another process by now. */
  readonly hasExited: boolean
  /** By which Windows finds what it left running: its tag, when it was about to be started, and when it had exited. */
  readonly tag?: string | undefined
  readonly startedAtMs?: number | undefined
  readonly exitedAtMs?: number | undefined
}

export interface KillDeps extends ProcessListDeps {
  /** Signals a process or, with a negative number, a group; ignores one that does not exist. */
  readonly signal: (pid: number, name: NodeJS.Signals) => void
  /** Called if the system does not list the processes, or not all of them. */
  readonly onUnlisted?: (() => void) | undefined
  /** On Windows, what lists the processes; by default each call does by itself. */
  readonly listProcesses?: (() => Promise<WindowsProcessList | undefined>) | undefined
}

/** One -o for each column: FreeBSD takes everything after an equals sign for the header of that column. */
export const PS_ARGUMENTS = ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'pgid=', '-o', 'stat=']

/**
 * Sends SIGTERM to all, and SIGKILL to the remaining ones after the given time. Each list is read before its signals
 * are sent, and every process that was seen once is remembered: when its parent has exited, nothing shows where it came
 * from. Returns the processes that could not be killed.
 */
export async function killTreesByPs(
  roots: readonly RootProcess[],
  killAfterMs: number,
  deps: KillDeps,
): Promise<readonly number[]> {
  const killAt = performance.now() + killAfterMs
  const signalled = new Set<number>()
  let killedAt = Infinity
  for (;;) {
    const remembered = [...signalled].map((pid): RootProcess => ({ pid, hasExited: false }))
    const listed = await deps.runTool('/bin/ps', PS_ARGUMENTS)
    if (listed === undefined) deps.onUnlisted?.()
    const found = findDescendants(listed ?? '', [...roots, ...remembered])
    // Without a list, the groups can still be signalled.
    const unlisted = roots.filter(({ pid, hasExited }) => !hasExited && !found.includes(pid))
    const targets = [...found, ...unlisted.map(({ pid }) => -pid)]
    const now = performance.now()
    if (targets.length === 0 || now > killedAt + UNKILLABLE_MS) return found
    if (now >= killAt) killedAt = Math.min(killedAt, now)
    for (const target of targets) {
      if (now >= killAt) deps.signal(target, 'SIGKILL')
      else if (!signalled.has(target)) deps.signal(target, 'SIGTERM')
      signalled.add(target)
    }
    await sleep(POLL_MS)
  }
}

/** The running roots, their descendants, and the members of the groups that one of them leads. */
export function findDescendants(psText: string, roots: readonly RootProcess[]): readonly number[] {
  const listed = parsePs(psText)
  const running = new Set(listed.map(({ pid }) => pid))
  // A pid that is in use after its program has exited belongs to another process, and every process descends from 0 and
  // 1.
  const isRunningRoot = ({ pid, hasExited }: RootProcess): boolean => pid > 1 && !(hasExited && running.has(pid))
  const members = new Set(roots.filter(isRunningRoot).map(({ pid }) => pid))
  // Elements that are added during the iteration are visited as well.
  for (const member of members)
    for (const { pid, ppid, pgid } of listed) if (ppid === member || pgid === member) members.add(pid)
  return [...members].filter((pid) => running.has(pid))
}

interface PsRow {
  readonly pid: number
  readonly ppid: number
  readonly pgid: number
}

function parsePs(psText: string): readonly PsRow[] {
  // Without zombies.
  return [...psText.matchAll(/^ *(\d+) +(\d+) +(\d+) +[^Z\s]\S* *$/gm)].map(([, pid, ppid, pgid]) => ({
    pid: Number(pid),
    ppid: Number(ppid),
    pgid: Number(pgid),
  }))
}

/** Where /proc shows the environment of processes. */
const PLATFORMS_WITH_TAGS = new Set<NodeJS.Platform>(['linux', 'android'])

/** Programs that have exited, of which Windows may list children. */
const MAX_EXITED_ROOTS = 1000

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** A program that was started with a tag. */
export interface StartedProgram extends Pick<SpawnedProcess, 'pid' | 'exited'> {
  readonly tag: string
  /** Before it was started. */
  readonly startedAtMs: number
  readonly shell: ShellProgram
}

interface UntaggedTrees {
  add(program: StartedProgram): RootProcess
  /** Both return the processes that could not be killed. */
  killTree(root: RootProcess, killAfterMs: number): Promise<readonly number[]>
  killAll(killAfterMs: number): Promise<readonly number[]>
  /** Whether its children could not be listed when it was last killed. */
  areChildrenUnlisted(root: RootProcess): boolean
}

const SYSTEM_DEPS: KillDeps = { runTool: readSystemToolOutput, signal: signalProcess }

/** undefined where tags can be read. */
export function createUntaggedTrees(
  platform: NodeJS.Platform,
  { runTool, signal }: KillDeps = SYSTEM_DEPS,
): UntaggedTrees | undefined {
  if (PLATFORMS_WITH_TAGS.has(platform)) return undefined
  const roots = new Set<RootProcess>()
  const unlisted = new WeakSet<RootProcess>()
  const isWindows = platform === 'win32'
  const killTrees = isWindows ? killWindowsTrees : killTreesByPs
  let gitBash: string | undefined
  // Each list starts two programs, and all jobs are killed at once when the server stops.
  const listProcesses = shareRuns(() => listWindowsProcesses({ runTool, gitBash }))

  /** Windows has no groups: children are found by the pid and the times of their parent. */
  function forgetExited(root: RootProcess): void {
    if (!isWindows) {
      // Kept as long as its process group has members.
      if (!isPidRunning(-root.pid)) roots.delete(root)
      return
    }
    const exited = [...roots].filter(({ hasExited }) => hasExited)
    for (const old of exited.slice(0, -MAX_EXITED_ROOTS)) roots.delete(old)
  }

  const kill = (
    killed: readonly RootProcess[],
    killAfterMs: number,
    onUnlisted?: () => void,
  ): Promise<readonly number[]> => killTrees(killed, killAfterMs, { runTool, signal, onUnlisted, listProcesses })
  return {
    add({ pid, exited, tag, startedAtMs, shell }) {
      if (isWindows && shell.kind === 'bash') gitBash = shell.file
      const root: Mutable<RootProcess> = { pid, hasExited: false, tag, startedAtMs }
      roots.add(root)
      void exited.then(() => {
        root.hasExited = true
        root.exitedAtMs = Date.now()
        forgetExited(root)
      })
      return root
    },
    killTree(root, killAfterMs) {
      unlisted.delete(root)
      return kill([root], killAfterMs, () => unlisted.add(root))
    },
    killAll: (killAfterMs) => kill([...roots], killAfterMs),
    areChildrenUnlisted: (root) => unlisted.has(root),
  }
}
