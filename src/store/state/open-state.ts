// Opens what is remembered: PostgreSQL where its address is given, otherwise a SQLite file of this person.

import { Failure } from '../../lib/failure.js'
import type { State } from './state.js'

export interface StatePlace {
  /** The SQLite file; its folder is made when it is first written to. */
  readonly file: string
  /** The address of a PostgreSQL database; empty: none. */
  readonly databaseUrl: string
}

export function openState(place: StatePlace): Promise<State> {
  return Promise.reject(new Failure(`nothing is kept at ${place.file} yet`))
}
