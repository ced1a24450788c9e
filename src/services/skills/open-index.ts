// Opens the skill index for the directories and the cache path of the settings.

import type { Config } from '../../config/load.js'
import type { Settings } from '../../config/options.js'
import { stateDirOf } from '../../config/state-dir.js'
import { Failure } from '../../lib/failure.js'
import type { Log } from '../../platform/log.js'
import { projectOf } from '../../platform/project.js'
import type { Notices } from '../notices.js'
import { cacheFile } from './index-cache.js'
import { placesOf } from './places.js'
import { createSkillIndex, type SkillIndex } from './skill-index.js'

export function openSkillIndex(config: Config, changeEvents: Notices, log: Log): SkillIndex {
  const { cwd, home, settings } = config
  const project = projectOf(cwd)
  return createSkillIndex({
    places: placesOf({ cwd, project, home, additional: settings.ADDITIONAL_SKILLS }),
    cache: cacheOf(settings, project),
    notices: changeEvents,
    complain: (message) => log.warn(message),
  })
}

/** Undefined without a home directory. */
function cacheOf(settings: Settings, project: string): string | undefined {
  try {
    return cacheFile(stateDirOf(settings), project)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
