// What servers of this project left running when they were killed, ended by the next one that starts.

import type { Config } from '../../config/load.js'
import { stateDirOf } from '../../config/state-dir.js'
import { removePlacesOf } from '../../platform/nursery-place.js'
import { projectOf } from '../../platform/project.js'
import { createTrees } from '../../platform/trees.js'
import { openJobRecords } from '../../store/job-records.js'
import { lost, strike } from '../../store/server-roll.js'
import { foldersOf, placesOf } from './places.js'

const KILL_AFTER_MS = 2000

/** Returns how many servers had gone without a word and may have left something. */
export async function endLeftOver({ settings, cwd }: Pick<Config, 'settings' | 'cwd'>): Promise<number> {
  const places = placesOf(stateDirOf(settings), projectOf(cwd))
  const entries = await lost(places.roll)
  for (const entry of entries) {
    const spared = entry.outlive ? await tagsThatGoOn(await foldersOf(places)) : undefined
    await createTrees(entry.family).endAll(KILL_AFTER_MS, spared)
    removePlacesOf(entry.family)
    strike(entry)
  }
  return entries.filter(({ outlive }) => !outlive).length
}

/** Of the jobs alone: what somebody waited for, and what that left behind, was to end with its server. */
async function tagsThatGoOn(folders: readonly string[]): Promise<ReadonlySet<string>> {
  const records = await Promise.all(folders.map((folder) => openJobRecords(folder).list()))
  const goingOn = records.flat().filter(({ keep, background, ending }) => keep && background && ending === undefined)
  return new Set(goingOn.map(({ tag }) => tag))
}
