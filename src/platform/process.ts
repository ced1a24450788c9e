// The door to other programs: starts one in a session of its own. Nothing else in the house imports node:child_process.

import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { closeSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname } from 'node:path'
import { Readable, Writable } from 'node:stream'

import { bunVersion } from './bun.js'
import { executableEntry } from './program.js'
import { openUnnamed } from './unnamed-file.js'

const ASK_MS = 3000
const SLOWLY_MS = 20
const MAX_ANSWER = 16 * 1024 * 1024

export interface Exit {
  /** As a shell tells it: 128 and the number of the signal, where a signal ended it; null when it cannot be known. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Program {
  readonly pid: number
  /** When the program itself has ended; children it left behind may still run. */
  readonly exited: Promise<Exit>
  /** When nobody can write to its output any more. */
  readonly closed: Promise<void>
  readonly pause: () => void
  readonly resume: () => void
  /** Its output is no longer wanted. A child left behind may go on writing, slowly: closing the pipe would kill it. */
  readonly ignoreOutput: () => void
}

export interface Start {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** What it reads from stdin; nothing unless told. */
  readonly input?: string | undefined
  readonly onOutput: (chunk: Buffer) => void
}

/** Rejects where the program could not be started at all; `code` is the system's, such as ENOENT. */
export async function startProgram({ file, args, cwd, env, input, onOutput }: Start): Promise<Program> {
  // Detached, a program has no console on Windows, and each one that it starts opens a window.
  const detached = process.platform !== 'win32'
  const child = withInput(input, (stdin) =>
    spawn(file, args, { cwd, env, detached, stdio: [stdin, 'pipe', 'pipe'], windowsHide: true }),
  )
  // Out of descriptors, there is a child without streams, and its error comes a tick later.
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null && stream !== undefined)
  for (const stream of streams) stream.on('data', onOutput)
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve(exitOf(code, signal))))
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const pid = await started(child)
  return {
    pid,
    exited,
    closed,
    pause: () => streams.forEach((stream) => stream.pause()),
    resume: () => streams.forEach((stream) => stream.resume()),
    ignoreOutput: () => streams.forEach(trickle),
  }
}

/** From a file: pipes of Node are sockets, and a bash with a socket for its stdin reads the .bashrc of the person. */
function withInput<T>(input: string | undefined, start: (stdin: number | 'ignore') => T): T {
  if (input === undefined) return start('ignore')
  const stdin = openUnnamed(input)
  try {
    return start(stdin)
  } finally {
    closeSync(stdin)
  }
}

export interface Helper {
  readonly pid: number
  readonly exited: Promise<void>
  /** When neither it nor anybody it started can report any more. */
  readonly silent: Promise<void>
  tell(text: string): void
  /** It hears that we are gone. */
  hangUp(): void
}

export interface HelperStart {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly onLine: (line: string) => void
}

/** Starts a program that hears on fd 3 and reports in lines on fd 4, and that does not keep this process alive. */
export async function startHelper(file: string, args: readonly string[], start: HelperStart): Promise<Helper> {
  const { cwd, env, onLine } = start
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const pid = await started(child)
  const [, , , orders, reports] = child.stdio
  if (!isWritable(orders) || !isReadable(reports)) throw new Error('the helper has no pipes')
  unref(child, orders, reports)
  orders.on('error', () => {})
  reports.on('error', () => {})
  let rest = ''
  reports.setEncoding('latin1').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  })
  const silent = new Promise<void>((resolve) => reports.once('close', () => resolve()))
  const hangUp = (): void => {
    orders.end()
    // It could not hear that if somebody has stopped it.
    child.kill('SIGCONT')
  }
  return { pid, exited, silent, hangUp, tell: (text) => void orders.write(text) }
}

export interface Talker {
  readonly pid: number
  readonly exited: Promise<Exit>
  tell(text: string): void
  /** Ends it and what it started, without asking; false where nobody was left. */
  kill(): boolean
}

export interface TalkerStart {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly onHeard: (chunk: Buffer) => void
  readonly onComplaint: (chunk: Buffer) => void
}

/** Starts a program that hears on fd 3, answers on fd 4 and complains on stderr; it does not keep this process alive. */
export async function startTalker(file: string, args: readonly string[], start: TalkerStart): Promise<Talker> {
  const { cwd, env, onHeard, onComplaint } = start
  const detached = process.platform !== 'win32'
  const child = spawn(file, args, {
    cwd,
    env,
    detached,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    windowsHide: true,
  })
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve(exitOf(code, signal))))
  const pid = await started(child)
  const [, , complaints, orders, answers] = child.stdio
  if (!isWritable(orders) || !isReadable(answers) || !isReadable(complaints))
    throw new Error('the program has no pipes')
  unref(child, complaints, orders, answers)
  for (const stream of [complaints, orders, answers]) stream.on('error', () => {})
  answers.on('data', onHeard)
  complaints.on('data', onComplaint)
  const kill = (): boolean => (detached ? signalGroup(pid, 'SIGKILL') : child.kill('SIGKILL'))
  return { pid, exited, tell: (text) => void orders.write(text), kill }
}

export interface Fork {
  readonly exited: Promise<Exit>
  tell(message: object): void
  /** At once, whatever it is doing. */
  kill(): void
}

/** Starts a script on our own runtime; both sides send values. It does not keep this process alive. */
export async function startFork(
  script: string,
  env: NodeJS.ProcessEnv,
  onMessage: (message: unknown) => void,
): Promise<Fork> {
  const child = spawn(process.execPath, [...modestly(), script], {
    cwd: dirname(process.execPath),
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    windowsHide: true,
  })
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve(exitOf(code, signal))))
  child.on('message', onMessage)
  await started(child)
  child.on('error', () => {})
  unref(child, child.channel ?? child)
  return { exited, tell: (message) => void child.send(message, () => {}), kill: () => void child.kill('SIGKILL') }
}

/** Bun brings packages that are not there from the network, unless it is told not to; an executable of it does not. */
function modestly(): readonly string[] {
  return bunVersion() === undefined || executableEntry() !== undefined ? [] : ['--no-install']
}

/** What a program prints when asked a short question; undefined when it is not there or does not answer. */
export async function askProgram(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  try {
    const { code, output } = await runProgram(file, args, env)
    return code === 0 ? output.trim() : undefined
  } catch {
    return undefined
  }
}

/** Runs a program that takes a moment to its end; one that takes longer is ended. */
export async function runProgram(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Exit & { readonly output: string }> {
  const chunks: Buffer[] = []
  const onOutput = (chunk: Buffer): void => void chunks.push(chunk)
  const program = await startProgram({ file, args, cwd: '/', env, onOutput })
  const timer = setTimeout(() => signalGroup(program.pid, 'SIGKILL'), ASK_MS)
  const exit = await program.exited
  await program.closed
  clearTimeout(timer)
  return { ...exit, output: Buffer.concat(chunks).toString() }
}

/**
 * The same of a program that shows or ends others, and therefore is none of ours. Windows looks for it in the
 * directory first, so that is a safe one.
 */
export function askSystem(file: string, args: readonly string[]): Promise<string | undefined> {
  const options = { cwd: dirname(process.execPath), timeout: ASK_MS, maxBuffer: MAX_ANSWER, windowsHide: true }
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout) => resolve(error ? undefined : stdout))
  })
}

/** Shows a file to the person; rejects where nothing can. */
export async function openInBrowser(path: string, env: NodeJS.ProcessEnv): Promise<void> {
  const [file, args] = OPENERS[process.platform] ?? ['xdg-open', []]
  const child = spawn(file, [...args, path], { env, detached: true, stdio: 'ignore', windowsHide: true })
  await started(child)
  child.unref()
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, readonly string[]]>> = {
  darwin: ['open', []],
  win32: ['explorer.exe', []],
}

/** To a program and those it started that did not leave its group; false where nobody was left. */
export function signalGroup(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(-pid, name)
  } catch {
    return false
  }
}

/** The other way round: what a shell's exit status says. */
export function exitOfStatus(status: number | undefined): Exit {
  if (status === undefined) return { code: null, signal: null }
  const found = Object.entries(constants.signals).find(([, number]) => number === status - 128)
  return { code: status, signal: found && isSignal(found[0]) ? found[0] : null }
}

function exitOf(code: number | null, signal: NodeJS.Signals | null): Exit {
  return { code: signal ? 128 + constants.signals[signal] : code, signal }
}

function isSignal(name: string): name is NodeJS.Signals {
  return name in constants.signals
}

function started(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => resolve(child.pid ?? 0))
  })
}

/** None of them keeps this process alive. */
function unref(...all: readonly object[]): void {
  for (const each of all) if ('unref' in each && typeof each.unref === 'function') each.unref()
}

function trickle(stream: Readable): void {
  stream.removeAllListeners('data')
  stream.on('data', () => {
    stream.pause()
    setTimeout(() => stream.resume(), SLOWLY_MS).unref()
  })
}

function isWritable(stream: unknown): stream is Writable {
  return stream instanceof Writable
}

function isReadable(stream: unknown): stream is Readable {
  return stream instanceof Readable
}
