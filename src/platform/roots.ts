// What was started where no tag can be seen: there, only who is known can be ended, with whatever the system says it
// has started.

import { askSystem, type Program } from './process.js'
import { endByTaskkill, endListed, type Means, type Root } from './tree-end.js'
import { signalProcess } from './trees.js'

/** Where processes show the tag they were started with. */
const SHOWING_TAGS = new Set<NodeJS.Platform>(['linux', 'android'])

const MEANS: Means = { ask: askSystem, signal: signalProcess }

export interface Roots {
  add(program: Program): Root
  /** Both give those that could not be ended. */
  end(root: Root, killAfterMs: number): Promise<readonly number[]>
  endAll(killAfterMs: number): Promise<readonly number[]>
}

/** undefined where tags do it better. */
export function createRoots(platform: NodeJS.Platform): Roots | undefined {
  if (SHOWING_TAGS.has(platform)) return undefined
  const roots = new Set<Root>()
  const endRoots = platform === 'win32' ? endByTaskkill : endListed
  return {
    add({ pid, exited }) {
      const root = { pid, isOver: false }
      roots.add(root)
      void exited.then(() => {
        root.isOver = true
        // Kept as long as somebody is left in its group.
        if (!isThere(-pid)) roots.delete(root)
      })
      return root
    },
    end: (root, killAfterMs) => endRoots([root], killAfterMs, MEANS),
    endAll: (killAfterMs) => endRoots([...roots], killAfterMs, MEANS),
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Another user's is there, though out of reach.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
