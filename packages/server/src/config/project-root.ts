// Finds the project of a directory: the git repository around it, else the directory itself. Decided once for each
// directory: a repository that is created or removed later must not separate stored data from later requests.

import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

const rootByDirectory = new Map<string, string>()

export function findProjectRoot(cwd: string): string {
  const project = rootByDirectory.get(cwd) ?? findRepositoryRoot(resolveRealPath(cwd))
  rootByDirectory.set(cwd, project)
  return project
}

function findRepositoryRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return start
  }
}

function resolveRealPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
