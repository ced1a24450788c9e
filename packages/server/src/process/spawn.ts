// Starts other programs, each in a session of its own. This is the only importer of node:child_process.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'

import { bunVersion } from '@scorpiox/mcp/runtime'
import { findExecutableEntry } from './program-files.js'

const QUERY_TIMEOUT_MS = 3000
const DISCARD_PAUSE_MS = 20
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

export interface ExitStatus {
  /** As a shell reports it: 128 plus the signal number if a signal ended the program; null if unknown. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
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
}

interface SpawnOptions {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Text for stdin; empty by default. */
  readonly input?: string | undefined
  readonly onOutput: (chunk: Buffer) => void
}

/** Rejects if the program could not be started; `code` is the error code of the system, such as ENOENT. */
export async function spawnProcess({ file, args, cwd, env, input, onOutput }: SpawnOptions): Promise<SpawnedProcess> {
  // A detached program has no console on Windows, and each program that it starts opens a window.
  const detached = process.platform !== 'win32'
  const child = withStdinFile(input, (stdin) =>
    spawn(file, args, { cwd, env, detached, stdio: [stdin, 'pipe', 'pipe'], windowsHide: true }),
  )
  // Without free descriptors, spawn returns a child without streams, and emits the error one tick later.
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null && stream !== undefined)
  for (const stream of streams) stream.on('data', onOutput)
  const exited = new Promise<ExitStatus>((resolve) =>
    child.once('exit', (code, signal) => resolve(toExitStatus(code, signal))),
  )
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const pid = await waitForSpawn(child)
  return {
    pid,
    exited,
    closed,
    pause: () => streams.forEach((stream) => stream.pause()),
    resume: () => streams.forEach((stream) => stream.resume()),
    ignoreOutput: () => streams.forEach(discardSlowly),
  }
}

/** Passes stdin as a file: Node's pipes are sockets, and a bash whose stdin is a socket reads the user's .bashrc. */
function withStdinFile<T>(input: string | undefined, start: (stdin: number | 'ignore') => T): T {
  if (input === undefined) return start('ignore')
  const stdin = openAnonymousFile(input)
  try {
    return start(stdin)
  } finally {
    closeSync(stdin)
  }
}

interface LineChild {
  readonly pid: number
  readonly exited: Promise<void>
  /** Resolves when neither it nor any of its children can report any more. */
  readonly reportsClosed: Promise<void>
  send(text: string): void
  /** Closes its input, which tells it to exit. */
  disconnect(): void
}

interface LineChildOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly onLine: (line: string) => void
}

/** Starts a program that reads from fd 3 and writes report lines to fd 4, and that does not keep this process alive. */
export async function spawnLineChild(
  file: string,
  args: readonly string[],
  start: LineChildOptions,
): Promise<LineChild> {
  const { cwd, env, onLine } = start
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const pid = await waitForSpawn(child)
  const [, , , input, reports] = child.stdio
  if (!isWritable(input) || !isReadable(reports)) throw new Error('the helper has no pipes')
  unref(child, input, reports)
  input.on('error', () => {})
  reports.on('error', () => {})
  let incompleteLine = ''
  reports.setEncoding('latin1').on('data', (text: string) => {
    const lines = (incompleteLine + text).split('\n')
    incompleteLine = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  })
  const reportsClosed = new Promise<void>((resolve) => reports.once('close', () => resolve()))
  const disconnect = (): void => {
    input.end()
    // A stopped process could not react.
    child.kill('SIGCONT')
  }
  return { pid, exited, reportsClosed, disconnect, send: (text) => void input.write(text) }
}

interface PipeChild {
  readonly pid: number
  readonly exited: Promise<ExitStatus>
  send(text: string): void
  /** Kills it and its process group with SIGKILL; false if none was running. */
  kill(): boolean
}

interface PipeChildOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly onData: (chunk: Buffer) => void
  readonly onStderr: (chunk: Buffer) => void
}

/** Starts a program that reads from fd 3 and writes to fd 4 and stderr; it does not keep this process alive. */
export async function spawnPipeChild(
  file: string,
  args: readonly string[],
  start: PipeChildOptions,
): Promise<PipeChild> {
  const { cwd, env, onData, onStderr } = start
  const detached = process.platform !== 'win32'
  const child = spawn(file, args, {
    cwd,
    env,
    detached,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    windowsHide: true,
  })
  const exited = new Promise<ExitStatus>((resolve) =>
    child.once('exit', (code, signal) => resolve(toExitStatus(code, signal))),
  )
  const pid = await waitForSpawn(child)
  const [, , stderr, input, output] = child.stdio
  if (!isWritable(input) || !isReadable(output) || !isReadable(stderr)) throw new Error('the program has no pipes')
  unref(child, stderr, input, output)
  for (const stream of [stderr, input, output]) stream.on('error', () => {})
  output.on('data', onData)
  stderr.on('data', onStderr)
  const kill = (): boolean => (detached ? signalProcessGroup(pid, 'SIGKILL') : child.kill('SIGKILL'))
  return { pid, exited, send: (text) => void input.write(text), kill }
}

export interface IpcChild {
  readonly exited: Promise<ExitStatus>
  send(message: object): void
  /** Kills it with SIGKILL. */
  kill(): void
}

/** Starts a script on this runtime, connected by an IPC channel. It does not keep this process alive. */
export async function spawnNodeScript(
  script: string,
  env: NodeJS.ProcessEnv,
  onMessage: (message: unknown) => void,
): Promise<IpcChild> {
  const child = spawn(process.execPath, [...runtimeFlags(), script], {
    cwd: dirname(process.execPath),
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    windowsHide: true,
  })
  const exited = new Promise<ExitStatus>((resolve) =>
    child.once('exit', (code, signal) => resolve(toExitStatus(code, signal))),
  )
  child.on('message', onMessage)
  await waitForSpawn(child)
  child.on('error', () => {})
  unref(child, child.channel ?? child)
  return { exited, send: (message) => void child.send(message, () => {}), kill: () => void child.kill('SIGKILL') }
}

/** Bun by default downloads packages that are missing; a single executable does not. */
function runtimeFlags(): readonly string[] {
  return bunVersion() === undefined || findExecutableEntry() !== undefined ? [] : ['--no-install']
}

/** The trimmed output of a program; undefined if it is missing, fails or takes too long. */
export async function readProgramOutput(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  try {
    const { code, output } = await runToCompletion(file, args, env)
    return code === 0 ? output.trim() : undefined
  } catch {
    return undefined
  }
}

/** Runs a short program to its end; kills it after a timeout. */
export async function runToCompletion(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ExitStatus & { readonly output: string }> {
  const chunks: Buffer[] = []
  const onOutput = (chunk: Buffer): void => void chunks.push(chunk)
  const program = await spawnProcess({ file, args, cwd: '/', env, onOutput })
  const timer = setTimeout(() => signalProcessGroup(program.pid, 'SIGKILL'), QUERY_TIMEOUT_MS)
  const exit = await program.exited
  await program.closed
  clearTimeout(timer)
  return { ...exit, output: Buffer.concat(chunks).toString() }
}

/**
 * The output of a system tool (ps, taskkill), run without our process tag; undefined if it fails. Windows searches the
 * working directory first, so that is a safe one.
 */
export function readSystemToolOutput(file: string, args: readonly string[]): Promise<string | undefined> {
  const options = {
    cwd: dirname(process.execPath),
    timeout: QUERY_TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    windowsHide: true,
  }
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout) => resolve(error ? undefined : stdout))
  })
}

/** Opens a file in the default application; rejects if there is none. */
export async function openInBrowser(path: string, env: NodeJS.ProcessEnv): Promise<void> {
  const [file, args] = OPENERS[process.platform] ?? ['xdg-open', []]
  const child = spawn(file, [...args, path], { env, detached: true, stdio: 'ignore', windowsHide: true })
  await waitForSpawn(child)
  child.unref()
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, readonly string[]]>> = {
  darwin: ['open', []],
  win32: ['explorer.exe', []],
}

/** Signals the process group of a program; false if no process was left in it. */
export function signalProcessGroup(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(-pid, name)
  } catch {
    return false
  }
}

/** Converts the exit status of a shell to an ExitStatus. */
export function exitStatusFromShellCode(status: number | undefined): ExitStatus {
  if (status === undefined) return { code: null, signal: null }
  const found = Object.entries(constants.signals).find(([, number]) => number === status - 128)
  return { code: status, signal: found && isSignal(found[0]) ? found[0] : null }
}

function toExitStatus(code: number | null, signal: NodeJS.Signals | null): ExitStatus {
  return { code: signal ? 128 + constants.signals[signal] : code, signal }
}

function isSignal(name: string): name is NodeJS.Signals {
  return name in constants.signals
}

function waitForSpawn(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => resolve(child.pid ?? 0))
  })
}

/** Keeps none of these handles from letting this process exit. */
function unref(...handles: readonly object[]): void {
  for (const handle of handles) if ('unref' in handle && typeof handle.unref === 'function') handle.unref()
}

function discardSlowly(stream: Readable): void {
  stream.removeAllListeners('data')
  stream.on('data', () => {
    stream.pause()
    setTimeout(() => stream.resume(), DISCARD_PAUSE_MS).unref()
  })
}

function isWritable(stream: unknown): stream is Writable {
  return stream instanceof Writable
}

function isReadable(stream: unknown): stream is Readable {
  return stream instanceof Readable
}

// Creates a temporary file that no other process can open: its name is removed before the descriptor is returned.

/** A descriptor to read the text from; the caller closes it. */
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
