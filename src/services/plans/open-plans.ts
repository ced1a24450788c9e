// Builds the plan service from the settings.

import type { Config } from '../../config/load.js'
import { sandboxTerms } from '../../config/sandbox-terms.js'
import { stateDirOf } from '../../config/state-dir.js'
import { projectOf } from '../../platform/project.js'
import type { Level } from '../../platform/sandbox/level.js'
import { hiddenPlaces, readablePlaces } from '../../platform/sandbox/places.js'
import { placesOf } from '../jobs/places.js'
import { runningBehind } from '../jobs/running.js'
import type { Notices } from '../notices.js'
import { sessionFolder } from '../sessions/session-folder.js'
import type { LazyState } from '../state.js'
import type { Reach } from './given-plan-file.js'
import { planPlacesOf } from './plan-places.js'
import { createPlans, type Plans } from './plans.js'

export interface Surroundings {
  readonly config: Config
  readonly notices: Notices
  readonly state: LazyState
  /** Sandbox level of commands outside plan mode. */
  readonly level: Level
}

export function openPlans({ config, notices, state, level }: Surroundings): Plans {
  const { cwd, settings } = config
  const project = projectOf(cwd)
  // The real path of the working directory, so that displayed paths can be relative to it.
  const [realCwd] = readablePlaces([cwd])
  return createPlans({
    ...planPlacesOf(config, state),
    cwd: realCwd?.path ?? cwd,
    notices,
    reach: (session) => ({
      cwd,
      within: level === 'off' ? undefined : allowedPathsOf(config, project, level, session),
    }),
    async runningJobs(user) {
      try {
        return await runningBehind(placesOf(stateDirOf(settings), project), user)
      } catch {
        // There is no job directory, so there are no jobs.
        return []
      }
    },
  })
}

function allowedPathsOf(config: Config, project: string, level: Level, session: string): Reach['within'] {
  // At `strict`, commands see only the working directory of the repository.
  const root = level === 'strict' ? readablePlaces([config.cwd]).map(({ path }) => path) : [project]
  const hidden = hiddenPlaces(sandboxTerms(config, []).hidden).map(({ path }) => path)
  return { roots: [sessionFolder(project, session), ...root], hidden }
}
