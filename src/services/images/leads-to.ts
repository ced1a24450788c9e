// Where a path leads, link by link, whether or not anything is there: who may not look somewhere is not told either what
// there is.

import { readlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, parse, sep } from 'node:path'

/** As many as the system follows. */
const MOST_LINKS = 40

export async function leadsTo(path: string): Promise<string> {
  let here = parse(path).root
  let links = 0
  const ahead = path.slice(here.length).split(sep)
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    const next = name === '..' ? dirname(here) : join(here, name)
    const target = links < MOST_LINKS ? await readlink(next).catch(() => undefined) : undefined
    if (target === undefined || name === '' || name === '.' || name === '..') {
      here = next
      continue
    }
    links++
    if (isAbsolute(target)) here = parse(target).root
    ahead.unshift(...target.split(sep))
  }
  return here
}
