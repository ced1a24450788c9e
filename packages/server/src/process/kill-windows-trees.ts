// Kills process trees on Windows: lists the processes, remembers every descendant that it has seen, and ends with
// taskkill and by pid what is left. Descendants are found by the parents of Windows and MSYS, by the tag in the
// environment of programs of MSYS, and as children of a shell that has exited. Used by kill-untagged.ts.

import { setTimeout as sleep } from 'node:timers/promises'

import { findSystem32 } from '@scorpiox/mcp/system32'
import { settlesWithin } from '../async/timeouts.js'
import type { KillDeps, RootProcess } from './kill-untagged.js'
import { listWindowsProcesses, toFileTime, type WindowsProcess, type WindowsProcessList } from './windows-processes.js'

const POLL_MS = 50
/** A slow list does not delay the end of a command for longer: clients give a server about 2 s to stop. */
const LIST_WAIT_MS = 1500
/** How often what is left is listed and ended. */
const MAX_ROUNDS = 3

/**
 * Asks the windows of each tree to close, and kills it if it has none or does not exit. Returns the processes that are
 * known to be left.
 */
export async function killWindowsTrees(
  roots: readonly RootProcess[],
  killAfterMs: number,
  deps: KillDeps,
): Promise<readonly number[]> {
  if (roots.length === 0) return []
  const atRequest = roots.map((root): RootProcess => ({ ...root }))
  const running = roots.filter(({ hasExited }) => !hasExited)
  const requestedAt = toFileTime(Date.now())
  const listing = listProcesses(deps)
  await settlesWithin(LIST_WAIT_MS, listing)
  const killed = Promise.all(running.map((root) => killByTaskkill(root, killAfterMs, deps)))
  const before = await listing
  const members = new Map<number, WindowsProcess>()
  if (before) addDescendants(members, withoutReusedPids(before.processes, running, requestedAt), atRequest)
  await killed
  if (!before) return listRunning(running)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const listed = round === 0 && running.length === 0 ? before : await listProcesses(deps)
    if (!listed) return listRunning(running)
    addDescendants(members, listed.processes, roots)
    const left = listed.processes.filter(({ pid, startedAt }) => members.get(pid)?.startedAt === startedAt)
    if (left.length === 0 || round === MAX_ROUNDS - 1) return left.map(({ pid }) => pid)
    for (const { pid } of left) deps.signal(pid, 'SIGKILL')
  }
  return []
}

async function listProcesses(deps: KillDeps): Promise<WindowsProcessList | undefined> {
  const listed = await (deps.listProcesses?.() ?? listWindowsProcesses(deps))
  if (!listed?.isComplete) deps.onUnlisted?.()
  return listed
}

/** In a list that came late, the pid of a root that has been killed meanwhile may belong to another process. */
function withoutReusedPids(
  listed: readonly WindowsProcess[],
  running: readonly RootProcess[],
  requestedAt: bigint,
): readonly WindowsProcess[] {
  const pids = new Set(running.map(({ pid }) => pid))
  return listed.filter(({ pid, startedAt }) => !pids.has(pid) || startedAt <= requestedAt)
}

async function killByTaskkill(root: RootProcess, killAfterMs: number, deps: KillDeps): Promise<void> {
  // While the processes were listed; its pid may belong to another process by now.
  if (root.hasExited) return
  const taskkill = `${findSystem32()}\\taskkill.exe`
  // taskkill fails for a program without a window, which is nearly every one; then there is no use in waiting.
  const isClosing = (await deps.runTool(taskkill, taskkillArguments(root.pid, false))) !== undefined
  const killAt = performance.now() + (isClosing ? killAfterMs : 0)
  while (!root.hasExited && performance.now() < killAt) await sleep(POLL_MS)
  if (root.hasExited) return
  const wasKilled = (await deps.runTool(taskkill, taskkillArguments(root.pid, true))) !== undefined
  if (!wasKilled) deps.signal(root.pid, 'SIGKILL')
}

export function taskkillArguments(pid: number, force: boolean): readonly string[] {
  return ['/PID', String(pid), '/T', ...(force ? ['/F'] : [])]
}

function listRunning(roots: readonly RootProcess[]): readonly number[] {
  return roots.filter(({ hasExited }) => !hasExited).map(({ pid }) => pid)
}

/** Adds the roots, the processes with their tags, and the descendants of all members. */
export function addDescendants(
  members: Map<number, WindowsProcess>,
  listed: readonly WindowsProcess[],
  roots: readonly RootProcess[],
): void {
  const candidates = listed.filter(({ pid }) => pid !== process.pid)
  const running = new Map(candidates.map((each) => [each.pid, each]))
  const isSame = (each: WindowsProcess): boolean => running.get(each.pid)?.startedAt === each.startedAt
  for (const each of candidates) if (roots.some((root) => isRootOrItsOwn(each, root))) members.set(each.pid, each)
  // Elements that are added during the iteration are visited as well.
  const parents = new Set(members.values())
  for (const parent of parents) {
    for (const child of candidates) {
      if (child.pid === parent.pid || members.get(child.pid)?.startedAt === child.startedAt) continue
      const isMsysChild = isSame(parent) && child.msysParents.includes(parent.pid)
      if (!isMsysChild && !isWindowsChild(child, parent, running.get(parent.pid))) continue
      members.set(child.pid, child)
      parents.add(child)
    }
  }
}

/**
 * A parent pid stays when the parent has exited and its number is used again. A process that is older than its parent is
 * not a child of it, nor is one that is younger than the next process with that number.
 */
function isWindowsChild(child: WindowsProcess, parent: WindowsProcess, current: WindowsProcess | undefined): boolean {
  if (child.ppid !== parent.pid || child.startedAt < parent.startedAt) return false
  return !current || current.startedAt === parent.startedAt || child.startedAt < current.startedAt
}

/**
 * A running root, a process with its tag, or the child of one that has exited. The pid of a root is not assigned again
 * before Node.js has reported its exit: until then it holds the process open.
 */
function isRootOrItsOwn({ pid, ppid, startedAt, tags }: WindowsProcess, root: RootProcess): boolean {
  if (root.tag !== undefined && tags.includes(`;${root.tag};`)) return true
  if (!root.hasExited) return pid === root.pid
  const { startedAtMs, exitedAtMs } = root
  if (ppid !== root.pid || startedAtMs === undefined || exitedAtMs === undefined) return false
  return startedAt >= toFileTime(startedAtMs) && startedAt <= toFileTime(exitedAtMs)
}
