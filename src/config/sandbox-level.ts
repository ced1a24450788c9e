// How much commands may do, by the settings and the way by which they come.

import type { Level } from '../platform/sandbox/level.js'
import type { Settings } from './options.js'

/** What `auto` comes to: whoever speaks over stdio can do all this without us, whoever comes over HTTP cannot. */
export function sandboxLevel(setting: Settings['SANDBOX'], isHttp: boolean): Level {
  if (setting !== 'auto') return setting
  return isHttp ? 'workspace' : 'off'
}
