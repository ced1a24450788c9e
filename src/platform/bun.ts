// What Bun has beyond Node.js, and whether this is Bun. Nothing else in the house looks for it.

import { isObject } from '../lib/json.js'

/** undefined on any other runtime. */
export function bunVersion(): string | undefined {
  const version = fromBun('version')
  return typeof version === 'string' ? version : undefined
}

/** undefined on any other runtime. */
export function fromBun(name: string): unknown {
  const bun: unknown = Reflect.get(globalThis, 'Bun')
  return isObject(bun) ? bun[name] : undefined
}
