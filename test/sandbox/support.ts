// Whether there is a sandbox to test. Where there is none, the tests of it are passed over, and say so.

import { execFileSync } from 'node:child_process'

export const hasSandbox = canStart()

function canStart(): boolean {
  try {
    execFileSync('bwrap', ['--unshare-user', '--disable-userns', '--dev-bind', '/', '/', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
