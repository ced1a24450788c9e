// What tells, without opening anything, whether something may wait for a session of a user.

import type { Config } from '../../config/load.js'
import { stateDirOf } from '../../config/state-dir.js'
import { Failure } from '../../lib/failure.js'
import { projectOf } from '../../platform/project.js'
import { marksOf, type Marks } from '../marks.js'

/** Whether something may wait for a user, or for anybody. */
export function mayWait(config: Pick<Config, 'settings' | 'cwd'>, user: string | undefined): boolean {
  const marks = waitingMarksOf(config)
  return marks === undefined || (user === undefined ? marks.isAny() : marks.isThere(user))
}

/** Undefined: only the state can tell. */
export function waitingMarksOf({ settings, cwd }: Pick<Config, 'settings' | 'cwd'>): Marks | undefined {
  if (settings.DATABASE_URL !== '') return undefined
  try {
    return marksOf(stateDirOf(settings), 'waiting', projectOf(cwd))
  } catch (error) {
    // Without a place to keep anything there is nothing.
    if (error instanceof Failure) return NONE
    throw error
  }
}

const NONE: Marks = { isThere: () => false, isAny: () => false, put: () => {}, remove: () => {} }
