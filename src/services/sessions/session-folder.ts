// The folder of a session in the project, `.scorpiox/sessions/<name>`. A repository could bring a link along that leads
// what is written there anywhere, so every part of the way must be a folder itself.

import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, writeFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'

import { hasCode } from '../../lib/error-code.js'
import { Failure } from '../../lib/failure.js'
import { reasonOf } from '../../lib/reason-of.js'

/** A sandbox that closes may take the empty folder away that we were about to use. */
const ATTEMPTS = 5

const STICKY = 0o1000

export function sessionFolder(project: string, name: string): string {
  // Names come from what is remembered, which others may have written.
  if (!/^[a-z0-9_]{1,64}$/.test(name)) throw new Failure(`${JSON.stringify(name)} is not the name of a session.`)
  return join(project, '.scorpiox', 'sessions', name)
}

/** Makes it where it is not there. */
export function ensureSessionFolder(project: string, name: string): string {
  const folder = sessionFolder(project, name)
  makeOrKeep(project, folder)
  return folder
}

/** False: there is one of that name. */
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

/** What the sandbox put there to keep the name free is an empty folder with the sticky bit, and goes when it closes. */
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
