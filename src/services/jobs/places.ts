// Paths of a project's jobs: one directory for the project, with the server registry and one directory for each user.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { hashedName } from '../../lib/hashed-name.js'

export interface Places {
  readonly roll: string
  folderOf(user: string): string
}

export function placesOf(stateDir: string, project: string): Places {
  const directory = join(stateDir, 'jobs', hashedName(project))
  return { roll: directory, folderOf: (user) => join(directory, hashedName(user)) }
}

/** Directories of all users of a project. */
export async function foldersOf({ roll }: Places): Promise<readonly string[]> {
  const names = await readdir(roll)
  return names.filter((name) => /^[0-9a-f]{16}$/.test(name)).map((name) => join(roll, name))
}
