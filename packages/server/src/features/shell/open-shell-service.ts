// Builds the shell service from the settings: shell program, environment of commands, job directory and sandbox. Called by
// services.ts of the app and by `doctor`. Registers this server in the job directory, so that the next one can clean up
// after a crash.

import type { ChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { errorMessage } from '@scorpiox/mcp/errors'
import type { Log } from '@scorpiox/mcp/log'
import { loadOnce } from '@scorpiox/mcp/promises'
import type { Config } from '../../config/load-config.js'
import { findProjectRoot, findStateDir, getStateDir } from '../../config/paths.js'
import { listWritableRoots } from '../../config/writable-roots.js'
import type { PatternMatcher } from '../../patterns/pattern-matcher.js'
import { createCommandEnvironment } from '../../process/command-environment.js'
import { resolveMemoryLimit } from '../../process/command-memory.js'
import { createCommandRunner } from '../../process/command-runner.js'
import { currentProcessIdentity } from '../../process/process-identity.js'
import type { CommandFenceOptions } from '../../process/command-fence.js'
import { findTrustedProgram, findTrustedShell, removeUntrustedLibraries } from '../../process/trusted-program.js'
import type { Membership } from '../../machines/membership.js'
import type { CommandSandbox } from '../../sandbox/command-sandbox.js'
import type { Scope } from '../../storage/scoped-database.js'
import { registerServer, type ServerInfo } from '../../storage/server-registry.js'
import { maxResultCharacters } from '../../text/result-limit.js'
import type { CommandSecrets } from '../secrets/index.js'
import { type JobDirectory, jobDirectoryOf } from './job-files.js'
import type { JobLedger } from './job-ledger.js'
import { createShellService, type ShellService } from './shell-service.js'

/** A server that runs ends its commands at 0.8 of the lease, and more gently. */
const FENCE_PART = 0.9

export interface OpenShellServiceDeps {
  readonly config: Config
  readonly changeEvents: ChangeEvents
  readonly log: Log
  /** Chooses the sandbox of each command; closed with the service. */
  readonly sandbox: CommandSandbox
  readonly patterns: () => Promise<PatternMatcher>
  /** Set if the server is one of several machines. */
  readonly membership?: Membership | undefined
  /** Receives the questions of commands for passwords; without it none is asked. Closed with the service. */
  readonly secrets?: CommandSecrets | undefined
}

export function openShellService(deps: OpenShellServiceDeps): ShellService {
  const { config, changeEvents, log, sandbox, patterns, membership } = deps
  const { settings, cwd } = config
  const env = createCommandEnvironment(config.childEnv, process.platform)
  const endReason = settings.JOBS_OUTLIVE_SERVER ? describeWhyJobsEnd(config, env) : undefined
  if (endReason !== undefined) log.warn(`${endReason}: jobs end with this server.`)
  const jobsOutliveServer = settings.JOBS_OUTLIVE_SERVER && endReason === undefined
  // Their output is recorded by a process that could not redact an answer.
  const secrets = jobsOutliveServer ? undefined : deps.secrets
  const program = findTrustedShell(config, env)
  const project = findProjectRoot(cwd)
  // The supervisor and bwrap run outside of the sandbox, which restores the variables for commands.
  const supervisorEnv = sandbox.level === 'off' ? env : removeUntrustedLibraries(env, listWritableRoots(config))
  const commandRunner = createCommandRunner({
    useLauncher: settings.SHELL_LAUNCHER,
    cwd,
    env: supervisorEnv,
    shell: program,
    jobsOutliveServer,
    keptIn: jobsOutliveServer ? findStateDir(settings) : undefined,
    maxMemoryBytes: resolveMemoryLimit(settings.COMMANDS_MEMORY_MB),
    onAskpassFolder: secrets?.addFolder,
  })
  // Resolved when a job is recorded: without a home directory commands still run.
  const jobDirectory = (): JobDirectory => jobDirectoryOf(getStateDir(settings), project)
  const unregister = registerServerOrWarn(
    jobDirectory,
    { owner: currentProcessIdentity(), family: commandRunner.tagPrefix, outlive: jobsOutliveServer },
    log,
  )
  const runProbe: ShellService['runProbe'] = (command, options) => shell.runProbe(command, options)
  const openEnvironment = loadOnce(async () => {
    const { createProjectEnvironment } = await import('./environment/project-environment.js')
    const isSandboxed = sandbox.level !== 'off'
    return createProjectEnvironment({ config, env, isSandboxed, runProbe, log })
  })
  const shell: ShellService = createShellService({
    cwd,
    commandRunner,
    sandbox,
    secrets,
    changeEvents,
    jobsOutliveServer,
    jobDirectory,
    streaming: settings.STREAMING,
    defaultLimit: { ms: settings.BASH_SOFT_LIMIT_MS, killAtLimit: !settings.BASH_AUTO_BACKGROUND },
    maxCharacters: (client) => settings.BASH_MAX_OUTPUT || maxResultCharacters(client),
    maxOutputBytes: settings.JOB_MAX_OUTPUT,
    maxRunning: settings.MAX_JOBS,
    environment: settings.SHELL_ENV === 'off' ? undefined : (caller) => openEnvironment().then((load) => load(caller)),
    patterns,
    ledgerOf: membership && (async (user) => openJobLedger(membership, { project, user })),
    terminals: async () => (await import('./terminal.js')).createTerminals(config, env),
  })
  // Another machine takes over shared files when the lease has ended, also while this process is stopped.
  const closeFence =
    membership?.files === 'shared' && program?.kind === 'bash'
      ? fenceCommands(
          membership,
          { bash: program.file, cwd, env: supervisorEnv, tagPrefix: commandRunner.tagPrefix },
          log,
        )
      : undefined
  return {
    ...shell,
    async close() {
      closeFence?.()
      await shell.close()
      await secrets?.close()
      await sandbox.close()
      unregister?.()
    },
  }
}

/** Why no process could record the output of a job without the server; undefined if one can. */
export function describeWhyJobsEnd(
  config: Config,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (platform !== 'linux') return 'JOBS_OUTLIVE_SERVER works on Linux only'
  if (findTrustedProgram('mkfifo', env, listWritableRoots(config)) !== undefined) return undefined
  return 'JOBS_OUTLIVE_SERVER requires mkfifo, which was not found'
}

/** Returns a function that ends it. */
function fenceCommands(membership: Membership, options: CommandFenceOptions, log: Log): () => void {
  const fence = import('../../process/command-fence.js').then(({ startCommandFence }) => startCommandFence(options))
  fence.catch((error: unknown) => log.warn(`if this server hangs, its commands keep running: ${errorMessage(error)}`))
  const stop = membership.onEvent((event) => {
    if (event.kind === 'renewed') fence.then((open) => open.extend(event.ms * FENCE_PART)).catch(() => {})
  })
  return () => {
    stop()
    fence.then((open) => open.close()).catch(() => {})
  }
}

async function openJobLedger(membership: Membership, scope: Scope): Promise<JobLedger> {
  const { createJobLedger } = await import('./job-ledger.js')
  return createJobLedger(membership, scope)
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
