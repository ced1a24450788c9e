// Starts helper programs that this process talks to: over two pipes (the browser), in lines (the supervisor of shells),
// or over an IPC channel (worker processes). None of them keeps this process alive. Used by browser-process,
// supervisor, worker-processes and worker-threads. Starts processes.

import { dirname } from 'node:path'
import { Readable, Writable } from 'node:stream'

import { bunVersion } from '@scorpiox/mcp/runtime'
import { BUN_FLAGS, findExecutableEntry } from './program-files.js'
import { exitStatusWithReason, needsReasonPipe } from './self-termination.js'
import { signalProcessGroup } from './signals.js'
import { type ExitStatus, startChild } from './spawn.js'

interface PipedChild {
  readonly pid: number
  readonly exited: Promise<ExitStatus>
  /** Resolves when neither it nor any of its children can write any more. */
  readonly closed: Promise<void>
  send(message: string | Buffer): void
  /** Whether it keeps this process alive; by default it does not. */
  ref(): void
  unref(): void
  /** Closes its input, which tells it to exit. */
  disconnect(): void
  /** Kills it and its process group with SIGKILL; false if none was running. */
  kill(): boolean
}

interface PipedChildOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly onData: (chunk: Buffer) => void
  /** Without it, stderr is discarded. */
  readonly onStderr?: (chunk: Buffer) => void
}

/** Starts a program that reads from fd 3 and writes to fd 4. */
export async function spawnPipedChild(
  file: string,
  args: readonly string[],
  { cwd, env, onData, onStderr }: PipedChildOptions,
): Promise<PipedChild> {
  const detached = process.platform !== 'win32'
  const stderrMode = onStderr ? 'pipe' : 'ignore'
  const { child, spawned, exited } = startChild(file, args, {
    cwd,
    env,
    detached,
    stdio: ['ignore', 'ignore', stderrMode, 'pipe', 'pipe'],
  })
  const pid = await spawned
  const [, , stderr, input, output] = child.stdio
  if (!(input instanceof Writable) || !(output instanceof Readable)) throw new Error('the program has no pipes')
  for (const stream of [stderr, input, output]) stream?.on('error', () => {})
  setReferenced('unref', child, stderr, input, output)
  output.on('data', onData)
  if (onStderr) stderr?.on('data', onStderr)
  return {
    pid,
    exited,
    closed: new Promise((resolve) => output.once('close', () => resolve())),
    send: (message) => void input.write(message),
    ref: () => setReferenced('ref', output),
    unref: () => setReferenced('unref', output),
    disconnect() {
      input.end()
      // A stopped process could not react. Windows stops none, and would throw.
      if (detached) child.kill('SIGCONT')
    },
    kill: () => (detached ? signalProcessGroup(pid, 'SIGKILL') : child.kill('SIGKILL')),
  }
}

interface LineChildOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly onLine: (line: string) => void
}

/** Starts a program that reads from fd 3 and writes ASCII lines to fd 4. */
export function spawnLineChild(
  file: string,
  args: readonly string[],
  { cwd, env, onLine }: LineChildOptions,
): Promise<PipedChild> {
  let incompleteLine = ''
  const onData = (chunk: Buffer): void => {
    const lines = (incompleteLine + chunk.toString('latin1')).split('\n')
    incompleteLine = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  }
  return spawnPipedChild(file, args, { cwd, env, onData })
}

export interface IpcChild {
  readonly exited: Promise<ExitStatus>
  send(message: object): void
  /** Kills it with SIGKILL. */
  kill(): void
}

/** Starts a script on this runtime, connected by an IPC channel. */
export async function spawnNodeScript(
  script: string,
  env: NodeJS.ProcessEnv,
  onMessage: (message: unknown) => void,
): Promise<IpcChild> {
  const { child, spawned, exited } = startChild(process.execPath, [...runtimeFlags(), script], {
    cwd: dirname(process.execPath),
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', ...(needsReasonPipe() ? ['pipe' as const] : [])],
    serialization: 'advanced',
  })
  child.on('message', onMessage)
  await spawned
  child.on('error', () => {})
  const [, , , , reason] = child.stdio
  setReferenced('unref', child, child.channel, reason)
  const ended = reason instanceof Readable ? exitStatusWithReason(exited, reason) : exited
  return {
    exited: ended,
    send: (message) => void child.send(message, () => {}),
    kill: () => void child.kill('SIGKILL'),
  }
}

/** Bun by default downloads packages that are missing; a single executable does not. */
function runtimeFlags(): readonly string[] {
  if (bunVersion() === undefined || findExecutableEntry() !== undefined) return []
  return process.platform === 'win32' ? ['--no-install'] : ['--no-install', ...BUN_FLAGS]
}

/** Whether these handles keep this process from exiting. */
function setReferenced(method: 'ref' | 'unref', ...handles: readonly (object | null | undefined)[]): void {
  for (const handle of handles) {
    const call: unknown = handle && Reflect.get(handle, method)
    if (typeof call === 'function') Reflect.apply(call, handle, [])
  }
}
