// Determines from the settings where the database is.

import { join } from 'node:path'

import type { Settings } from './options.js'
import { stateDirOf } from './state-dir.js'

export interface StatePlace {
  /** The SQLite file; its folder is created on the first write. */
  readonly file: string
  /** The URL of a PostgreSQL database; '' for none. */
  readonly databaseUrl: string
}

export function statePlaceOf(settings: Pick<Settings, 'STATE_DIR' | 'DATABASE_URL'>): StatePlace {
  return { file: join(stateDirOf(settings), 'state.db'), databaseUrl: settings.DATABASE_URL }
}
