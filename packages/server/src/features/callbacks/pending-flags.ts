// Checks the flag files for pending work of a user without opening the database.

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '../../config/load-config.js'
import { getStateDir } from '../../config/paths.js'
import { findProjectRoot } from '../../config/project-root.js'
import { type FlagFiles, openFlagFiles } from '../../storage/flag-files.js'

/** Whether work may be pending for a user, or for any user. */
export function mayHavePending(config: Pick<Config, 'settings' | 'cwd'>, user: string | undefined): boolean {
  const flags = openPendingFlags(config)
  return flags === undefined || (user === undefined ? flags.isAnySet() : flags.isSet(user))
}

/** Undefined: only the database can tell. */
export function openPendingFlags({ settings, cwd }: Pick<Config, 'settings' | 'cwd'>): FlagFiles | undefined {
  if (settings.DATABASE_URL !== '') return undefined
  try {
    return openFlagFiles(getStateDir(settings), 'waiting', findProjectRoot(cwd))
  } catch (error) {
    // Without a state directory nothing can be pending.
    if (error instanceof Failure) return NO_FLAGS
    throw error
  }
}

const NO_FLAGS: FlagFiles = { isSet: () => false, isAnySet: () => false, set: () => {}, clear: () => {} }
