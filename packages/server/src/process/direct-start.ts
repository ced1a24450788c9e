// Starts the shell of a command without the shell pool: in a sandbox that is a command line, on a terminal, with output in a
// code page of Windows. Outside of command-runner.ts, because a running job retains what closures beside its own refer to.
// Starts processes.

import type { SandboxedCommand } from './shell-pool.js'
import type { ShellProgram } from './shell-program.js'
import { type SpawnedProcess, spawnProcess } from './spawn.js'
import type { TerminalOptions } from './supervisor.js'

/** A shell in a sandbox that consists of a command line only, as on macOS. */
export function confineShell(
  shell: ShellProgram,
  { argv, seccompFile, bash, shellPrelude }: SandboxedCommand,
): ShellProgram {
  const [file, ...words] = argv
  if (file === undefined || seccompFile !== '')
    throw new Error('mkfifo not found: required for commands in this sandbox')
  return { ...shell, file, args: (command) => [...words, bash, ...shell.args(`${shellPrelude}${command}`)] }
}

export type SpawnOrder = Parameters<typeof spawnProcess>[0]

export async function startProgram(
  order: SpawnOrder,
  terminal: TerminalOptions | undefined,
  needsRecoding: boolean,
): Promise<SpawnedProcess> {
  const start = async (onOutput: SpawnOrder['onOutput']): Promise<SpawnedProcess> => {
    if (!terminal) return spawnProcess({ ...order, onOutput })
    const { spawnOnTerminal } = await import('./terminal-process.js')
    return spawnOnTerminal({ ...order, onOutput, cols: terminal.cols, rows: terminal.rows })
  }
  if (!needsRecoding) return start(order.onOutput)
  const { startRecoded } = await import('./oem-output.js')
  return startRecoded(start, order.onOutput)
}
