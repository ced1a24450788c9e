// Ends whole trees of processes: everything that carries a tag of this family, wherever it went.

import { setTimeout as sleep } from 'node:timers/promises'

import { createCensus, type Census, type TreeProcess } from './census.js'
import { findTaggedAfter, hasTag } from './process-tree.js'

/** Between one census and the next, but no less than it took: who is to end needs the processor too. */
const POLL_MS = 20
/** More than these are not asked but killed: to some, a TERM is a reason to multiply. */
const CROWD = 1000
/** On a busy machine somebody is always just being started; so often none of ours found is enough. */
const ENOUGH = 5
/** How long a process that was killed may take to go, on a busy machine, before it counts as unkillable. */
const UNKILLABLE_MS = 8000

export interface Trees {
  /** The beginning of every tag given out here. */
  readonly family: string
  /** What was found says nothing about a program started since. */
  grown(): void
  /**
   * TERM to all of a tag, KILL to those that are left after a while; resolves when none is left and its program is
   * over, which may have been started a moment ago and not carry its tag yet. Gives those that could not be killed.
   */
  end(tag: string, killAfterMs: number, isOver?: () => boolean): Promise<readonly number[]>
  /** The same to the whole family but for the spared tags. */
  endAll(killAfterMs: number, spared?: ReadonlySet<string>, isOver?: () => boolean): Promise<readonly number[]>
  isLeft(tag: string): boolean
  /** What of a tag still runs, given the first process that had it, and some that surely have another. */
  left(tag: string, first: number, others: ReadonlySet<number>): readonly number[]
}

export function createTrees(family = newFamily(), unkillableMs = UNKILLABLE_MS): Trees {
  const count = createCensus()
  let census: (Census & { readonly at: number; readonly pauseMs: number }) | undefined
  let asked: ReadonlySet<string> = new Set()

  /** One serves everybody who asks, so that ending hundreds of commands takes no more than ending one. */
  function newestCensus(): Census & { readonly pauseMs: number } {
    const startedAt = performance.now()
    if (!census || startedAt - census.at >= census.pauseMs) {
      const counted = count()
      const at = performance.now()
      census = { ...counted, at, pauseMs: Math.max(POLL_MS, at - startedAt) }
      asked = new Set(counted.found.map(({ key }) => key).filter((key) => asked.has(key)))
    }
    return census
  }

  // Each once, whoever ends it and also those that came to be while others were asked: some take a second TERM badly.
  function ask(found: readonly TreeProcess[]): void {
    const fresh = found.filter(({ key, isCage }) => !isCage && !asked.has(key))
    for (const { pid } of fresh) signalProcess(pid, 'SIGTERM')
    asked = new Set([...asked, ...fresh.map(({ key }) => key)])
  }

  async function endMembers(
    isMember: (each: TreeProcess) => boolean,
    killAfterMs: number,
    isOver: () => boolean = () => true,
  ): Promise<readonly number[]> {
    const startedAt = performance.now()
    let killedAt: number | undefined
    for (let empty = 0; ;) {
      const { found, isSure, pauseMs } = newestCensus()
      const members = found.filter(isMember)
      empty = members.length === 0 && isOver() ? empty + 1 : 0
      if (empty > 0 && (isSure || empty >= ENOUGH)) return []
      const now = performance.now()
      if (killedAt !== undefined && now - killedAt >= unkillableMs) return members.map(({ pid }) => pid)
      ask(members)
      if (now - startedAt >= killAfterMs || members.length > CROWD) {
        killedAt ??= now
        kill(members)
      }
      await sleep(pauseMs)
    }
  }

  return {
    family,
    grown: () => (census = undefined),
    end: (tag, killAfterMs, isOver) => endMembers((each) => hasTag(each, `${tag};`), killAfterMs, isOver),
    endAll: (killAfterMs, spared, isOver) =>
      endMembers((each) => hasTag(each, `${family}.`) && !isSpared(each, spared), killAfterMs, isOver),
    isLeft: (tag) => newestCensus().found.some((each) => hasTag(each, `${tag};`)),
    left: (tag, first, others) => findTaggedAfter(first, `${tag};`, others),
  }
}

function isSpared(found: TreeProcess, tags: ReadonlySet<string> = new Set()): boolean {
  return [...tags].some((tag) => hasTag(found, `${tag};`))
}

// By group as well, which reaches them all at once: who forks and ends, again and again, is gone before it is its turn.
function kill(members: readonly TreeProcess[]): void {
  const groups = new Set(members.map(({ group = 0 }) => -group).filter((group) => group < -1))
  for (const id of [...groups, ...members.map(({ pid }) => pid)]) signalProcess(id, 'SIGKILL')
}

export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Already gone.
  }
}

function newFamily(): string {
  return `${process.pid.toString(36)}-${Math.random().toString(36).slice(2)}`
}
