// Kills process trees where there is no /proc and tags cannot be read: macOS and the BSDs list processes with ps,
// Windows walks the tree with taskkill. Only known processes and the descendants that the system lists can be killed.
// Used by command-runner.ts; with /proc, process-tree.ts is used.

import { setTimeout as sleep } from 'node:timers/promises'

import { isPidRunning } from '@scorpiox/mcp/os'
import { signalProcess } from './signals.js'
import { readSystemToolOutput, type SpawnedProcess } from './spawn.js'

const POLL_MS = 50
const UNKILLABLE_MS = 1000

/** A started program, leader of its own process group where there are groups. */
export interface RootProcess {
  readonly pid: number
  /** Whether it has exited. Its children may still run, but its pid may belong to another process by now. */
  readonly hasExited: boolean
}

export interface KillDeps {
  /** The output of a program; undefined if it failed or is missing. */
  readonly runTool: (file: string, args: readonly string[]) => Promise<string | undefined>
  /** Signals a process or, with a negative number, a group; ignores one that does not exist. */
  readonly signal: (pid: number, name: NodeJS.Signals) => void
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
    const found = findDescendants((await deps.runTool('ps', PS_ARGUMENTS)) ?? '', [...roots, ...remembered])
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

/**
 * Asks the windows of each tree to close, and kills it if it has none or does not exit. The children of an exited
 * program cannot be found: Windows does not record their parent.
 */
export async function killTreesByTaskkill(
  roots: readonly RootProcess[],
  killAfterMs: number,
  deps: KillDeps,
): Promise<readonly number[]> {
  const killTree = async (root: RootProcess): Promise<void> => {
    // taskkill fails for a program without a window, which is nearly every one; then there is no use in waiting.
    const isClosing = (await deps.runTool('taskkill', taskkillArguments(root.pid, false))) !== undefined
    const killAt = performance.now() + (isClosing ? killAfterMs : 0)
    while (!root.hasExited && performance.now() < killAt) await sleep(POLL_MS)
    if (root.hasExited) return
    const wasKilled = (await deps.runTool('taskkill', taskkillArguments(root.pid, true))) !== undefined
    if (!wasKilled) deps.signal(root.pid, 'SIGKILL')
  }
  await Promise.all(roots.filter(({ hasExited }) => !hasExited).map(killTree))
  // Windows does not show whether something is left.
  return []
}

export function taskkillArguments(pid: number, force: boolean): readonly string[] {
  return ['/PID', String(pid), '/T', ...(force ? ['/F'] : [])]
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

const KILL_DEPS: KillDeps = { runTool: readSystemToolOutput, signal: signalProcess }

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

interface UntaggedTrees {
  add(program: SpawnedProcess): RootProcess
  /** Both return the processes that could not be killed. */
  killTree(root: RootProcess, killAfterMs: number): Promise<readonly number[]>
  killAll(killAfterMs: number): Promise<readonly number[]>
}

/** undefined where tags can be read. */
export function createUntaggedTrees(platform: NodeJS.Platform): UntaggedTrees | undefined {
  if (PLATFORMS_WITH_TAGS.has(platform)) return undefined
  const roots = new Set<RootProcess>()
  const killTrees = platform === 'win32' ? killTreesByTaskkill : killTreesByPs
  return {
    add({ pid, exited }) {
      const root: Mutable<RootProcess> = { pid, hasExited: false }
      roots.add(root)
      void exited.then(() => {
        root.hasExited = true
        // Kept as long as its process group has members.
        if (!isPidRunning(-pid)) roots.delete(root)
      })
      return root
    },
    killTree: (root, killAfterMs) => killTrees([root], killAfterMs, KILL_DEPS),
    killAll: (killAfterMs) => killTrees([...roots], killAfterMs, KILL_DEPS),
  }
}
