// Whether a path lies in a folder or is that folder. Both are absolute, without links and without `..`.

import { sep } from 'node:path'

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}
