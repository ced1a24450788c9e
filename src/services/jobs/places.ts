// Where the jobs of a project are kept: a folder for the project, in it one for each user and the roll of the servers.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { hashedName } from '../../lib/hashed-name.js'

export interface Places {
  readonly roll: string
  folderOf(user: string): string
}

export function placesOf(stateDir: string, project: string): Places {
  const folder = join(stateDir, 'jobs', hashedName(project))
  return { roll: folder, folderOf: (user) => join(folder, hashedName(user)) }
}

/** The folders of all users that a project has. */
export async function foldersOf({ roll }: Places): Promise<readonly string[]> {
  const names = await readdir(roll)
  return names.filter((name) => /^[0-9a-f]{16}$/.test(name)).map((name) => join(roll, name))
}
