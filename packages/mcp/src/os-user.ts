// The name of the OS user, or the numeric user ID.

import { userInfo } from 'node:os'

export function getOsUser(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a user ID without a name.
    return String(process.getuid?.() ?? 'unknown')
  }
}
