// Kills the processes that crashed servers of this project left running.

import type { Config } from '../../config/load.js'
import { stateDirOf } from '../../config/state-dir.js'
import { removePlacesOf } from '../../platform/nursery-place.js'
import { projectOf } from '../../platform/project.js'
import { createTrees } from '../../platform/trees.js'
import { openJobRecords } from '../../store/job-records.js'
import { lost, strike } from '../../store/server-roll.js'
import { foldersOf, placesOf } from './places.js'

const KILL_AFTER_MS = 2000

/** Resolves to the number of crashed servers that may have left processes running. */
export async function endLeftOver({ settings, cwd }: Pick<Config, 'settings' | 'cwd'>): Promise<number> {
  const jobDirectory = placesOf(stateDirOf(settings), projectOf(cwd))
  const entries = await lost(jobDirectory.roll)
  for (const entry of entries) {
    const sparedTags = entry.outlive ? await tagsThatGoOn(await foldersOf(jobDirectory)) : undefined
    await createTrees(entry.family).endAll(KILL_AFTER_MS, sparedTags)
    removePlacesOf(entry.family)
    strike(entry)
  }
  return entries.filter(({ outlive }) => !outlive).length
}

/** Background jobs only: foreground commands and their leftover processes end with their server. */
async function tagsThatGoOn(directories: readonly string[]): Promise<ReadonlySet<string>> {
  const records = await Promise.all(directories.map((folder) => openJobRecords(folder).list()))
  const surviving = records.flat().filter(({ keep, background, ending }) => keep && background && ending === undefined)
  return new Set(surviving.map(({ tag }) => tag))
}
