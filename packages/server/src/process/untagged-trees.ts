// The processes started on systems without /proc, where tags cannot be read. Only known processes and the descendants
// that the system lists can be killed.

import { type KillDeps, killTreesByPs, killTreesByTaskkill, type RootProcess } from './kill-untagged.js'
import { signalProcess } from './process-tree.js'
import { readSystemToolOutput, type SpawnedProcess } from './spawn.js'

/** Where /proc shows the environment of processes. */
const PLATFORMS_WITH_TAGS = new Set<NodeJS.Platform>(['linux', 'android'])

const KILL_DEPS: KillDeps = { runTool: readSystemToolOutput, signal: signalProcess }

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

interface UntaggedTrees {
  add(program: SpawnedProcess): RootProcess
  /** Both return the processes that could not be killed. */
  killTree(root: RootProcess, killAfterMs: number): Promise<readonly number[]>
  killAll(killAfterMs: number): Promise<readonly number[]>
}

/** undefined where tags can be read. */
export function createUntaggedTrees(platform: NodeJS.Platform): UntaggedTrees | undefined {
  if (PLATFORMS_WITH_TAGS.has(platform)) return undefined
  const roots = new Set<RootProcess>()
  const killTrees = platform === 'win32' ? killTreesByTaskkill : killTreesByPs
  return {
    add({ pid, exited }) {
      const root: Mutable<RootProcess> = { pid, hasExited: false }
      roots.add(root)
      void exited.then(() => {
        root.hasExited = true
        // Kept as long as its process group has members.
        if (!isPidRunning(-pid)) roots.delete(root)
      })
      return root
    },
    killTree: (root, killAfterMs) => killTrees([root], killAfterMs, KILL_DEPS),
    killAll: (killAfterMs) => killTrees([...roots], killAfterMs, KILL_DEPS),
  }
}

function isPidRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user exists but may not be signalled.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
