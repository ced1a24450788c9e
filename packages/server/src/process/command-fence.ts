// Ends the commands of a server that is stopped (SIGSTOP) or hangs and so cannot do it itself: a small bash process
// kills them unless the server keeps extending its time. Used by open-shell-service where several machines share files,
// because another machine takes over when the lease has ended. Starts that process and writes to its stdin.

import SCRIPT from './command-fence.sh?raw'
import { spawnLineChild } from './piped-child.js'

export interface CommandFence {
  /** Commands are killed if this is not called again within the time. */
  extend(ms: number): void
  close(): void
}

export interface CommandFenceOptions {
  readonly bash: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** The common prefix of the tags of this server's commands. */
  readonly tagPrefix: string
}

export async function startCommandFence({ bash, cwd, env, tagPrefix }: CommandFenceOptions): Promise<CommandFence> {
  const args = ['--norc', '--noprofile', '-c', SCRIPT, 'command-fence', tagPrefix]
  const child = await spawnLineChild(bash, args, { cwd, env, onLine: () => {} })
  return {
    extend: (ms) => child.send(`${(Math.max(ms, 1) / 1000).toFixed(3)}\n`),
    close: () => child.disconnect(),
  }
}
