// Decides which paths may be read, by the real path of the opened file, so that links cannot lead elsewhere.

import { realpathSync } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, parse, sep } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { isInsideDirectory } from '../../util/path-containment.js'

export interface PathPolicy {
  /** Undefined allows all paths. */
  readonly allowedRoots: readonly string[] | undefined
  /** Not readable even within the roots, except for roots inside of them. */
  readonly hiddenPaths: readonly string[]
}

export function assertPathAllowed({ allowedRoots: roots, hiddenPaths }: PathPolicy, realPath: string): void {
  if (roots === undefined) return
  const allowedRoots = roots.map(toRealPath)
  const isInHiddenPath = hiddenPaths
    .map(toRealPath)
    .some(
      (hiddenPath) =>
        isInsideDirectory(realPath, hiddenPath) &&
        !allowedRoots.some((root) => isInsideDirectory(root, hiddenPath) && isInsideDirectory(realPath, root)),
    )
  if (isInHiddenPath) throw new Failure('is hidden from commands here, and so from ReadImage')
  if (allowedRoots.some((root) => isInsideDirectory(realPath, root))) return
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

// Resolves the symbolic links of a path even if the file does not exist, so that a forbidden path can be refused without
// revealing whether it exists.

/** As in the operating system. */
const MAX_LINKS = 40

export async function resolveLinks(path: string): Promise<string> {
  let resolved = parse(path).root
  let followed = 0
  const remaining = path.slice(resolved.length).split(sep)
  for (let name = remaining.shift(); name !== undefined; name = remaining.shift()) {
    const next = name === '..' ? dirname(resolved) : join(resolved, name)
    const target = followed < MAX_LINKS ? await readlink(next).catch(() => undefined) : undefined
    if (target === undefined || name === '' || name === '.' || name === '..') {
      resolved = next
      continue
    }
    followed++
    if (isAbsolute(target)) resolved = parse(target).root
    remaining.unshift(...target.split(sep))
  }
  return resolved
}
