// What the doctor says about where tasks and plans are kept: it is opened and looked at, and nothing is made.

import type { StatePlace } from '../config/state-place.js'
import { Failure } from '../lib/failure.js'
import type { Database } from '../store/state/sql.js'
import type { Finding } from './finding.js'

export async function examineState(
  place: () => StatePlace,
  open: (place: StatePlace) => Promise<Database>,
): Promise<Finding> {
  try {
    const database = await open(place())
    try {
      await database.read(() => Promise.resolve())
      return { name: 'state', ok: true, detail: database.name }
    } finally {
      await database.close()
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { name: 'state', ok: false, detail: 'no task and no plan can be kept', fix: error.message }
  }
}
