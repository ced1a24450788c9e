// The person this process works for, as the system names them.

import { userInfo } from 'node:os'

export function osUser(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a number that has no name.
    return String(process.getuid?.() ?? 'nobody')
  }
}
