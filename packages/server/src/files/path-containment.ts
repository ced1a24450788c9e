// Whether a path is a directory or lies in it. Both paths are absolute, without symbolic links and without `..`. Used
// wherever a path must stay in a folder. Pure.

import { sep } from 'node:path'

export function isInsideDirectory(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`)
}
