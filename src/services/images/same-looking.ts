// The file that a path was meant to name, where it names none: macOS puts spaces into the names of screenshots that look
// like any other, and some systems spell é with two characters. A model types what it sees.

import { opendir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** More than anybody has in one folder, and read in a moment. */
const MOST_NAMES = 10_000

/** undefined where none looks the same, or several do. */
export async function sameLooking(path: string): Promise<string | undefined> {
  // What ends in a slash names a folder, if anything.
  if (!path.endsWith(basename(path))) return undefined
  const wanted = asSeen(basename(path))
  const found: string[] = []
  try {
    let seen = 0
    for await (const { name } of await opendir(dirname(path))) {
      if (++seen > MOST_NAMES) return undefined
      if (asSeen(name) === wanted) found.push(name)
    }
  } catch {
    return undefined
  }
  const [name, another] = found
  return name === undefined || another !== undefined ? undefined : join(dirname(path), name)
}

function asSeen(name: string): string {
  return name.normalize('NFC').replaceAll(/\s/gu, ' ')
}
