// Paths of a project's jobs: one directory for the project, with the server registry and one directory for each user.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { hashForFileName } from '../../storage/file-names.js'

export interface JobDirectory {
  readonly registryPath: string
  userDirectory(user: string): string
}

export function jobDirectoryOf(stateDir: string, project: string): JobDirectory {
  const directory = join(stateDir, 'jobs', hashForFileName(project))
  return { registryPath: directory, userDirectory: (user) => join(directory, hashForFileName(user)) }
}

/** Directories of all users of a project. */
export async function listUserDirectories({ registryPath }: JobDirectory): Promise<readonly string[]> {
  const names = await readdir(registryPath)
  return names.filter((name) => /^[0-9a-f]{16}$/.test(name)).map((name) => join(registryPath, name))
}

// The job directory cannot be used. A background job then cannot start; a foreground command runs without a record.

export class JobStorageFailure extends Failure {}

/** Turns a Failure of `work` into a JobStorageFailure. */
export function asJobStorageFailure<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Failure ? new JobStorageFailure(error.message, { cause: error }) : error
  }
}
