// Finds a file whose name looks the same as a missing one. macOS uses special spaces in the names of screenshots, and some
// systems store é as two characters, but a model types plain ones.

import { opendir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Bounds the time for large directories. */
const MAX_NAMES = 10_000

/** Undefined if no name or several names look the same. */
export async function sameLooking(path: string): Promise<string | undefined> {
  // A path that ends in a slash names a directory.
  if (!path.endsWith(basename(path))) return undefined
  const normalized = normalizeName(basename(path))
  const matches: string[] = []
  try {
    let count = 0
    for await (const { name } of await opendir(dirname(path))) {
      if (++count > MAX_NAMES) return undefined
      if (normalizeName(name) === normalized) matches.push(name)
    }
  } catch {
    return undefined
  }
  const [name, second] = matches
  return name === undefined || second !== undefined ? undefined : join(dirname(path), name)
}

function normalizeName(name: string): string {
  return name.normalize('NFC').replaceAll(/\s/gu, ' ')
}
