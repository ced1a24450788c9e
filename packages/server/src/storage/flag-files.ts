// One flag file for each user with something open in a project (a plan, pending work), so that a check costs one stat
// call. A flag may be stale but is never missing: it is written durably before the row it stands for and removed after
// it.

import { readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { fsyncFolder, replaceFile } from '@scorpiox/mcp/util/atomic-file'
import { hasErrorCode } from '@scorpiox/mcp/util/error-code'
import { hashForFileName } from './file-names.js'
import { ensurePrivateFolder, toWriteFailure } from './private-folder.js'

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
export type FlagKind = 'plans' | 'waiting'

export function openFlagFiles(stateDir: string, kind: FlagKind, project: string): FlagFiles {
  const directory = join(stateDir, kind, hashForFileName(project))
  const paths = new Map<string, string>()

  function pathOf(user: string): string {
    const path = paths.get(user) ?? join(directory, hashForFileName(user))
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
