// Creates the directory of a session, `.scorpiox/sessions/<name>` in the project, for plan files and the inbox. A
// repository could contain a link that redirects writes, so each part of the path must be a real directory. Used by
// plans, callbacks and session-names. Creates directories.

import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, type Stats, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { hasErrorCode } from '@scorpiox/mcp/os'

/** A sandbox that closes may remove the empty directory that is about to be used. */
const ATTEMPTS = 5

const STICKY = 0o1000

export function sessionDirectoryPath(project: string, name: string): string {
  // Names are read from the database, which other programs may have written to.
  if (!/^[a-z0-9_]{1,64}$/.test(name)) throw new Failure(`${JSON.stringify(name)} is not the name of a session.`)
  return join(project, '.scorpiox', 'sessions', name)
}

/** Creates it if it does not exist. */
export function ensureSessionDirectory(project: string, name: string): string {
  const directory = sessionDirectoryPath(project, name)
  ensureDirectories(project, directory)
  return directory
}

/** False: a directory of that name exists. */
export function createSessionDirectory(project: string, name: string): boolean {
  return ensureDirectories(project, sessionDirectoryPath(project, name))
}

function ensureDirectories(project: string, directory: string, attempts = ATTEMPTS): boolean {
  try {
    const ownDirectory = join(project, '.scorpiox')
    createIfMissing(ownDirectory)
    adoptSandboxPlaceholder(ownDirectory)
    const sessions = join(ownDirectory, 'sessions')
    if (createIfMissing(sessions)) writeFileSync(join(sessions, '.gitignore'), '*\n', { flag: 'wx' })
    const isNew = createIfMissing(directory)
    if (realpathSync.native(directory) !== directory) throw notADirectory(directory)
    return isNew
  } catch (error) {
    if (error instanceof Failure) throw error
    if (hasErrorCode(error, 'ENOENT', 'EEXIST') && attempts > 1)
      return ensureDirectories(project, directory, attempts - 1)
    const reason = errorMessage(error)
    throw new Failure(`The session directory cannot be created (${reason}): make ${project} writable.`)
  }
}

function createIfMissing(path: string): boolean {
  const stat = statIfExists(path)
  if (stat === undefined) {
    mkdirSync(path)
    return true
  }
  if (!stat.isDirectory()) throw notADirectory(path)
  return false
}

/** While a sandbox runs, it reserves the name with an empty sticky directory, which it removes when it closes. */
function adoptSandboxPlaceholder(path: string): void {
  const mode = statIfExists(path)?.mode ?? 0
  if ((mode & STICKY) !== 0 && readdirSync(path).length === 0) chmodSync(path, mode & 0o777)
}

function statIfExists(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

function notADirectory(path: string): Failure {
  return new Failure(`${path} must be a directory, not a link: nothing was written. Move it away.`)
}
