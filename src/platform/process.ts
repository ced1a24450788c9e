// The door to other programs: starts one in a session of its own, and ends everything it started.
// Nothing else in the house imports node:child_process.

import { spawn, type ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

import { findTagged, hasTag, tagged, type TaggedProcess } from './process-tree.js'

const POLL_MS = 20
/** A scan younger than this serves everybody who asks, so that ending hundreds of commands scans a few times a second. */
const SCAN_FRESH_MS = 20
const UNKILLABLE_MS = 1000
const ASK_MS = 3000

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Running {
  /** When the program itself has ended; children it left behind may still run. */
  readonly exited: Promise<Exit>
  /** When nobody can write to its output any more. */
  readonly closed: Promise<void>
  /** Asks it and its children to end, ends them for good after the given time; resolves when they are gone. */
  end(killAfterMs: number): Promise<void>
  /** Its output is no longer wanted. A child left behind may go on writing, slowly: closing the pipe would kill it. */
  ignoreOutput(): void
}

export interface Start {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly onOutput: (chunk: Buffer) => void
}

export interface Processes {
  /** Rejects where the program could not be started at all; `code` is the system's, such as ENOENT. */
  start(start: Start): Promise<Running>
  /** Ends everything that was ever started here and still runs. */
  endAll(killAfterMs: number): Promise<void>
}

export function createProcesses(): Processes {
  const family = `${process.pid.toString(36)}-${Math.random().toString(36).slice(2)}`
  let count = 0
  let scan: { readonly at: number; readonly found: readonly TaggedProcess[] } | undefined

  function find(beginning: string): readonly number[] {
    if (!scan || performance.now() - scan.at > SCAN_FRESH_MS) scan = { at: performance.now(), found: findTagged() }
    return scan.found.filter((each) => hasTag(each, beginning)).map(({ pid }) => pid)
  }

  /** TERM to all of them, KILL to those that are left after a while; resolves when none is left. */
  async function endTagged(beginning: string, killAfterMs: number): Promise<void> {
    const startedAt = performance.now()
    for (let round = 0; ; round++) {
      const pids = find(beginning)
      const waited = performance.now() - startedAt
      if (pids.length === 0 || waited > killAfterMs + UNKILLABLE_MS) return
      if (round === 0) for (const pid of pids) signal(pid, 'SIGTERM')
      if (waited >= killAfterMs) for (const pid of pids) signal(pid, 'SIGKILL')
      await sleep(POLL_MS)
    }
  }

  return {
    async start(start) {
      const tag = `${family}.${++count}`
      const child = spawnChild({ ...start, env: tagged(start.env, tag) })
      // What an earlier scan found says nothing about a program started since.
      scan = undefined
      return createRunning(child, await started(child), (killAfterMs) => endTagged(`${tag};`, killAfterMs))
    },
    endAll: (killAfterMs) => endTagged(`${family}.`, killAfterMs),
  }
}

/** What a program prints when asked a short question; undefined when it is not there or does not answer. */
export async function askProgram(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const chunks: Buffer[] = []
  try {
    const onOutput = (chunk: Buffer): void => void chunks.push(chunk)
    const running = await createProcesses().start({ file, args, cwd: '/', env, onOutput })
    const timer = setTimeout(() => void running.end(0), ASK_MS)
    const { code } = await running.exited
    await running.closed
    clearTimeout(timer)
    return code === 0 ? Buffer.concat(chunks).toString().trim() : undefined
  } catch {
    return undefined
  }
}

interface Ends {
  readonly exited: Promise<Exit>
  readonly closed: Promise<void>
}

function spawnChild({ file, args, cwd, env, onOutput }: Start): ChildProcess {
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
  // Out of descriptors, there is a child without streams, and its error comes a tick later.
  child.stdout?.on('data', onOutput)
  child.stderr?.on('data', onOutput)
  return child
}

function started(child: ChildProcess): Promise<Ends> {
  const exited = new Promise<Exit>((resolve) =>
    child.once('exit', (code, signal_) => resolve({ code, signal: signal_ })),
  )
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => resolve({ exited, closed }))
  })
}

function createRunning(child: ChildProcess, ends: Ends, endTree: (killAfterMs: number) => Promise<void>): Running {
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null
  return {
    ...ends,
    async end(killAfterMs) {
      // The group first: it needs no scan, and is all there is where nothing can be scanned. Its number is only safe
      // to use while the program itself is there.
      if (!isOver()) signalGroup(child, 'SIGTERM')
      const timer = setTimeout(() => !isOver() && signalGroup(child, 'SIGKILL'), killAfterMs)
      await Promise.all([ends.exited, endTree(killAfterMs)])
      clearTimeout(timer)
    },
    ignoreOutput() {
      for (const stream of [child.stdout, child.stderr]) {
        stream?.removeAllListeners('data')
        stream?.on('data', () => {
          stream.pause()
          setTimeout(() => stream.resume(), POLL_MS).unref()
        })
      }
    },
  }
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return
  if (process.platform !== 'win32') return signal(-child.pid, name)
  // Windows has no groups to signal; taskkill walks the tree.
  const args = ['/PID', String(child.pid), '/T', '/F']
  spawn('taskkill', args, { stdio: 'ignore', windowsHide: true }).on('error', () => {})
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Already gone.
  }
}
