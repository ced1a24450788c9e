// Gives access to the garbage collector of the engine, for code that cannot wait for its next run.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Without options, a full collection. */
export type Collect = (options?: { readonly type: 'minor' }) => void

export function findCollector(): Collect {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined')
  // Other engines have none, and may not need it.
  return isCollectFunction(found) ? found : () => {}
}

function isCollectFunction(value: unknown): value is Collect {
  return typeof value === 'function'
}
