// Opens the projects that `serve --http` serves: one for all callers, or a workspace for each user by WORKSPACE_ROOT;
// and the sandbox of their commands. Checks everything before the port is opened. Used by serve-http.ts. Creates the
// MCP servers and consoles, runs a command to verify the sandbox, and starts the startup tasks.

import { Failure } from '@scorpiox/mcp/errors'
import type { Principal } from '@scorpiox/mcp/http/authenticator'
import type { Refusal } from '@scorpiox/mcp/http/host-policy'
import type { HttpListener } from '@scorpiox/mcp/http/http-server'
import type { Log } from '@scorpiox/mcp/log'
import type { McpServer } from '@scorpiox/mcp/server/mcp-server'
import type { Config } from '@scorpiox/server/config/load-config'
import type { Membership } from '@scorpiox/server/machines/membership'
import type { WorkspaceRoot } from '@scorpiox/server/config/workspace-root'
import { runStartupTasks } from '@scorpiox/server/features/shell/lazy'
import { type CommandSandbox, createCommandSandbox, NO_SANDBOX } from '@scorpiox/server/sandbox/command-sandbox'
import { type SandboxLevel, UnsafeSandboxFailure } from '@scorpiox/server/sandbox/sandbox-level'
import { UsageError } from '@scorpiox/server/terminal/terminal'
import { type ConsoleFor, consolesOfProject } from '../http/console-endpoint.js'
import type { CommandDeps } from './commands.js'

export interface ServedProjects {
  readonly server: McpServer
  readonly serverFor?: (principal: Principal) => McpServer | Refusal
  readonly consoleFor: ConsoleFor
  readonly level: SandboxLevel
  /** Ends the background jobs of these users. */
  readonly endJobs: (users: readonly string[]) => Promise<void>
  /** Begins what waits for the open port. */
  start(listener: HttpListener): void
  close(): Promise<void>
  /** Removes what the sandbox has put into the project. Also called if the server could not start. */
  closeSandbox(): Promise<void>
}

export interface ServedProjectsDeps {
  readonly config: Config
  readonly log: Log
  readonly exposure: HttpExposure
  /** Whether authentication is off. */
  readonly isOpen: boolean
  /** Undefined if all callers have one project. */
  readonly workspaceRoot: WorkspaceRoot | undefined
  readonly createServer: CommandDeps['createHttpServer']
  /** Set if the server is one of several machines. */
  readonly membership: Membership | undefined
}

export function openServedProjects(deps: ServedProjectsDeps): Promise<ServedProjects> {
  return deps.workspaceRoot ? openSeparateWorkspaces(deps, deps.workspaceRoot) : openCommonProject(deps)
}

/** One project for all callers. */
async function openCommonProject(deps: ServedProjectsDeps): Promise<ServedProjects> {
  const { config, log, exposure, isOpen, createServer, membership } = deps
  const commandSandbox = await createHttpSandbox(config, exposure, log)
  const { level } = commandSandbox
  const { server, openConsoles, endJobs } = createServer(commandSandbox, toolsWithoutAuth(isOpen, level), membership)
  const consoles = await openConsoles()
  return {
    server,
    consoleFor: consolesOfProject(consoles),
    level,
    endJobs,
    start: () => void runStartupTasks(config, log, commandSandbox),
    close: () => consoles.close(),
    closeSandbox: () => commandSandbox.close(),
  }
}

/** A project for each user, or each tenant, by WORKSPACE_ROOT. */
async function openSeparateWorkspaces(deps: ServedProjectsDeps, root: WorkspaceRoot): Promise<ServedProjects> {
  const { config, log, exposure, isOpen, createServer, membership } = deps
  const { openWorkspaces, verifyWorkspaceSandbox } = await import('../workspaces/workspaces.js')
  const { SANDBOX: setting } = config.settings
  if (exposure.isSandboxDisabled || setting === 'off')
    throw new UsageError('WORKSPACE_ROOT keeps users apart with the sandbox: remove --no-sandbox, or SANDBOX=off')
  const level = setting === 'auto' ? 'workspace' : setting
  try {
    await verifyWorkspaceSandbox(root, config, level)
  } catch (error) {
    throw error instanceof Failure
      ? new UsageError(`WORKSPACE_ROOT keeps users apart with the sandbox. ${error.message}`)
      : error
  }
  const disabledTools = toolsWithoutAuth(isOpen, level)
  const workspaces = openWorkspaces({ root, config, log, level, disabledTools, createServer, membership })
  return {
    ...workspaces,
    level,
    start: (listener) => workspaces.watchIdle(() => listener.serversInUse()),
    close: () => Promise.resolve(),
    // Each workspace closes its own.
    closeSandbox: () => Promise.resolve(),
  }
}

/**
 * Tools that are off because authentication is: a command in plan mode could end it as any other caller can, unless
 * commands have no network.
 */
function toolsWithoutAuth(isOpen: boolean, level: SandboxLevel): ReadonlyMap<string, string> {
  const reason =
    'PlanMode is not available without authentication (--no-auth), because a command could end it over the network: ' +
    'start the server with a token, or with SANDBOX=strict'
  return new Map(isOpen && level !== 'strict' ? [['PlanMode', reason]] : [])
}

export interface HttpExposure {
  readonly host: string
  readonly isLoopback: boolean
  /** Whether --no-sandbox was given. */
  readonly isSandboxDisabled: boolean
}

/**
 * Chooses the sandbox for commands of HTTP callers. On loopback the sandbox is used if it is available; on other
 * addresses it is required, unless --no-sandbox disables it.
 */
async function createHttpSandbox(config: Config, exposure: HttpExposure, log: Log): Promise<CommandSandbox> {
  const { SANDBOX: setting } = config.settings
  const { host, isLoopback: isLocal, isSandboxDisabled } = exposure
  const advice = 'Add --no-sandbox to let callers do everything that you can do'
  if (isSandboxDisabled || (setting === 'off' && isLocal)) return NO_SANDBOX
  if (setting === 'off') throw new UsageError(`${host} is reachable from outside, and SANDBOX is off. ${advice}`)
  const commandSandbox = createCommandSandbox(config, setting === 'auto' ? 'workspace' : setting)
  try {
    await commandSandbox.verify()
    return commandSandbox
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (!isLocal) throw new UsageError(`${host} is reachable from outside. ${error.message} ${advice}`)
    if (error instanceof UnsafeSandboxFailure) throw new UsageError(`${error.message} ${advice}`)
    if (setting !== 'auto') throw error
    log.warn(`commands run without a sandbox: ${error.message}`)
    return NO_SANDBOX
  }
}
