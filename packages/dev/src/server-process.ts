// The process of the server under development: lines in both directions, and its end together with everything it has
// started. Used by server-run.ts. Starts processes; sets timers.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'

import { findSystem32 } from '@scorpiox/mcp/system32'
import { createLineReader, type InvalidLine } from '@scorpiox/mcp/stdio/line-reader'

import type { ServerCommand } from './server-command.js'

const MAX_LINE_BYTES = 64 * 1024 * 1024
const MAX_ERROR_LINE_BYTES = 64 * 1024
/** After stdin was closed, and after each signal. */
const GRACE_MS = 1000
const IS_WINDOWS = process.platform === 'win32'

export interface ServerProcessListener {
  /** A line of stdout. */
  onLine(line: string | InvalidLine): void
  /** A line of stderr. */
  onErrorLine(line: string): void
  /** Called once, after the last line. `reason` completes "The server …". */
  onExit(reason: string): void
}

export interface ServerProcess {
  send(line: string): void
  /** Ends the server, with what it has started. Resolves when it has exited. */
  stop(): Promise<void>
}

export function startServerProcess(command: ServerCommand, listener: ServerProcessListener): ServerProcess {
  const { file, args, cwd, isCommandLine = false } = command
  // A group of its own, so that Ctrl+C does not reach it before it is stopped in order, and to end what it starts.
  const child = spawn(file, [...args], {
    cwd,
    detached: !IS_WINDOWS,
    windowsHide: true,
    windowsVerbatimArguments: isCommandLine,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const killAtExit = (): void => signalGroup(child, 'SIGKILL')
  process.once('exit', killAtExit)
  const lines = createLineReader(MAX_LINE_BYTES)
  const errorLines = createLineReader(MAX_ERROR_LINE_BYTES)
  const drain = (): void => {
    for (let line = lines.next(); line !== undefined; line = lines.next()) listener.onLine(line)
  }
  const drainErrors = (): void => {
    for (let line = errorLines.next(); line !== undefined; line = errorLines.next())
      listener.onErrorLine(typeof line === 'string' ? line : `(${line.reason})`)
  }
  child.stdin.on('error', () => {})
  child.stdout.on('data', (chunk: Buffer) => {
    lines.push(chunk)
    drain()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    errorLines.push(chunk)
    drainErrors()
  })

  const exited = new Promise<void>((resolve) => {
    const finish = (reason: string): void => {
      process.removeListener('exit', killAtExit)
      errorLines.end()
      drainErrors()
      listener.onExit(reason)
      resolve()
    }
    child.once('error', (error) => {
      if (child.pid === undefined) finish(`could not be started: ${error.message}`)
    })
    child.once('exit', (code, signal) => {
      // Something it has started may keep its streams open, also outside of its group.
      signalGroup(child, 'SIGKILL')
      const closeStreams = setTimeout(
        () => [child.stdout, child.stderr].forEach((stream) => stream.destroy()),
        GRACE_MS,
      )
      child.once('close', () => {
        clearTimeout(closeStreams)
        finish(signal === null ? `exited with code ${code}` : `was ended by ${signal}`)
      })
    })
  })

  return {
    send: (line) => void child.stdin.write(`${line}\n`),
    async stop() {
      child.stdin.end()
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        if (await settlesWithin(exited, GRACE_MS)) return
        signalGroup(child, signal)
      }
      await exited
    },
  }
}

function signalGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  if (IS_WINDOWS) {
    if (exitCode === null && signalCode === null)
      spawnSync(`${findSystem32()}\\taskkill.exe`, ['/pid', String(pid), '/t', '/f'])
    return
  }
  try {
    process.kill(-pid, signal)
  } catch {
    // Nothing of it runs any more.
  }
}

function settlesWithin(work: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms)
    void work.then(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
