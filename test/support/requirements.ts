// What a test needs besides npm packages. If it is missing the test is skipped, and the reporter prints the reason at
// the end of the run.

import { spawnSync } from 'node:child_process'

import type { TestOptions } from 'vitest'

export interface Requirement {
  readonly isMet: boolean
  /** Printed for the tests that were skipped. */
  readonly reason: string
}

declare module 'vitest' {
  interface TaskMeta {
    skipReason?: string
  }
}

/** Options of a test, or of a describe, that is skipped if a requirement is not met. */
export function requires(...requirements: readonly Requirement[]): TestOptions {
  const missing = requirements.filter(({ isMet }) => !isMet).map(({ reason }) => reason)
  return missing.length === 0 ? {} : { skip: true, meta: { skipReason: missing.join('; ') } }
}

/** Whether a program can be started and exits with status 0. */
export function canRun(program: string, args: readonly string[] = ['--version']): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

// Whether the sandbox can be tested on this machine.

export const SANDBOX: Requirement = {
  isMet: canRun('bwrap', ['--unshare-user', '--disable-userns', '--dev-bind', '/', '/', 'true']),
  reason: 'bubblewrap is not installed, or is not allowed to create user namespaces',
}
