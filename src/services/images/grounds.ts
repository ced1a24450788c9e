// Where images may be read. Judged by the real path of what was opened: links lead nowhere else.

import { realpathSync } from 'node:fs'

import { Failure } from '../../lib/failure.js'
import { isWithin } from '../../lib/is-within.js'

export interface Grounds {
  /** undefined: everywhere. */
  readonly roots: readonly string[] | undefined
  /** Not even within the roots, unless one of those lies within it. */
  readonly hidden: readonly string[]
}

export function mustBeOn({ roots, hidden }: Grounds, real: string): void {
  if (roots === undefined) return
  const open = roots.map(realOf)
  const isHidden = hidden
    .map(realOf)
    .some((place) => isWithin(real, place) && !open.some((root) => isWithin(root, place) && isWithin(real, root)))
  if (isHidden) throw new Failure('is hidden from commands here, and so from ReadImage')
  if (open.some((root) => isWithin(real, root))) return
  const only = roots.length === 1 ? `in ${roots[0]}` : `in these folders: ${roots.join(', ')}`
  throw new Failure(`lies outside of where ReadImage may read, which is only ${only} (READIMAGE_ROOTS)`)
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
