// Reads the skills that changed since the previous snapshot and reuses the others.

import type { Known, KnownEntry } from './index-cache.js'
import { inspect } from './inspect.js'
import type { Surveyed } from './survey.js'

const AT_ONCE = 8

export async function scan(snapshots: readonly Surveyed[], previous: readonly Known[]): Promise<readonly Known[]> {
  const directories: Known[] = []
  for (const { place, folder, mark, entries, excess } of snapshots) {
    const knownEntries = new Map(
      previous
        .filter(({ path, level }) => path === folder.path && level === place.level)
        .flatMap((one) => one.entries.map((entry): [string, KnownEntry] => [entry.name, entry])),
    )
    const entriesNow = await eachOf(entries, async ({ name, mark: currentMark }): Promise<KnownEntry> => {
      const previousEntry = knownEntries.get(name)
      return previousEntry?.mark === currentMark
        ? previousEntry
        : { name, mark: currentMark, ...(await inspect(folder.path, name, place.inside)) }
    })
    directories.push({ path: folder.path, level: place.level, mark, entries: entriesNow, excess })
  }
  return directories
}

async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))))
  }
  return results
}
