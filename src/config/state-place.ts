// Where tasks and plans are kept: a PostgreSQL database where its address is given, else a file in the state folder.

import { join } from 'node:path'

import type { Settings } from './options.js'
import { stateDirOf } from './state-dir.js'

export function statePlaceOf(settings: Pick<Settings, 'STATE_DIR' | 'DATABASE_URL'>) {
  const { DATABASE_URL: databaseUrl } = settings
  // A database needs no folder, and there may be none.
  return { databaseUrl, file: databaseUrl === '' ? join(stateDirOf(settings), 'state.db') : '' }
}
