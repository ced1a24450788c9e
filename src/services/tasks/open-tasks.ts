// Opens the task service of the current project.

import type { Config } from '../../config/load.js'
import { projectOf } from '../../platform/project.js'
import type { Notices } from '../notices.js'
import type { LazyState } from '../state.js'
import { createTasks, type Tasks } from './tasks.js'

export async function openTasks({ cwd }: Config, notices: Notices, state: LazyState): Promise<Tasks> {
  const tasks = createTasks({ state: await state.open(), notices, project: projectOf(cwd) })
  return {
    ...tasks,
    async close() {
      await tasks.close()
      await state.close()
    },
  }
}
