// Runs short programs to their end, with a time limit, and opens files in the user's default application. Used by
// doctor, install, `ui` and the sandbox. Sets timers.

import { win32 } from 'node:path'

import { findSystem32 } from '@scorpiox/mcp/system32'
import { settlesWithin } from '../async/timeouts.js'
import { signalProcess, signalProcessGroup } from './signals.js'
import { type ExitStatus, spawnProcess, startChild } from './spawn.js'

const TIMEOUT_MS = 3000
const OUTPUT_WAIT_MS = 2000

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

/** Runs a short program to its end; kills it after a timeout, which is then reported. */
export async function runToCompletion(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  timeoutMs = TIMEOUT_MS,
): Promise<ExitStatus & { readonly output: string; readonly timedOut: boolean }> {
  const chunks: Buffer[] = []
  const onOutput = (chunk: Buffer): void => void chunks.push(chunk)
  const program = await spawnProcess({ file, args, cwd: '/', env, onOutput })
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    // Windows has no process groups.
    if (!signalProcessGroup(program.pid, 'SIGKILL')) signalProcess(program.pid, 'SIGKILL')
  }, timeoutMs)
  const exit = await program.exited
  // A process that it has left may keep the output open.
  await settlesWithin(OUTPUT_WAIT_MS, program.closed)
  clearTimeout(timer)
  return { ...exit, output: Buffer.concat(chunks).toString(), timedOut }
}

/** Opens a file in the default application; rejects if there is none. */
export async function openInBrowser(path: string, env: NodeJS.ProcessEnv): Promise<void> {
  const [file, args] = OPENERS[process.platform] ?? ['xdg-open', []]
  const { child, spawned } = startChild(file, [...args, path], { env, detached: true, stdio: 'ignore' })
  await spawned
  child.unref()
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, readonly string[]]>> = {
  darwin: ['/usr/bin/open', []],
  // Not by its name alone, which Windows would look for in the working directory first.
  win32: [win32.join(findSystem32(), '..', 'explorer.exe'), []],
}
