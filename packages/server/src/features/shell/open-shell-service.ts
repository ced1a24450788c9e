// Builds the shell service from the settings: shell program, environment of commands, job directory and sandbox.

import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { errorMessage } from '@scorpiox/mcp/errors'
import type { Log } from '@scorpiox/mcp/log'
import type { Config } from '../../config/load-config.js'
import { findProjectRoot, getStateDir } from '../../config/paths.js'
import { listWritableRoots } from '../../config/writable-roots.js'
import { createCommandEnvironment } from '../../process/command-environment.js'
import { resolveMemoryLimit } from '../../process/command-memory.js'
import { createCommandRunner } from '../../process/command-runner.js'
import { currentProcessIdentity } from '../../process/process-identity.js'
import { findTrustedShell, removeUntrustedLibraries } from '../../process/trusted-program.js'
import type { CommandSandbox } from '../../sandbox/command-sandbox.js'
import { registerServer, type ServerInfo } from '../../storage/server-registry.js'
import { maxResultCharacters } from '../../text/result-limit.js'
import { type JobDirectory, jobDirectoryOf } from './job-files.js'
import { createShellService, type ShellService } from './shell-service.js'

export interface OpenShellServiceDeps {
  readonly config: Config
  readonly changeEvents: ChangeEvents
  readonly log: Log
  /** Chooses the sandbox of each command; closed with the service. */
  readonly sandbox: CommandSandbox
}

export function openShellService({ config, changeEvents, log, sandbox }: OpenShellServiceDeps): ShellService {
  const { settings, cwd } = config
  const env = createCommandEnvironment(config.childEnv, process.platform)
  const { JOBS_OUTLIVE_SERVER: jobsOutliveServer } = settings
  const program = findTrustedShell(config, env)
  const project = findProjectRoot(cwd)
  // The supervisor and bwrap run outside of the sandbox, which restores the variables for commands.
  const supervisorEnv = sandbox.level === 'off' ? env : removeUntrustedLibraries(env, listWritableRoots(config))
  const commandRunner = createCommandRunner({
    cwd,
    env: supervisorEnv,
    shell: program,
    jobsOutliveServer,
    maxMemoryBytes: resolveMemoryLimit(settings.COMMANDS_MEMORY_MB),
  })
  // Resolved when a job is recorded: without a home directory commands still run.
  const jobDirectory = (): JobDirectory => jobDirectoryOf(getStateDir(settings), project)
  const unregister = registerServerOrWarn(
    jobDirectory,
    { owner: currentProcessIdentity(), family: commandRunner.tagPrefix, outlive: jobsOutliveServer },
    log,
  )
  const shell = createShellService({
    cwd,
    commandRunner,
    sandbox,
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
      await sandbox.close()
      unregister?.()
    },
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
