// Puts the index of skills together from the settings: which folders, and where what was found is kept.

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

export function openSkillIndex(config: Config, notices: Notices, log: Log): SkillIndex {
  const { cwd, home, settings } = config
  const project = projectOf(cwd)
  return createSkillIndex({
    places: placesOf({ cwd, project, home, additional: settings.ADDITIONAL_SKILLS }),
    cache: cacheOf(settings, project),
    notices,
    complain: (message) => log.warn(message),
  })
}

/** undefined: there is no home to keep anything in. */
function cacheOf(settings: Settings, project: string): string | undefined {
  try {
    return cacheFile(stateDirOf(settings), project)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
