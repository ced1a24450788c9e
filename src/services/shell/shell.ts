// Runs a command to its end, its time limit or its cancellation. A command that is stopped takes everything it started
// with it; what one leaves behind at its own end goes when the shell is closed.

import { Failure } from '../../lib/failure.js'
import { createProcesses, type Running } from '../../platform/process.js'
import { createCapture } from './capture.js'

/** How long to wait for the last bytes when a command has ended but a child it left behind holds its output open. */
const LINGER_MS = 100

const KILL_AFTER_MS = 2000

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
  const processes = createProcesses()
  let closing: Promise<void> | undefined

  async function run(command: string, { timeoutMs, signal, onLine }: Terms): Promise<Outcome> {
    const startedAt = performance.now()
    const capture = createCapture(maxOutputBytes)
    const show = streaming && onLine ? newestLine(onLine) : undefined
    const child = await start(command, (chunk) => {
      capture.add(chunk)
      show?.(chunk)
    })
    const ending = await untilOver(child, timeoutMs, signal)
    const exit = await child.exited
    await lastBytes(child)
    child.ignoreOutput()
    const { text, omittedBytes } = capture.take()
    return {
      output: text,
      exitCode: exit.code,
      signal: exit.signal,
      timedOut: ending === 'timeout',
      cancelled: ending === 'abort',
      omittedBytes,
      durationMs: Math.round(performance.now() - startedAt),
    }
  }

  async function start(command: string, onOutput: (chunk: Buffer) => void): Promise<Running> {
    if (closing) throw new Failure('The command was not started: the server is stopping.')
    if (command.includes('\0')) throw new Failure('The command was not started: it contains a NUL character.')
    // The outer sh joins stderr to stdout before bash starts, so that the two come in the order a terminal shows.
    const args = ['-c', 'exec bash -c -- "$1" 2>&1', 'sh', command]
    try {
      return await processes.start({ file: 'sh', args, cwd, env, onOutput })
    } catch (error) {
      throw new Failure(`The command was not started: ${whyNot(error, cwd)}`)
    }
  }

  return {
    run,
    close: () => (closing ??= processes.endAll(SHUTDOWN_KILL_MS)),
  }
}

/** Waits for the end; on a timeout or an abort, ends everything first and says which it was. */
async function untilOver(
  child: Running,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<'exit' | 'timeout' | 'abort'> {
  const over = new AbortController()
  const ending = await new Promise<'exit' | 'timeout' | 'abort'>((resolve) => {
    const timer = setTimeout(resolve, timeoutMs, 'timeout')
    const onAbort = (): void => resolve('abort')
    signal.addEventListener('abort', onAbort, { once: true, signal: over.signal })
    if (signal.aborted) onAbort()
    void child.exited.then(() => {
      clearTimeout(timer)
      resolve('exit')
    })
  })
  over.abort()
  if (ending !== 'exit') await child.end(KILL_AFTER_MS)
  return ending
}

function whyNot(error: unknown, cwd: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'E2BIG') return 'it is too long. Write it to a file and run that file.'
  if (code === 'EMFILE' || code === 'EAGAIN')
    return `the system is out of ${code === 'EMFILE' ? 'open files' : 'processes'}. Wait for other commands to end.`
  const reason = error instanceof Error ? error.message : String(error)
  return `${reason}. Check that ${cwd} exists and that bash is installed.`
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
