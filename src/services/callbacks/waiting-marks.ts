// Checks the flag files for pending work of a user without opening the database.

import type { Config } from '../../config/load.js'
import { stateDirOf } from '../../config/state-dir.js'
import { Failure } from '../../lib/failure.js'
import { projectOf } from '../../platform/project.js'
import { marksOf, type Marks } from '../marks.js'

/** Whether work may be pending for a user, or for any user. */
export function mayWait(config: Pick<Config, 'settings' | 'cwd'>, user: string | undefined): boolean {
  const flags = waitingMarksOf(config)
  return flags === undefined || (user === undefined ? flags.isAny() : flags.isThere(user))
}

/** Undefined: only the database can tell. */
export function waitingMarksOf({ settings, cwd }: Pick<Config, 'settings' | 'cwd'>): Marks | undefined {
  if (settings.DATABASE_URL !== '') return undefined
  try {
    return marksOf(stateDirOf(settings), 'waiting', projectOf(cwd))
  } catch (error) {
    // Without a state directory nothing can be pending.
    if (error instanceof Failure) return NO_FLAGS
    throw error
  }
}

const NO_FLAGS: Marks = { isThere: () => false, isAny: () => false, put: () => {}, remove: () => {} }
