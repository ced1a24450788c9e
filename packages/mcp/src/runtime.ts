// The only place that detects Bun and reads its globals.

import { isJsonObject } from './json/json.js'

/** undefined on any other runtime. */
export function bunVersion(): string | undefined {
  const version = getBunApi('version')
  return typeof version === 'string' ? version : undefined
}

/** undefined on any other runtime. */
export function getBunApi(name: string): unknown {
  const bun: unknown = Reflect.get(globalThis, 'Bun')
  return isJsonObject(bun) ? bun[name] : undefined
}
