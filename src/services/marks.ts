// A file for each user who has something open in a project (a plan, something that waits for a session), so that asking
// whether there is something costs one look at the disk. A mark may stand for nothing, never the other way round: it is
// put, durably, before what it stands for, and goes after it.

import { readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { hasCode } from '../lib/error-code.js'
import { hashedName } from '../lib/hashed-name.js'
import { replaceFile, syncFolder } from '../store/atomic-file.js'
import { ensurePrivateFolder, notKept } from '../store/private-folder.js'

export interface Marks {
  isThere(user: string): boolean
  /** Whether there may be one of anybody. */
  isAny(): boolean
  /** When it returns, the mark survives the end of the machine. Throws a Failure where it cannot be put. */
  put(user: string): void
  /** To be called while nobody can open anything of the kind, and nothing of it is open. */
  remove(user: string): void
}

/** `waiting`: callbacks, and what a session has not been told yet. */
export type Marked = 'plans' | 'waiting'

export function marksOf(stateDir: string, kind: Marked, project: string): Marks {
  const folder = join(stateDir, kind, hashedName(project))
  const known = new Map<string, string>()

  function pathOf(user: string): string {
    const path = known.get(user) ?? join(folder, hashedName(user))
    known.set(user, path)
    return path
  }

  return {
    isThere: (user) => mayExist(pathOf(user)),
    isAny: () => namesIn(folder).length > 0,
    put(user) {
      try {
        ensurePrivateFolder(folder)
        replaceFile(pathOf(user), '', () => true)
        for (const parent of [dirname(folder), stateDir]) syncFolder(parent)
      } catch (error) {
        throw notKept(folder, error)
      }
    },
    remove: (user) => rmSync(pathOf(user), { force: true }),
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function mayExist(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // Where something on the way is no folder there is nothing; where we may not look there could be.
    return !hasCode(error, 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG')
  }
}
