// Lists the running background jobs of a user in a project, including those of other servers.

import { openJobStore } from './job-store.js'
import { isServerAlive } from '../../storage/server-registry.js'
import type { JobDirectory } from './job-directory.js'

/** Their IDs. Records that cannot be read are skipped. */
export async function listRunningJobIds(directory: JobDirectory, user: string): Promise<readonly number[]> {
  const records = await openJobStore(directory.userDirectory(user)).list()
  const running: number[] = []
  for (const { id, background, ending, keep, family } of records) {
    if (background && ending === undefined && (keep || (await isServerAlive(directory.registryPath, family))))
      running.push(id)
  }
  return running
}
