// Whether a process with this pid exists; a negative pid is a process group.

import { hasErrorCode } from './error-code.js'

export function isPidRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user exists but may not be signalled.
    return hasErrorCode(error, 'EPERM')
  }
}
