// Containment of paths in directories, and real paths.

import { realpathSync } from 'node:fs'
import { sep } from 'node:path'

/** Whether a path is the directory or lies in it. Both are absolute, without symbolic links and without `..`. */
export function isInsideDirectory(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`)
}

/** Without symbolic links; the path itself if it cannot be resolved. */
export function realPathOrSame(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
