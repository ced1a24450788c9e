// Decides which paths may be read, by the real path of the opened file, so that links cannot lead elsewhere.

import { realpathSync } from 'node:fs'

import { Failure } from '../../lib/failure.js'
import { isWithin } from '../../lib/is-within.js'

export interface Grounds {
  /** Undefined allows all paths. */
  readonly roots: readonly string[] | undefined
  /** Not readable even within the roots, except for roots inside of them. */
  readonly hidden: readonly string[]
}

export function mustBeOn({ roots, hidden }: Grounds, realPath: string): void {
  if (roots === undefined) return
  const allowedRoots = roots.map(toRealPath)
  const isInHiddenPath = hidden
    .map(toRealPath)
    .some(
      (hiddenPath) =>
        isWithin(realPath, hiddenPath) &&
        !allowedRoots.some((root) => isWithin(root, hiddenPath) && isWithin(realPath, root)),
    )
  if (isInHiddenPath) throw new Failure('is hidden from commands here, and so from ReadImage')
  if (allowedRoots.some((root) => isWithin(realPath, root))) return
  const allowed = roots.length === 1 ? `${roots[0]}` : roots.join(', ')
  throw new Failure(`is outside of the directories that ReadImage may read: ${allowed} (READIMAGE_ROOTS)`)
}

function toRealPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
