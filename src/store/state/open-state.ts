// Opens the state: PostgreSQL if a URL is configured, otherwise a SQLite file of this user. Opening does not fail:
// each transaction reports what is wrong with the database.

import type { StatePlace } from '../../config/state-place.js'
import { createState } from './create-state.js'
import { openDatabase } from './open-database.js'
import type { State } from './state.js'
import { createTables } from './tables.js'

export async function openState(place: StatePlace): Promise<State> {
  return createState(await openDatabase(place), createTables)
}
