// Where tasks and plans are kept, as the settings say.

import { join } from 'node:path'

import type { Settings } from './options.js'
import { stateDirOf } from './state-dir.js'

export interface StatePlace {
  /** The SQLite file; its folder is made when it is first written to. */
  readonly file: string
  /** The address of a PostgreSQL database; empty: none. */
  readonly databaseUrl: string
}

export function statePlaceOf(settings: Pick<Settings, 'STATE_DIR' | 'DATABASE_URL'>): StatePlace {
  return { file: join(stateDirOf(settings), 'state.db'), databaseUrl: settings.DATABASE_URL }
}
