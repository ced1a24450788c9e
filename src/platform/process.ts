// The door to other programs: starts one in a process group of its own, and ends the whole group.
// Nothing else in the house imports node:child_process.

import { spawn, type ChildProcess } from 'node:child_process'

const KILL_AFTER_MS = 2000
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
  /** Asks the group to end, and ends it for good after the given time, two seconds unless told. */
  end(killAfterMs?: number): void
}

export interface Start {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly onOutput: (chunk: Buffer) => void
}

/** Rejects where the program could not be started at all; `code` is the system's, such as ENOENT. */
export function startProcess({ file, args, cwd, env, onOutput }: Start): Promise<Running> {
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
  child.stdout.on('data', onOutput)
  child.stderr.on('data', onOutput)
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () =>
      resolve({ exited, closed, end: (killAfterMs = KILL_AFTER_MS) => endGroup(child, closed, killAfterMs) }),
    )
  })
}

function endGroup(child: ChildProcess, closed: Promise<void>, killAfterMs: number): void {
  signalGroup(child, 'SIGTERM')
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), killAfterMs)
  void closed.then(() => clearTimeout(timer))
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child
  if (pid === undefined) return
  if (process.platform === 'win32') {
    // Windows has no groups to signal; taskkill walks the tree.
    spawn('taskkill', ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on('error', () => {})
    return
  }
  try {
    process.kill(-pid, signal)
  } catch {
    // The group is already gone.
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
    const running = await startProcess({ file, args, cwd: process.cwd(), env, onOutput: (chunk) => chunks.push(chunk) })
    const timer = setTimeout(() => running.end(), ASK_MS)
    const { code } = await running.exited
    await running.closed
    clearTimeout(timer)
    return code === 0 ? Buffer.concat(chunks).toString().trim() : undefined
  } catch {
    return undefined
  }
}
