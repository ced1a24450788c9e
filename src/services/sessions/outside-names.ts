// Detects hard links. A session directory is the only writable directory in plan mode; a file in it with a hard link
// elsewhere would make that other file writable, so such a directory is not reused.

import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A directory with more entries is not scanned and counts as having external links. */
const MAX_ENTRIES = 10_000

export function hasOutsideNames(folder: string): boolean {
  const missing = new Map<string, number>()
  const waiting = [folder]
  let entries = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const name of readdirSync(at)) {
      if (++entries > MAX_ENTRIES) return true
      const path = join(at, name)
      const stat = lstatSync(path, { throwIfNoEntry: false })
      if (stat?.isDirectory()) waiting.push(path)
      else if (stat && stat.nlink > 1) {
        const file = `${stat.dev}:${stat.ino}`
        missing.set(file, (missing.get(file) ?? stat.nlink) - 1)
      }
    }
  }
  return [...missing.values()].some((count) => count > 0)
}
