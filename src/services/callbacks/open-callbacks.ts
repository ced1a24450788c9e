// Opens the callback service of the current project.

import { realpathSync } from 'node:fs'
import { isAbsolute } from 'node:path'

import type { Config } from '../../config/load.js'
import { hashedName } from '../../lib/hashed-name.js'
import { systemClock } from '../../platform/clock.js'
import type { Log } from '../../platform/log.js'
import { projectOf } from '../../platform/project.js'
import { quietEnvironment } from '../../platform/quiet-environment.js'
import { osUser } from '../../platform/user.js'
import type { Who } from '../who.js'
import type { Jobs } from '../jobs/jobs.js'
import type { Notices } from '../notices.js'
import { ensureSessionFolder } from '../sessions/session-folder.js'
import { sessionNamesOf } from '../sessions/session-names.js'
import { shellProgramOf } from '../shell/open-shell.js'
import type { LazyState } from '../state.js'
import type { LateAnswers } from './attendance.js'
import { createBesides } from './besides.js'
import { createCallbacks, orNoSlots, type Callbacks } from './callbacks.js'
import { isGone, ourHolder } from './holder.js'
import type { LateCallbacks } from './late-callbacks.js'
import { waitingMarksOf } from './waiting-marks.js'

export interface Surroundings {
  readonly config: Config
  readonly notices: Notices
  readonly log: Log
  readonly state: LazyState
  readonly jobs: () => Promise<Jobs>
  /** The stand-in used before. */
  readonly late: LateCallbacks
  readonly lateAnswers: LateAnswers
}

export async function openCallbacks(deps: Surroundings): Promise<Callbacks> {
  const { config, notices, log, state, jobs, late, lateAnswers } = deps
  const { settings, cwd } = config
  const project = projectOf(cwd)
  const warn = (message: string): void => log.warn(message)
  const env = quietEnvironment(config.childEnv, process.platform)
  const callbacks = createCallbacks({
    state: await orNoSlots(() => state.open()),
    project,
    notices,
    clock: systemClock(),
    holder: ourHolder(),
    isGone,
    marks: waitingMarksOf(config),
    jobs,
    isBusy: late.isBusy,
    besides: createBesides({
      command: settings.CALLBACK_COMMAND,
      webhook: settings.CALLBACK_WEBHOOK,
      project,
      cwd,
      env,
      shell: () => shellProgramOf(config, env),
      warn,
    }),
    inbox: {
      folderOf: (caller, isAbandoned) => inboxDirectoryOf(config, project, caller, isAbandoned),
      stemOf: (user, id) => `callback-${hashedName(`${project}\0${user}`)}-${String(id).padStart(8, '0')}`,
    },
    lateAnswers,
    warn,
  })
  late.opened(callbacks)
  return {
    ...callbacks,
    async close() {
      await callbacks.close()
      await state.close()
    },
  }
}

/**
 * The session directory of the program that started this server; else, if enabled, the session directory in the
 * project.
 */
function inboxDirectoryOf(config: Config, project: string, caller: Who, isAbandoned: boolean): string | undefined {
  const { sessionDir, settings } = config
  if (isAbsolute(sessionDir) && caller.user === osUser()) return realpathSync.native(sessionDir)
  if (!settings.SCORPIOX_INBOX && !isAbandoned) return undefined
  return ensureSessionFolder(project, sessionNamesOf(project).nameOf(caller))
}
