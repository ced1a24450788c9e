// Whether files in a folder have names elsewhere too. Whoever may write to such a folder alone would, through a hard link,
// write to what lies outside of it.

import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A folder with more in it is not looked through, and counts as one that has some. */
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
