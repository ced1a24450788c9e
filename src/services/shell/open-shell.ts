// Builds the shell service from the settings: shell program, environment of commands, job directory and sandbox.

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
  /** Database that holds the plans. */
  readonly state: LazyState
}

export function openShell({ config, notices, log, confinement: baseSandbox, state }: Surroundings): Shell {
  const { settings, cwd } = config
  const sandbox = confinedByPlans(config, baseSandbox, createPlanWatch(planPlacesOf(config, state)))
  const env = quietEnvironment(config.childEnv, process.platform)
  const { JOBS_OUTLIVE_SERVER: jobsOutliveServer } = settings
  const program = shellProgramOf(config, env)
  const project = projectOf(cwd)
  const launcher = createLauncher({ cwd, env, shell: program, outlive: jobsOutliveServer })
  // Resolved when a job is recorded: without a home directory commands still run.
  const jobDirectory = (): Places => placesOf(stateDirOf(settings), project)
  const unregister = signedIn(
    jobDirectory,
    { owner: ourselves(), family: launcher.family, outlive: jobsOutliveServer },
    log,
  )
  const shell = createShell({
    cwd,
    launcher,
    confine: (caller, isReadOnly) => sandbox.confine(caller, isReadOnly),
    notices,
    outlive: jobsOutliveServer,
    places: jobDirectory,
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
      await Promise.all([sandbox.close(), state.close()])
      unregister?.()
    },
  }
}

/** The shell that runs commands. Throws a Failure that says what to install. */
export function shellProgramOf(
  { settings, cwd }: Pick<Config, 'settings' | 'cwd'>,
  env: NodeJS.ProcessEnv,
): ShellProgram {
  const { SHELL_PATH: preferred } = settings
  // A shell inside the project may have been written by a command, and it would run outside the sandbox.
  const project = projectOf(cwd)
  const isInsideProject = (path: string): boolean => !holdsSystem(project) && isWithin(realpathSync(path), project)
  const isTrusted = (path: string): boolean => isFile(path) && !isInsideProject(path)
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

/** Registers this server, so that the next one can clean up after a crash. Commands also run without it. */
function signedIn(jobDirectory: () => Places, server: Server, log: Log): (() => void) | undefined {
  try {
    return signIn(jobDirectory().roll, server)
  } catch (error) {
    log.warn(`cannot register this server; if it crashes, its processes will not be cleaned up: ${reasonOf(error)}`)
    return undefined
  }
}
