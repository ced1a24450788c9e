// The only place that detects Bun and reads its globals.

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
