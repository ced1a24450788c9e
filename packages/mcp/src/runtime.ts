// Detects Bun and reads its globals; the only place that does. Used where Node.js and Bun differ: stdio, HTTP,
// processes, image decoding, the sandbox and the installer. Reads globals only.

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
