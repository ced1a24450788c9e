// One flag file for each user with something open in a project (a plan, pending work), so that a check costs one stat
// call and need not open the database. A flag may be stale but is never missing: it is written durably before the row
// it stands for and removed after it. Used by callbacks and plans. Reads and writes files.

import { readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { fsyncFolder, replaceFile } from '@scorpiox/mcp/atomic-file'
import type { Config } from '../config/load-config.js'
import { findProjectRoot, getStateDir } from '../config/paths.js'
import { ensurePrivateFolder, hashForFileName, toWriteFailure } from './private-files.js'

export interface FlagFiles {
  isSet(user: string): boolean
  /** Whether any user may have one. */
  isAnySet(): boolean
  /** Durable when it returns. Throws a Failure if it cannot be written. */
  set(user: string): void
  /** Call only inside a write transaction in which nothing of this kind is open. */
  clear(user: string): void
}

/** `waiting`: callbacks and undelivered messages. */
type FlagKind = 'plans' | 'waiting'

/** Paths that are kept, because hashing a name takes longer than the check. */
const MAX_PATHS = 200

export function openFlagFiles(stateDir: string, kind: FlagKind, project: string): FlagFiles {
  const directory = join(stateDir, kind, hashForFileName(project))
  const paths = new Map<string, string>()

  function pathOf(user: string): string {
    const known = paths.get(user)
    if (known !== undefined) return known
    // Users who are gone must not be kept.
    if (paths.size >= MAX_PATHS) paths.clear()
    const path = join(directory, hashForFileName(user))
    paths.set(user, path)
    return path
  }

  return {
    isSet(user) {
      try {
        return statSync(pathOf(user), { throwIfNoEntry: false }) !== undefined
      } catch (error) {
        // ENOTDIR and the like mean that it does not exist; without permission to check, it may exist.
        return !hasErrorCode(error, 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG')
      }
    },
    isAnySet: () => listNames(directory).length > 0,
    set(user) {
      try {
        ensurePrivateFolder(directory)
        replaceFile(pathOf(user), '', () => true)
        for (const parent of [dirname(directory), stateDir]) fsyncFolder(parent)
      } catch (error) {
        throw toWriteFailure(directory, error)
      }
    },
    clear: (user) => rmSync(pathOf(user), { force: true }),
  }
}

function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

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
