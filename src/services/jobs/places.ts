// Where the jobs of a project are kept: a folder for the project, in it one for each user and the roll of the servers.

import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface Places {
  readonly roll: string
  folderOf(user: string): string
}

export function placesOf(stateDir: string, project: string): Places {
  const folder = join(stateDir, 'jobs', nameOf(project))
  return { roll: folder, folderOf: (user) => join(folder, nameOf(user)) }
}

/** The folders of all users that a project has. */
export async function foldersOf({ roll }: Places): Promise<readonly string[]> {
  const names = await readdir(roll)
  return names.filter((name) => /^[0-9a-f]{16}$/.test(name)).map((name) => join(roll, name))
}

function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
