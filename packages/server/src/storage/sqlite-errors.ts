// Converts SQLite errors to Failures that say what is wrong with the file and what to do. Returns undefined for errors
// of a statement, which are bugs of this program. Used by sqlite.ts. Pure.

import { errorMessage, Failure } from '@scorpiox/mcp/errors'

const STATE_DIR_ADVICE = 'or set STATE_DIR to another folder'

/**
 * Result codes (https://sqlite.org/rescode.html): the lowest byte is the primary code, the rest is the extended code.
 */
const BUSY = 5
const LOCKED = 6
const FULL = 13
const PROTOCOL = 15
const SHM_SIZE_ERROR = 4874

/** The package for Node 20 does not set the code if a statement fails. */
const CODES_BY_MESSAGE: readonly (readonly [string, number])[] = [
  ['disk is full', FULL],
  ['disk I/O error', 10],
  ['is locked', BUSY],
  ['locking protocol', PROTOCOL],
  ['readonly database', 8],
  ['malformed', 11],
  ['not a database', 26],
  ['unable to open', 14],
]

export function isSqliteBusy(error: unknown): boolean {
  return [BUSY, LOCKED, PROTOCOL].includes(codeOf(error) & 0xff)
}

/** A full disk does not damage an open connection. */
export function isDiskFull(error: unknown): boolean {
  return (codeOf(error) & 0xff) === FULL
}

export function toSqliteFailure(file: string, error: unknown): Failure | undefined {
  if (error instanceof Failure) return error
  const message = describeCode(file, codeOf(error), errorMessage(error))
  return message === undefined ? undefined : new Failure(message, { cause: error })
}

export function sqliteBusyFailure(file: string, seconds: number): Failure {
  return new Failure(
    `${file} has been in use by other processes for ${seconds} seconds; nothing was changed. Try again`,
  )
}

export function isSqliteReadOnly(error: unknown): boolean {
  return (codeOf(error) & 0xff) === 8
}

/** Whether a commit that failed with this error may have been stored. */
export function isCommitUncertain(error: unknown): boolean {
  return (codeOf(error) & 0xff) === 10
}

export function uncertainSqliteCommit(file: string, error: unknown): Failure {
  const reason = errorMessage(error)
  return new Failure(
    `${file} failed during commit (${reason}); the change may or may not be stored: check before repeating it`,
    { cause: error },
  )
}

function describeCode(file: string, code: number, reason: string): string | undefined {
  const damaged = `${file} is damaged (${reason}) and was left as it is; move it away together with ${file}-wal and ${file}-shm`
  switch (code & 0xff) {
    case BUSY:
    case LOCKED:
    case PROTOCOL:
      return `${file} is in use by other processes; try again`
    case FULL:
      return `The disk of ${file} is full, nothing was changed; free some space and try again, ${STATE_DIR_ADVICE}`
    case 3:
    case 8:
    case 23:
      return `${file} cannot be written to (${reason}), nothing was changed; make it and its folder writable, ${STATE_DIR_ADVICE}`
    case 14:
      return `${file} cannot be opened (${reason}); make it and its folder readable and writable, ${STATE_DIR_ADVICE}`
    case 11:
    case 26:
      return `${damaged}, and put a backup or an export in its place if there is one`
    case 10:
      return code === SHM_SIZE_ERROR
        ? `The disk of ${file} is full, nothing was changed; free some space and try again, ${STATE_DIR_ADVICE}`
        : `The disk of ${file} failed (${reason}); check the disk and the space on it, ${STATE_DIR_ADVICE}`
    default:
      return undefined
  }
}

function codeOf(error: unknown): number {
  if (!(error instanceof Error)) return 0
  if ('errcode' in error) return Number(error.errcode)
  if (!('code' in error) || error.code !== 'ERR_SQLITE_ERROR') return 0
  return CODES_BY_MESSAGE.find(([fragment]) => error.message.includes(fragment))?.[1] ?? 0
}
