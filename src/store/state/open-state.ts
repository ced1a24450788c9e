// Opens what is remembered: PostgreSQL where its address is given, otherwise a SQLite file of this person. Nothing can
// fail here: the first transaction looks at the place, and each says anew what is wrong with it.

import type { StatePlace } from '../../config/state-place.js'
import { createState } from './create-state.js'
import { openDatabase } from './open-database.js'
import type { State } from './state.js'
import { createTables } from './tables.js'

export async function openState(place: StatePlace): Promise<State> {
  return createState(await openDatabase(place), createTables)
}
