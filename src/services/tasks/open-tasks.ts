// Puts the tasks together: those of this project, in what is remembered.

import type { Config } from '../../config/load.js'
import { projectOf } from '../../platform/project.js'
import type { State } from '../../store/state/state.js'
import type { Notices } from '../notices.js'
import { createTasks, type Tasks } from './tasks.js'

export function openTasks({ cwd }: Config, notices: Notices, state: State): Tasks {
  return createTasks({ state, notices, project: projectOf(cwd) })
}
