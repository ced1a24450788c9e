// Lists the ids of the running background jobs of a user in a project, including those of other servers. Used by the plan
// service (injected in services.ts), which reports them when plan mode starts. Reads job records and the server registry;
// returns an empty list on any error.

import type { Config } from '../../config/load-config.js'
import { findProjectRoot, getStateDir } from '../../config/paths.js'
import { isServerAlive } from '../../storage/server-registry.js'
import { type JobDirectory, jobDirectoryOf } from './job-files.js'
import { openJobStore } from './job-store.js'

/** Their IDs. Records that cannot be read are skipped; without a job directory there are none. */
export async function listRunningJobIds(
  { settings, cwd }: Pick<Config, 'settings' | 'cwd'>,
  user: string,
): Promise<readonly number[]> {
  try {
    return await readRunningJobIds(jobDirectoryOf(getStateDir(settings), findProjectRoot(cwd)), user)
  } catch {
    return []
  }
}

async function readRunningJobIds(directory: JobDirectory, user: string): Promise<readonly number[]> {
  const records = await openJobStore(directory.userDirectory(user)).list()
  const running: number[] = []
  for (const { id, background, ending, keep, family } of records) {
    if (background && ending === undefined && (keep || (await isServerAlive(directory.registryPath, family))))
      running.push(id)
  }
  return running
}
