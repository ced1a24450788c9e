// Checks that a folder belongs to this user and is not writable by others. Files in any other folder are not trusted.

import { lstatSync, type Stats } from 'node:fs'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { makePrivateFolder } from '@scorpiox/mcp/util/atomic-file'

const STATE_DIR_ADVICE = 'or set STATE_DIR to a folder of this user'

/** Creates the folder if needed. Throws a Failure that says what to do. */
export function ensurePrivateFolder(path: string): void {
  try {
    makePrivateFolder(path)
  } catch (error) {
    throw toWriteFailure(path, error)
  }
  const problem = describeFolderProblem(path)
  if (problem !== undefined) throw new Failure(problem)
}

export function isPrivateFolder(path: string): boolean {
  return describeFolderProblem(path) === undefined
}

/** Converts a write error to a Failure with advice; returns a Failure unchanged. */
export function toWriteFailure(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  const reason = errorMessage(error)
  const advice = `free some space there or make it writable, ${STATE_DIR_ADVICE}`
  return new Failure(`${path} cannot be written to (${reason}); ${advice}`, { cause: error })
}

/** Describes why the folder is not private; undefined if it is. */
export function describeFolderProblem(path: string): string | undefined {
  const stat = lstatOrUndefined(path)
  if (!stat?.isDirectory()) return `${path} is not a folder; move it away, ${STATE_DIR_ADVICE}`
  // Windows has no such owners and modes.
  if (process.geteuid === undefined) return undefined
  if (stat.uid !== process.geteuid()) return `${path} belongs to another user; move it away, ${STATE_DIR_ADVICE}`
  if ((stat.mode & 0o022) !== 0)
    return `${path} can be changed by other users; run: chmod 700 ${path}, ${STATE_DIR_ADVICE}`
  return undefined
}

function lstatOrUndefined(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
