// What the operating system knows: the name of the user, and whether a process exists.

import { userInfo } from 'node:os'

import { hasErrorCode } from './errors.js'

/** The name of the OS user, or the numeric user ID. */
export function getOsUser(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a user ID without a name.
    return String(process.getuid?.() ?? 'unknown')
  }
}

/** Whether a process with this pid exists; a negative pid is a process group. */
export function isPidRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user exists but may not be signalled.
    return hasErrorCode(error, 'EPERM')
  }
}
