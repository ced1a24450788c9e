// Detects hard links. A session directory is the only writable directory in plan mode; a file in it with a hard link
// elsewhere would make that other file writable, so such a directory is not reused.

import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A directory with more entries is not scanned and counts as having external links. */
const MAX_ENTRIES = 10_000

export function hasOutsideNames(directory: string): boolean {
  const unseenLinks = new Map<string, number>()
  const queue = [directory]
  let entries = 0
  for (let current = queue.pop(); current !== undefined; current = queue.pop()) {
    for (const name of readdirSync(current)) {
      if (++entries > MAX_ENTRIES) return true
      const path = join(current, name)
      const stat = lstatSync(path, { throwIfNoEntry: false })
      if (stat?.isDirectory()) queue.push(path)
      else if (stat && stat.nlink > 1) {
        const file = `${stat.dev}:${stat.ino}`
        unseenLinks.set(file, (unseenLinks.get(file) ?? stat.nlink) - 1)
      }
    }
  }
  return [...unseenLinks.values()].some((count) => count > 0)
}
