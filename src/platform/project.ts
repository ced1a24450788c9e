// Which project a directory belongs to: the repository around it, else the directory itself.

import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

export function projectOf(cwd: string): string {
  const start = real(cwd)
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return start
  }
}

function real(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
