// Builds the dependencies of the lookup from the settings: the project, the database and the flag files.

import type { Config } from '../../config/load.js'
import { stateDirOf } from '../../config/state-dir.js'
import { Failure } from '../../lib/failure.js'
import { projectOf } from '../../platform/project.js'
import type { LazyState } from '../state.js'
import { marksOf, type Marks } from '../marks.js'
import type { PlanWatchSettings } from './plan-watch.js'

export function planPlacesOf({ settings, cwd }: Pick<Config, 'settings' | 'cwd'>, state: LazyState): PlanWatchSettings {
  const project = projectOf(cwd)
  if (settings.DATABASE_URL !== '') return { project, state, marks: 'ask-database' }
  return { project, state, marks: openFlags(settings, project) }
}

function openFlags(settings: Config['settings'], project: string): Marks | 'none' {
  try {
    return marksOf(stateDirOf(settings), 'plans', project)
  } catch (error) {
    if (error instanceof Failure) return 'none'
    throw error
  }
}
