// Reads a plan from a file that the caller names. A sandboxed caller must not use the server to read what its commands
// cannot read, so the real path must be inside the project and not in a hidden path.

import { lstat, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'

import { Failure } from '../../lib/failure.js'
import { isWithin } from '../../lib/is-within.js'
import { reasonOf } from '../../lib/reason-of.js'
import { readPlanFile } from './read-plan-file.js'

export interface Reach {
  readonly cwd: string
  /** Directories that may be read, innermost first, and paths in them that may not. Undefined: no restriction. */
  readonly within?: { readonly roots: readonly string[]; readonly hidden: readonly string[] } | undefined
}

export interface GivenPlan {
  readonly path: string
  readonly text: string
}

export async function readGivenPlan(requestedPath: string, readable: Reach): Promise<GivenPlan> {
  const path = resolve(readable.cwd, requestedPath)
  const real = await realPath(path)
  requireInsideRoots(real, path, readable)
  const text = await readPlanFile(real, async (file) => {
    // A command may have replaced a part of the path in the meantime.
    const [opened, current] = await Promise.all([file.stat(), lstat(real)])
    return (await realPath(path)) === real && opened.ino === current.ino && opened.dev === current.dev
  })
  return { path: real, text }
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    throw new Failure(`${path} cannot be opened (${reasonOf(error)}).`)
  }
}

function requireInsideRoots(real: string, path: string, { within }: Reach): void {
  if (!within) return
  const { roots, hidden } = within
  const root = roots.find((candidate) => isWithin(real, candidate))
  if (root === undefined)
    throw new Failure(`${path} is outside ${roots.at(-1)}: commands are sandboxed, and so is the plan file.`)
  // A hidden path that contains the whole project does not hide the project itself.
  if (hidden.some((hiddenPath) => isWithin(hiddenPath, root) && isWithin(real, hiddenPath)))
    throw new Failure(`${path} is hidden from commands, so no plan is read from it.`)
}
