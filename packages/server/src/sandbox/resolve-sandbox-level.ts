// Resolves the SANDBOX setting to a sandbox level.

import type { Settings } from '../config/options.js'
import type { SandboxLevel } from './sandbox-level.js'

/** `auto` is `off` over stdio, where the client can run commands without this server, and `workspace` over HTTP. */
export function resolveSandboxLevel(setting: Settings['SANDBOX'], isHttp: boolean): SandboxLevel {
  if (setting !== 'auto') return setting
  return isHttp ? 'workspace' : 'off'
}
