// The source files of all packages, without tests.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const PACKAGES = resolve(import.meta.dirname, '../../packages')

/** `mcp/jsonrpc/message.ts` for packages/mcp/src/jsonrpc/message.ts. */
export function readSources(): Map<string, string> {
  const files = readdirSync(PACKAGES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.ts$|\.d\.ts$/.test(entry.name))
    .map((entry) => relative(PACKAGES, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => /^\w+\/src\//.test(path))
  return new Map(files.map((path) => [path.replace('/src/', '/'), readFileSync(join(PACKAGES, path), 'utf8')]))
}
