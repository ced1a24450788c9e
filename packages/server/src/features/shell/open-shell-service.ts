// Builds the shell service from the settings: shell program, environment of commands, job directory and sandbox.

import { realpathSync, statSync } from 'node:fs'

import type { Config } from '../../config/load-config.js'
import { maxResultCharacters } from '../../text/result-limit.js'
import { getStateDir } from '../../config/paths.js'
import { Failure } from '@scorpiox/mcp/errors'
import { isInsideDirectory } from '../../util/path-containment.js'
import { errorMessage } from '@scorpiox/mcp/errors'
import { containsSystemFolders } from '../../process/trusted-program.js'
import { createCommandRunner } from '../../process/command-runner.js'
import type { Log } from '@scorpiox/mcp/log'
import { currentProcessIdentity } from '../../process/process-identity.js'
import { findProjectRoot } from '../../config/project-root.js'
import { createCommandEnvironment } from '../../process/command-environment.js'
import { findShellProgram, describeMissingShell, type ShellProgram } from '../../process/shell-program.js'
import { registerServer, type ServerInfo } from '../../storage/server-registry.js'
import { jobDirectoryOf, type JobDirectory } from './job-directory.js'
import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { createPlanPolicy } from '../plans/lazy.js'
import { openPlanLookupDeps } from '../plans/lazy.js'
import { createOpenPlanLookup } from '../plans/lazy.js'
import type { LazyDatabase } from '../../lazy-state.js'
import type { CommandSandbox } from '../../sandbox/command-sandbox.js'
import { createShellService, type ShellService } from './shell-service.js'

export interface OpenShellServiceDeps {
  readonly config: Config
  readonly notices: ChangeEvents
  readonly log: Log
  readonly confinement: CommandSandbox
  /** Database that holds the plans. */
  readonly state: LazyDatabase
}

export function openShellService({
  config,
  notices: changeEvents,
  log,
  confinement: baseSandbox,
  state,
}: OpenShellServiceDeps): ShellService {
  const { settings, cwd } = config
  const sandbox = createPlanPolicy(config, baseSandbox, createOpenPlanLookup(openPlanLookupDeps(config, state)))
  const env = createCommandEnvironment(config.childEnv, process.platform)
  const { JOBS_OUTLIVE_SERVER: jobsOutliveServer } = settings
  const program = findTrustedShell(config, env)
  const project = findProjectRoot(cwd)
  const launcher = createCommandRunner({ cwd, env, shell: program, jobsOutliveServer })
  // Resolved when a job is recorded: without a home directory commands still run.
  const jobDirectory = (): JobDirectory => jobDirectoryOf(getStateDir(settings), project)
  const unregister = registerServerOrWarn(
    jobDirectory,
    { owner: currentProcessIdentity(), family: launcher.tagPrefix, outlive: jobsOutliveServer },
    log,
  )
  const shell = createShellService({
    cwd,
    launcher,
    sandboxFor: (caller, isReadOnly) => sandbox.sandboxFor(caller, isReadOnly),
    changeEvents,
    jobsOutliveServer,
    jobDirectory,
    streaming: settings.STREAMING,
    defaultLimit: { ms: settings.BASH_SOFT_LIMIT_MS, killAtLimit: !settings.BASH_AUTO_BACKGROUND },
    maxCharacters: (client) => settings.BASH_MAX_OUTPUT || maxResultCharacters(client),
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
export function findTrustedShell(
  { settings, cwd }: Pick<Config, 'settings' | 'cwd'>,
  env: NodeJS.ProcessEnv,
): ShellProgram {
  const { SHELL_PATH: preferred } = settings
  // A shell inside the project may have been written by a command, and it would run outside the sandbox.
  const project = findProjectRoot(cwd)
  const isInsideProject = (path: string): boolean =>
    !containsSystemFolders(project) && isInsideDirectory(realpathSync(path), project)
  const isTrusted = (path: string): boolean => isRegularFile(path) && !isInsideProject(path)
  const program = findShellProgram({ platform: process.platform, env, isFile: isTrusted }, preferred)
  if (!program) throw new Failure(`The command was not started: ${describeMissingShell(process.platform, preferred)}`)
  return program
}

function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Registers this server, so that the next one can clean up after a crash. Commands also run without it. */
function registerServerOrWarn(
  jobDirectory: () => JobDirectory,
  server: ServerInfo,
  log: Log,
): (() => void) | undefined {
  try {
    return registerServer(jobDirectory().registryPath, server)
  } catch (error) {
    log.warn(`cannot register this server; if it crashes, its processes will not be cleaned up: ${errorMessage(error)}`)
    return undefined
  }
}
