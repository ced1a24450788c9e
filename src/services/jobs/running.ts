// Lists the running background jobs of a user in a project, including those of other servers.

import { openJobRecords } from '../../store/job-records.js'
import { isServed } from '../../store/server-roll.js'
import type { Places } from './places.js'

/** Their IDs. Records that cannot be read are skipped. */
export async function runningBehind(directory: Places, user: string): Promise<readonly number[]> {
  const records = await openJobRecords(directory.folderOf(user)).list()
  const running: number[] = []
  for (const { id, background, ending, keep, family } of records) {
    if (background && ending === undefined && (keep || (await isServed(directory.roll, family)))) running.push(id)
  }
  return running
}
