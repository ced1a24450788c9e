// The files of a skill's folder: regular ones, no deeper than a few levels, none that a link leads out to. What is listed
// here is what can be read as a resource, and nothing else.

import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { isWithin } from '../../lib/is-within.js'

const MAX_DEPTH = 6
/** Entries that are looked at. */
const MAX_ENTRIES = 5000
/** A checkout's own bookkeeping and what package managers bring are no part of a skill. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules', '__pycache__', '.DS_Store'])

export interface BundledFile {
  /** Seen from the skill's folder, with `/` between its parts. */
  readonly path: string
  readonly size: number
}

export interface Bundle {
  /** Sorted by path. */
  readonly files: readonly BundledFile[]
  /** Whether these are all. */
  readonly isWhole: boolean
}

/** `root` has no links in it; where it is gone, there are none. */
export async function bundleOf(root: string): Promise<Bundle> {
  const files: BundledFile[] = []
  let left = MAX_ENTRIES
  let isWhole = true

  async function visit(path: string, depth: number): Promise<void> {
    const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (!isPart(entry.name)) continue
      if (--left < 0 || depth > MAX_DEPTH) return void (isWhole = false)
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      // A folder behind a link could be one that it lies in; only files are followed.
      if (entry.isDirectory()) await visit(below, depth + 1)
      else if (entry.isFile() || entry.isSymbolicLink()) {
        const size = await sizeWithin(root, join(root, below))
        if (size !== undefined) files.push({ path: below, size })
      }
    }
  }

  await visit('', 1)
  return { files: files.sort((one, other) => (one.path < other.path ? -1 : 1)), isWhole }
}

/** Whether a path may be that of a file of a skill. */
export function isBundlePath(path: string): boolean {
  const parts = path.split('/')
  return parts.length <= MAX_DEPTH && parts.every((part) => isPart(part))
}

function isPart(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[\\\0]/.test(name) && !LEFT_OUT.has(name)
}

async function sizeWithin(root: string, path: string): Promise<number | undefined> {
  try {
    const target = await realpath(path)
    const stats = isWithin(target, root) ? await stat(target) : undefined
    return stats?.isFile() ? stats.size : undefined
  } catch {
    return undefined
  }
}
