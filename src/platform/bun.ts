// What Bun has beyond Node.js. Nothing else in the house looks for it.

import { isObject } from '../lib/json.js'

/** undefined on any other runtime. */
export function fromBun(name: string): unknown {
  const bun: unknown = Reflect.get(globalThis, 'Bun')
  return isObject(bun) ? bun[name] : undefined
}
