// The sandbox levels, from no restriction to the strictest. Used by the settings, the shell and plan mode. Pure.

import { Failure } from '@scorpiox/mcp/errors'
import type { Settings } from '../config/options.js'

export type SandboxLevel = 'off' | ActiveSandboxLevel

/**
 * `read-only` may read everything except secrets and write nothing that persists; `workspace` may also write to the
 * project; `strict` is `workspace` without a network, and may read only the project and the system.
 */
export type ActiveSandboxLevel = 'read-only' | 'workspace' | 'strict'

/**
 * The sandbox is available, but with these settings commands could escape from it. Unlike a missing sandbox it is never a
 * reason to run commands without one.
 */
export class UnsafeSandboxFailure extends Failure {
  override readonly name = 'UnsafeSandboxFailure'
}

/** `auto` is `off` over stdio, where the client can run commands without this server, and `workspace` over HTTP. */
export function resolveSandboxLevel(setting: Settings['SANDBOX'], isHttp: boolean): SandboxLevel {
  if (setting !== 'auto') return setting
  return isHttp ? 'workspace' : 'off'
}
