// One flag file per user who has something open in a project (a plan, pending work), so that a check costs one stat
// call. A flag may be stale but is never missing: it is written durably before the row it stands for and removed after
// it.

import { readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { hasCode } from '../lib/error-code.js'
import { hashedName } from '../lib/hashed-name.js'
import { replaceFile, syncFolder } from '../store/atomic-file.js'
import { ensurePrivateFolder, notKept } from '../store/private-folder.js'

export interface Marks {
  isThere(user: string): boolean
  /** Whether any user may have one. */
  isAny(): boolean
  /** Durable when it returns. Throws a Failure if it cannot be written. */
  put(user: string): void
  /** Call only inside a write transaction in which nothing of this kind is open. */
  remove(user: string): void
}

/** `waiting`: callbacks and undelivered messages. */
export type Marked = 'plans' | 'waiting'

export function marksOf(stateDir: string, kind: Marked, project: string): Marks {
  const directory = join(stateDir, kind, hashedName(project))
  const paths = new Map<string, string>()

  function pathOf(user: string): string {
    const path = paths.get(user) ?? join(directory, hashedName(user))
    paths.set(user, path)
    return path
  }

  return {
    isThere: (user) => mayExist(pathOf(user)),
    isAny: () => listNames(directory).length > 0,
    put(user) {
      try {
        ensurePrivateFolder(directory)
        replaceFile(pathOf(user), '', () => true)
        for (const parent of [dirname(directory), stateDir]) syncFolder(parent)
      } catch (error) {
        throw notKept(directory, error)
      }
    },
    remove: (user) => rmSync(pathOf(user), { force: true }),
  }
}

function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function mayExist(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // ENOTDIR and the like mean that it does not exist; without permission to check, it may exist.
    return !hasCode(error, 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG')
  }
}
