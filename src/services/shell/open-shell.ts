// Puts the shell together from the settings: the program that runs commands, their environment, where jobs are kept,
// and what commands are confined by.

import { realpathSync, statSync } from 'node:fs'

import type { Config } from '../../config/load.js'
import { resultCharactersFor } from '../result-limit.js'
import { stateDirOf } from '../../config/state-dir.js'
import { Failure } from '../../lib/failure.js'
import { isWithin } from '../../lib/is-within.js'
import { reasonOf } from '../../lib/reason-of.js'
import { holdsSystem } from '../../platform/holds-system.js'
import { createLauncher } from '../../platform/launcher.js'
import type { Log } from '../../platform/log.js'
import { ourselves } from '../../platform/process-identity.js'
import { projectOf } from '../../platform/project.js'
import { quietEnvironment } from '../../platform/quiet-environment.js'
import { findShell, whyNoShell, type ShellProgram } from '../../platform/shell-program.js'
import { signIn, type Server } from '../../store/server-roll.js'
import { placesOf, type Places } from '../jobs/places.js'
import type { Notices } from '../notices.js'
import { confinedByPlans } from '../plans/confined-by-plans.js'
import { planPlacesOf } from '../plans/plan-places.js'
import { createPlanWatch } from '../plans/plan-watch.js'
import type { LazyState } from '../state.js'
import type { Confinement } from './confinement.js'
import { createShell, type Shell } from './shell.js'

export interface Surroundings {
  readonly config: Config
  readonly notices: Notices
  readonly log: Log
  readonly confinement: Confinement
  /** Where plans are remembered. */
  readonly state: LazyState
}

export function openShell({ config, notices, log, confinement: usual, state }: Surroundings): Shell {
  const { settings, cwd } = config
  const confinement = confinedByPlans(config, usual, createPlanWatch(planPlacesOf(config, state)))
  const env = quietEnvironment(config.childEnv, process.platform)
  const { JOBS_OUTLIVE_SERVER: outlive } = settings
  const program = shellProgramOf(config, env)
  const project = projectOf(cwd)
  const launcher = createLauncher({ cwd, env, shell: program, outlive })
  // Asked for when something is to be kept: without a home commands run all the same.
  const places = (): Places => placesOf(stateDirOf(settings), project)
  const signOut = signedIn(places, { owner: ourselves(), family: launcher.family, outlive }, log)
  const shell = createShell({
    cwd,
    launcher,
    confine: (who, isReadOnly) => confinement.confine(who, isReadOnly),
    notices,
    outlive,
    places,
    streaming: settings.STREAMING,
    usualLimit: { ms: settings.BASH_SOFT_LIMIT_MS, isHard: !settings.BASH_AUTO_BACKGROUND },
    maxCharacters: (client) => settings.BASH_MAX_OUTPUT || resultCharactersFor(client),
    maxOutputBytes: settings.JOB_MAX_OUTPUT,
    maxRunning: settings.MAX_JOBS,
  })
  return {
    ...shell,
    async close() {
      await shell.close()
      await Promise.all([confinement.close(), state.close()])
      signOut?.()
    },
  }
}

/** What runs commands; a Failure says what to install. */
export function shellProgramOf(
  { settings, cwd }: Pick<Config, 'settings' | 'cwd'>,
  env: NodeJS.ProcessEnv,
): ShellProgram {
  const { SHELL_PATH: preferred } = settings
  // One that lies in the project may have been put there by a command, and would run unconfined.
  const project = projectOf(cwd)
  const isOurs = (path: string): boolean => !holdsSystem(project) && isWithin(realpathSync(path), project)
  const isTrusted = (path: string): boolean => isFile(path) && !isOurs(path)
  const program = findShell({ platform: process.platform, env, isFile: isTrusted }, preferred)
  if (!program) throw new Failure(`The command was not started: ${whyNoShell(process.platform, preferred)}`)
  return program
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** So that the next server knows what to end if this one is killed. Commands run without it. */
function signedIn(places: () => Places, server: Server, log: Log): (() => void) | undefined {
  try {
    return signIn(places().roll, server)
  } catch (error) {
    log.warn(`what a killed server leaves running would not be found: ${reasonOf(error)}`)
    return undefined
  }
}
