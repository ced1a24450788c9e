// Which background tasks of a user run in a project, whichever server started them.

import { openJobRecords } from '../../store/job-records.js'
import { isServed } from '../../store/server-roll.js'
import type { Places } from './places.js'

/** Their numbers; what cannot be read is not there. */
export async function runningBehind(places: Places, user: string): Promise<readonly number[]> {
  const records = await openJobRecords(places.folderOf(user)).list()
  const running: number[] = []
  for (const { id, background, ending, keep, family } of records) {
    if (background && ending === undefined && (keep || (await isServed(places.roll, family)))) running.push(id)
  }
  return running
}
