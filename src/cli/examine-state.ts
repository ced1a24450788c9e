// Finding of the doctor: whether the database of tasks and plans can be read. Does not create it.

import type { StatePlace } from '../config/state-place.js'
import { Failure } from '../lib/failure.js'
import type { Database } from '../store/state/sql.js'
import type { Finding } from './finding.js'

export async function examineState(
  location: () => StatePlace,
  open: (location: StatePlace) => Promise<Database>,
): Promise<Finding> {
  try {
    const database = await open(location())
    try {
      await database.read(() => Promise.resolve())
      return { name: 'state', ok: true, detail: database.name }
    } finally {
      await database.close()
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { name: 'state', ok: false, detail: 'tasks and plans cannot be stored', fix: error.message }
  }
}
