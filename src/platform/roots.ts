// The processes started on systems without /proc, where tags cannot be read. Only known processes and the descendants
// that the system lists can be killed.

import { askSystem, type Program } from './process.js'
import { endByTaskkill, endListed, type Means, type Root } from './tree-end.js'
import { signalProcess } from './trees.js'

/** Where /proc shows the environment of processes. */
const PLATFORMS_WITH_TAGS = new Set<NodeJS.Platform>(['linux', 'android'])

const KILL_DEPS: Means = { ask: askSystem, signal: signalProcess }

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

interface Roots {
  add(program: Program): Root
  /** Both return the processes that could not be killed. */
  end(root: Root, killAfterMs: number): Promise<readonly number[]>
  endAll(killAfterMs: number): Promise<readonly number[]>
}

/** undefined where tags can be read. */
export function createRoots(platform: NodeJS.Platform): Roots | undefined {
  if (PLATFORMS_WITH_TAGS.has(platform)) return undefined
  const roots = new Set<Root>()
  const killTrees = platform === 'win32' ? endByTaskkill : endListed
  return {
    add({ pid, exited }) {
      const root: Mutable<Root> = { pid, isOver: false }
      roots.add(root)
      void exited.then(() => {
        root.isOver = true
        // Kept as long as its process group has members.
        if (!isPidRunning(-pid)) roots.delete(root)
      })
      return root
    },
    end: (root, killAfterMs) => killTrees([root], killAfterMs, KILL_DEPS),
    endAll: (killAfterMs) => killTrees([...roots], killAfterMs, KILL_DEPS),
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
