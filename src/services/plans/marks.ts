// A file for each user with an open plan, so that asking whether there is one costs one look at the disk. A mark may stand
// for a plan that is not open, never the other way round: it is put, durably, before the plan is, and goes after it.

import { rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { hasCode } from '../../lib/error-code.js'
import { hashedName } from '../../lib/hashed-name.js'
import { replaceFile, syncFolder } from '../../store/atomic-file.js'
import { ensurePrivateFolder, notKept } from '../../store/private-folder.js'

export interface Marks {
  isThere(user: string): boolean
  /** When it returns, the mark survives the end of the machine. Throws a Failure where it cannot be put. */
  put(user: string): void
  /** To be called while nobody can open a plan, and none is open. */
  remove(user: string): void
}

export function marksOf(stateDir: string, project: string): Marks {
  const folder = join(stateDir, 'plans', hashedName(project))
  const known = new Map<string, string>()

  function pathOf(user: string): string {
    const path = known.get(user) ?? join(folder, hashedName(user))
    known.set(user, path)
    return path
  }

  return {
    isThere: (user) => mayExist(pathOf(user)),
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

function mayExist(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // Where something on the way is no folder there is nothing; where we may not look there could be.
    return !hasCode(error, 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG')
  }
}
