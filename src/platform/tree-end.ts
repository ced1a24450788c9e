// Ends what a program started where processes do not show their environment: macOS and the BSDs list processes with ps,
// Windows walks the tree with taskkill. Plans only; who may start programs and send signals lends the means.

import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 50
const UNKILLABLE_MS = 1000

/** A program that was started, leader of its own group where there are groups. */
export interface Root {
  readonly pid: number
  /** Whether it has ended; what it started may still run, but its number may be somebody else's by now. */
  readonly isOver: boolean
}

export interface Means {
  /** What a program printed; undefined when it failed or is not there. */
  readonly ask: (file: string, args: readonly string[]) => Promise<string | undefined>
  /** To a process or, by a negative number, to a group; one that is gone is none of its concern. */
  readonly signal: (pid: number, name: NodeJS.Signals) => void
}

/** One -o each: FreeBSD takes everything behind an equals sign for the header of that column. */
export const PS_ARGUMENTS = ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'pgid=', '-o', 'stat=']

/**
 * TERM to all, KILL to what is left after the given time. Each list comes before its signals, and who was seen once is
 * remembered: when a parent is gone, nothing tells whose child it was. Gives those that could not be killed.
 */
export async function endListed(roots: readonly Root[], killAfterMs: number, means: Means): Promise<readonly number[]> {
  const killAt = performance.now() + killAfterMs
  const asked = new Set<number>()
  let killedAt = Infinity
  for (;;) {
    const seen = [...asked].map((pid) => ({ pid, isOver: false }))
    const found = descendantsOf((await means.ask('ps', PS_ARGUMENTS)) ?? '', [...roots, ...seen])
    // Where nothing could be listed, there are still the groups.
    const unlisted = roots.filter(({ pid, isOver }) => !isOver && !found.includes(pid))
    const targets = [...found, ...unlisted.map(({ pid }) => -pid)]
    const now = performance.now()
    if (targets.length === 0 || now > killedAt + UNKILLABLE_MS) return found
    if (now >= killAt) killedAt = Math.min(killedAt, now)
    for (const target of targets) {
      if (now >= killAt) means.signal(target, 'SIGKILL')
      else if (!asked.has(target)) means.signal(target, 'SIGTERM')
      asked.add(target)
    }
    await sleep(POLL_MS)
  }
}

/** Those of the roots that still run, whatever descends from them, and whoever is in a group that one of them leads. */
export function descendantsOf(psText: string, roots: readonly Root[]): readonly number[] {
  const listed = parsePs(psText)
  const running = new Set(listed.map(({ pid }) => pid))
  // A number that runs after its program has ended was given to another one, and everybody descends from 0 and 1.
  const isOurs = ({ pid, isOver }: Root): boolean => pid > 1 && !(isOver && running.has(pid))
  const ours = new Set(roots.filter(isOurs).map(({ pid }) => pid))
  // Whoever is added while the set is gone through is gone through as well.
  for (const one of ours) for (const { pid, ppid, pgid } of listed) if (ppid === one || pgid === one) ours.add(pid)
  return [...ours].filter((pid) => running.has(pid))
}

/**
 * Asks the windows of each tree to close, and ends it for good where it has none or does not follow. Nothing can be
 * done about what an ended program left behind: Windows does not know whose it was.
 */
export async function endByTaskkill(
  roots: readonly Root[],
  killAfterMs: number,
  means: Means,
): Promise<readonly number[]> {
  const end = async (root: Root): Promise<void> => {
    // It refuses what has no window to close, which is nearly everything; then waiting is of no use.
    const isAsked = (await means.ask('taskkill', taskkillArguments(root.pid, false))) !== undefined
    const until = performance.now() + (isAsked ? killAfterMs : 0)
    while (!root.isOver && performance.now() < until) await sleep(POLL_MS)
    if (root.isOver) return
    const isEnded = (await means.ask('taskkill', taskkillArguments(root.pid, true))) !== undefined
    if (!isEnded) means.signal(root.pid, 'SIGKILL')
  }
  await Promise.all(roots.filter(({ isOver }) => !isOver).map(end))
  // Whether something is left cannot be seen.
  return []
}

export function taskkillArguments(pid: number, force: boolean): readonly string[] {
  return ['/PID', String(pid), '/T', ...(force ? ['/F'] : [])]
}

interface Listed {
  readonly pid: number
  readonly ppid: number
  readonly pgid: number
}

function parsePs(psText: string): readonly Listed[] {
  // Not those that are dead and only wait for their parent to notice.
  return [...psText.matchAll(/^ *(\d+) +(\d+) +(\d+) +[^Z\s]\S* *$/gm)].map(([, pid, ppid, pgid]) => ({
    pid: Number(pid),
    ppid: Number(ppid),
    pgid: Number(pgid),
  }))
}
