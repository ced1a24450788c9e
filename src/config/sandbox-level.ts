// Resolves the SANDBOX setting to a sandbox level.

import type { Level } from '../platform/sandbox/level.js'
import type { Settings } from './options.js'

/** `auto` is `off` over stdio, where the client can run commands without this server, and `workspace` over HTTP. */
export function sandboxLevel(setting: Settings['SANDBOX'], isHttp: boolean): Level {
  if (setting !== 'auto') return setting
  return isHttp ? 'workspace' : 'off'
}
