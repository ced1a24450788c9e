// The engine's own collector, for the few who cannot wait until it looks by itself.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Without options all that nobody holds is collected. */
export type Collect = (options?: { readonly type: 'minor' }) => void

export function findCollector(): Collect {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined')
  // Other engines have none, and may not need it.
  return isCollect(found) ? found : () => {}
}

function isCollect(value: unknown): value is Collect {
  return typeof value === 'function'
}
