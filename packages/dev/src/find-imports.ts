// Finds the files that a JavaScript or TypeScript file imports by relative paths, and those that they import. Used by
// file-watcher.ts, which watches those outside of the server's folder. Reads files.

import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const MAX_FILES = 1000
const IMPORT = /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*['"](\.{1,2}\/[^'"\n]+)['"]/g
const SOURCE = /\.[cm]?[jt]sx?$/
/** TypeScript may be imported by the name of the file it is compiled to, or without extension. */
const ENDINGS = ['', '.ts', '.js', '.mjs', '.mts', '.json', '/index.ts', '/index.js']

/** With the entry itself. */
export function findImports(entry: string): ReadonlySet<string> {
  const found = new Set([entry])
  for (const file of found) {
    if (!SOURCE.test(file)) continue
    for (const [, specifier = ''] of readText(file).matchAll(IMPORT)) {
      const imported = findFile(resolve(dirname(file), specifier))
      if (imported !== undefined && found.size < MAX_FILES) found.add(imported)
    }
  }
  return found
}

function findFile(path: string): string | undefined {
  const asTypeScript = path.replace(/\.([cm]?)js$/, '.$1ts')
  return [...ENDINGS.map((ending) => path + ending), asTypeScript].find(
    (candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile() ?? false,
  )
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
