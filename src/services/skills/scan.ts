// Reads what a survey found changed, and takes the rest as it was known.

import type { Known, KnownEntry } from './index-cache.js'
import { inspect } from './inspect.js'
import type { Surveyed } from './survey.js'

const AT_ONCE = 8

export async function scan(seen: readonly Surveyed[], before: readonly Known[]): Promise<readonly Known[]> {
  const places: Known[] = []
  for (const { place, folder, mark, entries, excess } of seen) {
    const known = new Map(
      before
        .filter(({ path, level }) => path === folder.path && level === place.level)
        .flatMap((one) => one.entries.map((entry): [string, KnownEntry] => [entry.name, entry])),
    )
    const read = await eachOf(entries, async ({ name, mark: now }): Promise<KnownEntry> => {
      const old = known.get(name)
      return old?.mark === now ? old : { name, mark: now, ...(await inspect(folder.path, name, place.inside)) }
    })
    places.push({ path: folder.path, level: place.level, mark, entries: read, excess })
  }
  return places
}

async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))))
  }
  return results
}
