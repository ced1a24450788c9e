// A folder of which we can say that nobody else writes there: ours, a real folder, closed to others. What lies in any
// other is not believed.

import { lstatSync, type Stats } from 'node:fs'

import { Failure } from '../lib/failure.js'
import { reasonOf } from '../lib/reason-of.js'
import { makePrivateFolder } from './atomic-file.js'

const ELSEWHERE = 'or set STATE_DIR to a folder of this user'

/** Throws a Failure that says what to do. */
export function ensurePrivateFolder(path: string): void {
  try {
    makePrivateFolder(path)
  } catch (error) {
    throw notKept(path, error)
  }
  const problem = problemOfFolder(path)
  if (problem !== undefined) throw new Failure(problem)
}

export function isPrivateFolder(path: string): boolean {
  return problemOfFolder(path) === undefined
}

/** Why something could not be written there, and what to do; what is a Failure already says it better. */
export function notKept(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  const reason = reasonOf(error)
  const advice = `free some space there or make it writable, ${ELSEWHERE}`
  return new Failure(`${path} cannot be written to (${reason}); ${advice}`, { cause: error })
}

/** Why it is not one of which we can say that; undefined where it is. */
export function problemOfFolder(path: string): string | undefined {
  const stat = lstat(path)
  if (!stat?.isDirectory()) return `${path} is not a folder; move it away, ${ELSEWHERE}`
  // Windows has no such owners and modes.
  if (process.geteuid === undefined) return undefined
  if (stat.uid !== process.geteuid()) return `${path} belongs to another user; move it away, ${ELSEWHERE}`
  if ((stat.mode & 0o022) !== 0) return `${path} can be changed by other users; run: chmod 700 ${path}, ${ELSEWHERE}`
  return undefined
}

function lstat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
