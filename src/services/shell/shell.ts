// Runs a command to its end, its time limit or its cancellation; whichever comes, the whole process group goes.

import { Failure } from '../../lib/failure.js'
import { startProcess, type Running } from '../../platform/process.js'
import { createCapture } from './capture.js'

/** How long to wait for the last bytes when a command has ended but a child it left behind holds its output open. */
const LINGER_MS = 100

// Clients kill a server that has not gone two seconds after they asked; whatever ignores TERM must be gone by then.
const SHUTDOWN_KILL_MS = 1000

/** How often a running command may show its newest line. */
const SHOW_EVERY_MS = 250
const MAX_SHOWN = 200

export interface Shell {
  run(command: string, terms: Terms): Promise<Outcome>
  close(): Promise<void>
}

export interface Terms {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Shown the newest line of output while the command runs, four times a second at most. */
  readonly onLine?: ((line: string) => void) | undefined
}

export interface Outcome {
  readonly output: string
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  readonly cancelled: boolean
  readonly omittedBytes: number
  readonly durationMs: number
}

export interface ShellSettings {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly maxOutputBytes: number
  /** Whether running commands may show their lines. */
  readonly streaming: boolean
}

export function createShell({ cwd, env, maxOutputBytes, streaming }: ShellSettings): Shell {
  const running = new Set<Running>()

  async function run(command: string, { timeoutMs, signal, onLine }: Terms): Promise<Outcome> {
    const startedAt = performance.now()
    const capture = createCapture(maxOutputBytes)
    const show = streaming && onLine ? newestLine(onLine) : undefined
    const child = await start(command, (chunk) => {
      capture.add(chunk)
      show?.(chunk)
    })
    running.add(child)
    void child.closed.then(() => running.delete(child))
    const stop = (): void => child.end()
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      stop()
    }, timeoutMs)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const exit = await child.exited
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    await lastBytes(child)
    const { text, omittedBytes } = capture.take()
    return {
      output: text,
      exitCode: exit.code,
      signal: exit.signal,
      timedOut,
      cancelled: signal.aborted,
      omittedBytes,
      durationMs: Math.round(performance.now() - startedAt),
    }
  }

  async function start(command: string, onOutput: (chunk: Buffer) => void): Promise<Running> {
    // The outer sh joins stderr to stdout before bash starts, so that the two come in the order a terminal shows.
    const args = ['-c', 'exec bash -c "$1" 2>&1', 'sh', command]
    try {
      return await startProcess({ file: 'sh', args, cwd, env, onOutput })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new Failure(`The command was not started: ${reason}. Check that ${cwd} exists and that bash is installed.`)
    }
  }

  async function close(): Promise<void> {
    for (const child of running) child.end(SHUTDOWN_KILL_MS)
    await Promise.all([...running].map((child) => child.closed))
  }

  return { run, close }
}

function newestLine(onLine: (line: string) => void): (chunk: Buffer) => void {
  let shownAt = -Infinity
  return (chunk) => {
    if (performance.now() - shownAt < SHOW_EVERY_MS) return
    const line = chunk.toString().trimEnd().split('\n').at(-1)
    if (!line) return
    shownAt = performance.now()
    onLine(line.slice(-MAX_SHOWN))
  }
}

function lastBytes(child: Running): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LINGER_MS)
    void child.closed.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
