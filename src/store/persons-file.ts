// A file that belongs to the person and to some other program, of which we change a few lines: a link is followed to
// what it leads to, the mode stays, what was there is kept beside it, and nobody's change in the meantime is overwritten.

import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { compactTime } from '../lib/compact-time.js'
import { hasCode } from '../lib/error-code.js'
import { Failure } from '../lib/failure.js'
import { reasonOf } from '../lib/reason-of.js'
import { makePrivateFolder, replaceFile, syncFolder, type Like } from './atomic-file.js'

const MAX_BYTES = 64 * 1024 * 1024
const BACKUPS_KEPT = 3
const BACKUP = '.scorpiox-backup-'
const NEW_MODE = 0o600
const MARK = '\uFEFF'

export interface PersonsFile {
  /** Where it really lies. */
  readonly path: string
  /** Without the mark that some editors put first; undefined where there is no file. */
  readonly text: string | undefined
  readonly hasMark: boolean
  readonly bytes: Buffer | undefined
  readonly like: Like
}

/** Throws a Failure whose message says of the file why it cannot be used, as in `is a folder`. */
export function readPersonsFile(named: string): PersonsFile {
  const path = realPathOf(named)
  const bytes = path === undefined ? undefined : bytesOf(path)
  if (path === undefined || bytes === undefined) {
    return { path: named, text: undefined, hasMark: false, bytes: undefined, like: { mode: NEW_MODE } }
  }
  const text = decode(bytes)
  const hasMark = text.startsWith(MARK)
  const stat = statSync(path)
  const like = { mode: stat.mode & 0o7777, owner: stat }
  return { path, text: hasMark ? text.slice(1) : text, hasMark, bytes, like }
}

/** Gives the name of the copy that was kept of what was there. */
export function writePersonsFile(file: PersonsFile, text: string, now: Date): string | undefined {
  return attempt(file, () => {
    mustBeWritable(file)
    if (file.bytes === undefined) makePrivateFolder(dirname(file.path))
    const backup = keepBackup(file, now)
    const marked = (file.hasMark ? MARK : '') + text
    if (!replaceFile(file.path, marked, () => isUnchanged(file), file.like)) {
      if (backup !== undefined) rmSync(backup, { force: true })
      throw changedMeanwhile()
    }
    forgetOldBackups(file.path)
    return backup
  })
}

export function removePersonsFile(file: PersonsFile): void {
  attempt(file, () => {
    mustBeWritable(file)
    if (!isUnchanged(file)) throw changedMeanwhile()
    rmSync(file.path)
    syncFolder(dirname(file.path))
  })
}

function realPathOf(named: string): string | undefined {
  try {
    return realpathSync(named)
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw notRead(error)
    if (lstatSync(named, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new Failure('is a link to something that is not there')
    }
    return undefined
  }
}

function bytesOf(path: string): Buffer | undefined {
  try {
    const stat = statSync(path)
    if (stat.isDirectory()) throw new Failure('is a folder, not a file')
    // A pipe would hold us up.
    if (!stat.isFile()) throw new Failure('is not a regular file')
    if (stat.size > MAX_BYTES) throw new Failure(`is larger than ${MAX_BYTES / 1024 / 1024} MB`)
    return readFileSync(path)
  } catch (error) {
    if (error instanceof Failure) throw error
    if (hasCode(error, 'ENOENT')) return undefined
    throw notRead(error)
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Failure('is not UTF-8 text')
  }
}

function mustBeWritable({ path, bytes }: PersonsFile): void {
  // A name could be put in its place, but whoever made it so did not want it changed.
  if (bytes !== undefined) accessSync(path, constants.W_OK)
}

function isUnchanged({ path, bytes }: PersonsFile): boolean {
  const now = bytesOf(path)
  return now === undefined || bytes === undefined ? now === bytes : now.equals(bytes)
}

function keepBackup({ path, bytes, like }: PersonsFile, now: Date): string | undefined {
  if (bytes === undefined) return undefined
  const time = compactTime(now)
  for (let count = 1; ; count++) {
    const backup = `${path}${BACKUP}${time}${count === 1 ? '' : `-${count}`}`
    try {
      copyFileSync(path, backup, constants.COPYFILE_EXCL)
      chmodSync(backup, like.mode)
      return backup
    } catch (error) {
      if (!hasCode(error, 'EEXIST') || count > 99) throw error
    }
  }
}

function forgetOldBackups(path: string): void {
  const folder = dirname(path)
  const mine = readdirSync(folder).filter((name) => name.startsWith(`${basename(path)}${BACKUP}`))
  for (const name of mine.toSorted().slice(0, -BACKUPS_KEPT)) rmSync(join(folder, name), { force: true })
}

function attempt<T>({ path }: PersonsFile, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Failure) throw error
    const why = hasCode(error, 'EACCES', 'EPERM', 'EROFS') ? 'may not be changed by this user' : 'cannot be written'
    throw new Failure(`${why} (${reasonOf(error)}); nothing was changed in ${dirname(path)}`, { cause: error })
  }
}

function notRead(error: unknown): Failure {
  if (hasCode(error, 'EACCES', 'EPERM')) return new Failure('may not be read by this user')
  if (hasCode(error, 'ELOOP')) return new Failure('is a link that leads in a circle')
  return new Failure(`cannot be read (${reasonOf(error)})`)
}

function changedMeanwhile(): Failure {
  return new Failure('was changed by somebody else in the meantime, and was left as it is; try again')
}
