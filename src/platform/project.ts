// Which project a directory belongs to: the repository around it, else the directory itself. Decided once: a repository
// that is made or taken away meanwhile must not part what is remembered from what is asked for.

import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

const decided = new Map<string, string>()

export function projectOf(cwd: string): string {
  const project = decided.get(cwd) ?? around(real(cwd))
  decided.set(cwd, project)
  return project
}

function around(start: string): string {
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
