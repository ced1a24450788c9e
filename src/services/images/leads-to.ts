// Resolves the symbolic links of a path even if the file does not exist, so that a forbidden path can be refused without
// revealing whether it exists.

import { readlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, parse, sep } from 'node:path'

/** As in the operating system. */
const MAX_LINKS = 40

export async function leadsTo(path: string): Promise<string> {
  let resolved = parse(path).root
  let followed = 0
  const remaining = path.slice(resolved.length).split(sep)
  for (let name = remaining.shift(); name !== undefined; name = remaining.shift()) {
    const next = name === '..' ? dirname(resolved) : join(resolved, name)
    const target = followed < MAX_LINKS ? await readlink(next).catch(() => undefined) : undefined
    if (target === undefined || name === '' || name === '.' || name === '..') {
      resolved = next
      continue
    }
    followed++
    if (isAbsolute(target)) resolved = parse(target).root
    remaining.unshift(...target.split(sep))
  }
  return resolved
}
