// Starts programs, each in a session of its own. This is the only importer of node:child_process: command-runner,
// piped-child, run-program, edit-text and the side effects of callbacks build on it. Starts processes. Sets timers.

import { type ChildProcess, execFile, execFileSync, spawn, type SpawnOptions } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'

import { noteBytesRead } from './garbage-collector.js'
import { createStreamInput, type InputPipe } from './input-pipe.js'

const DISCARD_PAUSE_MS = 20
const TOOL_TIMEOUT_MS = 3000
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

export interface ExitStatus {
  /** As a shell reports it: 128 plus the signal number if a signal ended the program; null if unknown. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

interface StartedChild {
  readonly child: ChildProcess
  /** Rejects if the program could not be started; `code` is the error code of the system, such as ENOENT. */
  readonly spawned: Promise<number>
  readonly exited: Promise<ExitStatus>
}

/** Returns at once, so that the caller can listen to the streams before the first output arrives. */
export function startChild(file: string, args: readonly string[], options: SpawnOptions): StartedChild {
  const child = spawn(file, args, { windowsHide: true, ...options })
  const exited = new Promise<ExitStatus>((resolve) =>
    child.once('exit', (code, signal) => resolve(toExitStatus(code, signal))),
  )
  const spawned = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => resolve(child.pid ?? 0))
  })
  return { child, spawned, exited }
}

export interface SpawnedProcess {
  readonly pid: number
  /** Resolves when the program itself has exited; its children may still run. */
  readonly exited: Promise<ExitStatus>
  /** Resolves when no process can write to its output any more. */
  readonly closed: Promise<void>
  readonly pause: () => void
  readonly resume: () => void
  /** Discards further output. Children of the program may go on writing, slowly: closing the pipe would kill them. */
  readonly ignoreOutput: () => void
  /** stdin, if it can be written to. */
  readonly stdin?: InputPipe | undefined
}

interface SpawnRequest {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Text for stdin; empty by default. */
  readonly input?: string | undefined
  /** stdin stays open and can be written to. */
  readonly hasOpenInput?: boolean | undefined
  readonly onOutput: (chunk: Buffer) => void
}

/** Rejects if the program could not be started; `code` is the error code of the system, such as ENOENT. */
export async function spawnProcess(request: SpawnRequest): Promise<SpawnedProcess> {
  const { file, args, cwd, env, input, hasOpenInput = false, onOutput } = request
  // A detached program has no console on Windows, and each program that it starts opens a window.
  const detached = process.platform !== 'win32'
  const { child, spawned, exited } = withStdinFile(input, (stdin) =>
    startChild(file, args, { cwd, env, detached, stdio: [hasOpenInput ? 'pipe' : stdin, 'pipe', 'pipe'] }),
  )
  // Without free descriptors, spawn returns a child without streams, and emits the error one tick later.
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null && stream !== undefined)
  for (const stream of streams) {
    stream.on('data', (chunk: Buffer) => {
      onOutput(chunk)
      noteBytesRead(chunk.length)
    })
  }
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return {
    pid: await spawned,
    exited,
    closed,
    stdin: hasOpenInput && child.stdin ? createStreamInput(child.stdin) : undefined,
    pause: () => streams.forEach((stream) => stream.pause()),
    resume: () => streams.forEach((stream) => stream.resume()),
    ignoreOutput: () => streams.forEach(discardSlowly),
  }
}

/**
 * Passes stdin as a file: Node's pipes are sockets, and a bash whose stdin is a socket reads the user's .bashrc. No
 * other process can open the file: its name is removed before the program starts.
 */
function withStdinFile<T>(input: string | undefined, start: (stdin: number | 'ignore') => T): T {
  if (input === undefined) return start('ignore')
  const stdin = openAnonymousFile(input)
  try {
    return start(stdin)
  } finally {
    closeSync(stdin)
  }
}

function openAnonymousFile(text: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'scorpiox-'))
  try {
    const path = join(folder, 'input')
    writeFileSync(path, text, { mode: 0o600 })
    return openSync(path, 'r')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function discardSlowly(stream: Readable): void {
  stream.removeAllListeners('data')
  stream.on('data', () => {
    stream.pause()
    setTimeout(() => stream.resume(), DISCARD_PAUSE_MS).unref()
  })
}

/**
 * The output of a system tool (ps, taskkill), run without our process tag; undefined if it fails. Windows searches the
 * working directory first, so that is a safe one.
 */
export function readSystemToolOutput(
  file: string,
  args: readonly string[],
  timeout = TOOL_TIMEOUT_MS,
): Promise<string | undefined> {
  const cwd = dirname(process.execPath)
  const options = { cwd, timeout, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true }
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout) => resolve(error ? undefined : stdout))
  })
}

/** The output of a program that ends at once; '' if it fails or takes too long. Blocks: only for a question asked once. */
export function readProbeOutput(file: string, args: readonly string[], env: NodeJS.ProcessEnv): string {
  const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore']
  const limits = {
    timeout: TOOL_TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    killSignal: 'SIGKILL',
    windowsHide: true,
  } as const
  try {
    return execFileSync(file, args, { cwd: dirname(file), env, stdio, encoding: 'utf8', ...limits })
  } catch {
    return ''
  }
}

/** Converts the exit status of a shell to an ExitStatus. */
export function exitStatusFromShellCode(status: number | undefined): ExitStatus {
  if (status === undefined) return { code: null, signal: null }
  if (status <= 128) return { code: status, signal: null }
  const found = Object.entries(constants.signals).find(([, number]) => number === status - 128)
  return { code: status, signal: found && isSignal(found[0]) ? found[0] : null }
}

function toExitStatus(code: number | null, signal: NodeJS.Signals | null): ExitStatus {
  return { code: signal ? 128 + constants.signals[signal] : code, signal }
}

function isSignal(name: string): name is NodeJS.Signals {
  return name in constants.signals
}
