// Creates the directory of a session, `.scorpiox/sessions/<name>` in the project. A repository could contain a link
// that redirects writes, so each part of the path must be a real directory.

import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, writeFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'

import { hasCode } from '../../lib/error-code.js'
import { Failure } from '../../lib/failure.js'
import { reasonOf } from '../../lib/reason-of.js'

/** A sandbox that closes may remove the empty directory that is about to be used. */
const ATTEMPTS = 5

const STICKY = 0o1000

export function sessionFolder(project: string, name: string): string {
  // Names are read from the database, which other programs may have written to.
  if (!/^[a-z0-9_]{1,64}$/.test(name)) throw new Failure(`${JSON.stringify(name)} is not the name of a session.`)
  return join(project, '.scorpiox', 'sessions', name)
}

/** Creates it if it does not exist. */
export function ensureSessionFolder(project: string, name: string): string {
  const folder = sessionFolder(project, name)
  makeOrKeep(project, folder)
  return folder
}

/** False: a directory of that name exists. */
export function makeSessionFolder(project: string, name: string): boolean {
  return makeOrKeep(project, sessionFolder(project, name))
}

function makeOrKeep(project: string, folder: string, attempts = ATTEMPTS): boolean {
  try {
    const ours = join(project, '.scorpiox')
    makeFolder(ours)
    takeOver(ours)
    const sessions = join(ours, 'sessions')
    if (makeFolder(sessions)) writeFileSync(join(sessions, '.gitignore'), '*\n', { flag: 'wx' })
    const isNew = makeFolder(folder)
    if (realpathSync.native(folder) !== folder) throw notAFolder(folder)
    return isNew
  } catch (error) {
    if (error instanceof Failure) throw error
    if (hasCode(error, 'ENOENT', 'EEXIST') && attempts > 1) return makeOrKeep(project, folder, attempts - 1)
    const reason = reasonOf(error)
    throw new Failure(`The folder of the session cannot be made (${reason}): make ${project} writable.`)
  }
}

function makeFolder(path: string): boolean {
  const stat = look(path)
  if (stat === undefined) {
    mkdirSync(path)
    return true
  }
  if (!stat.isDirectory()) throw notAFolder(path)
  return false
}

/** While a sandbox runs, it reserves the name with an empty sticky directory, which it removes when it closes. */
function takeOver(path: string): void {
  const mode = look(path)?.mode ?? 0
  if ((mode & STICKY) !== 0 && readdirSync(path).length === 0) chmodSync(path, mode & 0o777)
}

function look(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

function notAFolder(path: string): Failure {
  return new Failure(`${path} must be a folder, and no link to one: nothing is written there. Move it away.`)
}
