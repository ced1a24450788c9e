// Starts and talks to the shell launcher, a program of 6 KB without dependencies (shell-launcher.c) that starts plain
// shells several times as fast as the supervisor script can. Used by supervisor.ts, which does without it where it cannot
// run. Writes the program to the pool directory and starts it. Sets timers.

import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getSystemErrorName } from 'node:util'

import { withTimeout } from '@scorpiox/mcp/promises'
import { createDeferred } from '../../async/timeouts.js'
import { spawnPipedChild } from '../piped-child.js'
import type { PooledShell } from '../pooled-shell.js'
import { continueIfStopped } from '../process-identity.js'
import { createLaunchedShell, type LaunchedShell, type ShellExit } from './launched-shell.js'
import { loadLauncherProgram } from './launcher-program.js'
import { createReportReader, formatRequest, formatStartRequest, type StartRequest } from './launcher-messages.js'

export interface ShellLauncher {
  readonly isOpen: boolean
  /** Undefined if this shell needs more than the launcher can do. `isNext`: for a later command, not for this one. */
  start(request: LaunchRequest, isNext: boolean): PooledShell | undefined
  leaderPids(): readonly number[]
  /** Starts no more shells. Running ones go on. */
  close(): void
}

export type LaunchRequest = Omit<StartRequest, 'askpassKey'>

interface LauncherOptions {
  /** Where the program is written to. */
  readonly directory: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** The tags of every command, to which the name of its shell is appended. */
  readonly commandTags: string
  readonly bash: string
}

/** A command cannot guess the key of another. */
const ASKPASS_KEY_BYTES = 16
const KEYS_AT_ONCE = 64
/** Distinguishes its shells from those of the supervisor. */
const NAME_PREFIX = 'p'
const CHECK_MS = 1000
const TRIAL_STATUS = 77
const MAX_TRIAL_MS = 5000
const LEFT_CHILDREN = 256
const CHILDREN_UNKNOWN = 512
const STATUS_UNKNOWN = 1024
const NO_COMMAND = 2048

/** Undefined where it cannot run: on other processors, in folders whose programs may not be executed. */
export async function startShellLauncher(options: LauncherOptions): Promise<ShellLauncher | undefined> {
  const { directory, cwd, env, commandTags, bash } = options
  const program = await loadLauncherProgram()
  if (!program) return undefined
  const shells = new Map<number, LaunchedShell>()
  const ready = createDeferred<boolean>()
  const onData = createReportReader({
    onReport: (kind, number, value) => (kind === 'H' ? ready.resolve(true) : handleReport(shells, kind, number, value)),
    onOutput: (number, chunk) => shells.get(number)?.onOutput(chunk),
  })
  const args = [`${commandTags}${NAME_PREFIX}`]
  const child = await startProgram(join(directory, 'shell-launcher'), program, args, { cwd, env, onData })
  if (!child) return undefined
  void child.closed.then(() => ready.resolve(false))
  const launcher = createLauncher(child, shells)
  if ((await ready.promise) && (await canRunShell(launcher, bash))) return launcher
  child.kill()
  return undefined
}

type LauncherProcess = Awaited<ReturnType<typeof spawnPipedChild>>
type ShellTable = Map<number, LaunchedShell>

function createLauncher(child: LauncherProcess, shells: ShellTable): ShellLauncher {
  const createKey = createKeySource()
  let lastNumber = 0
  let held = 0
  /** Sent with the next command, in one write. */
  let unsent: Buffer[] = []
  let isOpen = true
  // A command may have stopped it.
  const timer = setInterval(() => shells.size > 0 && continueIfStopped(child.pid), CHECK_MS).unref()
  void child.closed.then(() => {
    isOpen = false
    clearInterval(timer)
    for (const shell of shells.values()) {
      shell.onClosed()
      if (!shell.hasExited) shell.onExit({ status: undefined, hasLeftChildren: undefined, hadCommand: true })
    }
    shells.clear()
  })

  function sendWithUnsent(message: Buffer): void {
    const messages = [message, ...unsent]
    unsent = []
    child.send(Buffer.concat(messages))
  }

  function createShell(number: number, askpassKey: string): LaunchedShell {
    return createLaunchedShell(`${NAME_PREFIX}${number}`, askpassKey, {
      run: (command) => sendWithUnsent(formatRequest('R', number, `${command}\0`)),
      discard: () => sendWithUnsent(formatRequest('D', number)),
      pause: () => child.send(formatRequest('P', number)),
      resume: () => child.send(formatRequest('C', number)),
      hold: () => void (held++ === 0 && child.ref()),
      release: () => void (--held === 0 && child.unref()),
    })
  }

  return {
    get isOpen() {
      return isOpen
    },
    start(request, isNext) {
      if (!isOpen) throw new Error('no shell could be prepared')
      const number = ++lastNumber
      const askpassKey = createKey()
      const message = formatStartRequest(isNext ? 'N' : 'S', number, { ...request, askpassKey })
      if (!message) return undefined
      const shell = createShell(number, askpassKey)
      shells.set(number, shell)
      if (isNext) unsent.push(message)
      else child.send(message)
      return shell
    },
    leaderPids: () => [...shells.values()].flatMap(({ pid }) => pid ?? []),
    close() {
      if (!isOpen) return
      isOpen = false
      child.send(formatRequest('Q', 0))
    },
  }
}

function handleReport(shells: ShellTable, kind: 'S' | 'F' | 'Z' | 'X', number: number, value: number): void {
  const shell = shells.get(number)
  if (kind === 'S') shell?.onStarted(value)
  else if (kind === 'F') shell?.onNotStarted(startError(value))
  else if (kind === 'Z') shell?.onClosed()
  else shell?.onExit(readExit(value))
  if (shell?.isFinished) shells.delete(number)
}

/** Whether this system lets it start processes; a sandbox around the server may not. */
async function canRunShell(launcher: ShellLauncher, bash: string): Promise<boolean> {
  const argv = [bash, '-p', '-c', `exit ${TRIAL_STATUS}`]
  const shell = launcher.start({ seccompFile: '', cgroupFiles: [], argv }, false)
  shell?.run('', () => {})
  const status = await withTimeout(MAX_TRIAL_MS, shell?.exited ?? Promise.resolve(undefined))
  shell?.ignoreOutput()
  return status === TRIAL_STATUS
}

/** Undefined if the system does not execute it. */
async function startProgram(
  file: string,
  program: Buffer,
  args: readonly string[],
  options: Parameters<typeof spawnPipedChild>[2],
): Promise<LauncherProcess | undefined> {
  try {
    writeFileSync(file, program, { mode: 0o700, flag: 'wx' })
    return await spawnPipedChild(file, args, options)
  } catch {
    return undefined
  } finally {
    // A running program needs no file.
    rmSync(file, { force: true })
  }
}

/** Random numbers are read for many keys at once, which takes a tenth of the time. */
function createKeySource(): () => string {
  let bytes = Buffer.alloc(0)
  return () => {
    if (bytes.length === 0) bytes = randomBytes(ASKPASS_KEY_BYTES * KEYS_AT_ONCE)
    const key = bytes.toString('base64url', 0, ASKPASS_KEY_BYTES)
    bytes = bytes.subarray(ASKPASS_KEY_BYTES)
    return key
  }
}

function readExit(value: number): ShellExit {
  const has = (flag: number): boolean => (value & flag) !== 0
  return {
    status: has(STATUS_UNKNOWN) ? undefined : value & 0xff,
    hasLeftChildren: has(CHILDREN_UNKNOWN) ? undefined : has(LEFT_CHILDREN),
    hadCommand: !has(NO_COMMAND),
  }
}

function startError(number: number): Error {
  const code = getSystemErrorName(-number)
  return Object.assign(new Error(`no shell could be started (${code})`), { code })
}
