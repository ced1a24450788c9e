// Opens the projects that `serve --http` serves: one for all callers, or a workspace for each user by WORKSPACE_ROOT;
// and the sandbox of their commands. Beyond loopback the sandbox is verified before the port is opened; on loopback
// after the first requests, and before the first command. Used by serve-http.ts. Creates the MCP servers and consoles,
// runs a command to verify the sandbox, and starts the startup tasks. Sets a timer.

import { setTimeout as sleep } from 'node:timers/promises'

import { Failure } from '@scorpiox/mcp/errors'
import type { Principal } from '@scorpiox/mcp/http/authenticator'
import type { Refusal } from '@scorpiox/mcp/http/host-policy'
import type { HttpListener } from '@scorpiox/mcp/http/http-server'
import type { Log } from '@scorpiox/mcp/log'
import type { McpServer } from '@scorpiox/mcp/server/mcp-server'
import type { Config } from '@scorpiox/server/config/load-config'
import type { Membership } from '@scorpiox/server/machines/membership'
import type { WorkspaceRoot } from '@scorpiox/server/config/workspace-root'
import { loadStartupTasks } from '@scorpiox/server/features/shell/index'
import type { CommandSandbox } from '@scorpiox/server/sandbox/command-sandbox'
import type { SandboxLevel } from '@scorpiox/server/sandbox/sandbox-level'
import { UsageError } from '@scorpiox/server/terminal/terminal'
import { createLazyResource } from '@scorpiox/server/async/timeouts'
import { type ConsoleFor, consolesOfProject } from '../http/console-endpoint.js'
import type { CommandDeps } from './commands.js'

export interface ServedProjects {
  readonly server: McpServer
  readonly serverFor?: (principal: Principal) => McpServer | Refusal
  readonly consoleFor: ConsoleFor
  /** Ends the background jobs of these users. */
  readonly endJobs: (users: readonly string[]) => Promise<void>
  /**
   * Begins what waits for the open port. Resolves to the level of the sandbox; rejects if the sandbox that is required
   * does not work, and then no command runs.
   */
  start(listener: HttpListener): Promise<SandboxLevel>
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

/** A client that waits for the port, or for the address, is answered before the rest is loaded. */
const FIRST_REQUEST_MS = 20

/** One project for all callers. */
async function openCommonProject(deps: ServedProjectsDeps): Promise<ServedProjects> {
  const { config, log, exposure, isOpen, createServer, membership } = deps
  checkSandboxSetting(config, exposure)
  // The first command opens it too, and waits for it.
  const commandSandbox = createLazyResource(() => openHttpSandbox(config, exposure, log))
  if (!exposure.isLoopback) await commandSandbox.open()
  const disabledTools = toolsWithoutAuth(isOpen, requestedLevel(config, exposure))
  const { server, callbacks, ...served } = createServer(commandSandbox.open, disabledTools, membership)
  const consoles = createLazyResource(served.openConsoles)
  return {
    server,
    consoleFor: async (principal) => consolesOfProject(await consoles.open())(principal),
    endJobs: served.endJobs,
    async start() {
      if (exposure.isLoopback) await sleep(FIRST_REQUEST_MS)
      const sandbox = await commandSandbox.open()
      // A server that is stopping already needs no console.
      consoles.open().catch((error: unknown) => error instanceof Failure || server.logError(error))
      void callbacks.adoptOrphans()
      void loadStartupTasks().then(({ runStartupTasks }) => runStartupTasks(config, log, sandbox))
      return sandbox.level
    },
    close: async () => (await consoles.current())?.close(),
    closeSandbox: async () => (await commandSandbox.current())?.close(),
  }
}

/** A project for each user, or each tenant, by WORKSPACE_ROOT. */
async function openSeparateWorkspaces(deps: ServedProjectsDeps, root: WorkspaceRoot): Promise<ServedProjects> {
  const { config, log, exposure, isOpen, createServer, membership } = deps
  const { openWorkspaces, verifyWorkspaceSandbox } = await import('../workspaces/workspaces.js')
  const { SANDBOX: setting } = config.settings
  if (exposure.isSandboxDisabled || setting === 'off')
    throw new UsageError('WORKSPACE_ROOT separates users with the sandbox: remove --no-sandbox, or SANDBOX=off')
  const level = setting === 'auto' ? 'workspace' : setting
  try {
    await verifyWorkspaceSandbox(root, config, level)
  } catch (error) {
    throw error instanceof Failure
      ? new UsageError(`WORKSPACE_ROOT separates users with the sandbox. ${error.message}`)
      : error
  }
  const disabledTools = toolsWithoutAuth(isOpen, level)
  const workspaces = openWorkspaces({ root, config, log, level, disabledTools, createServer, membership })
  return {
    ...workspaces,
    start(listener) {
      workspaces.watchIdle(() => listener.serversInUse())
      return Promise.resolve(level)
    },
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

const ADVICE = 'Add --no-sandbox to let callers do everything that you can do'

/** Callers from outside get a sandbox, unless --no-sandbox disables it. */
function checkSandboxSetting({ settings }: Config, { host, isLoopback, isSandboxDisabled }: HttpExposure): void {
  if (settings.SANDBOX !== 'off' || isSandboxDisabled || isLoopback) return
  throw new UsageError(`${host} is reachable from outside, and SANDBOX is off. ${ADVICE}`)
}

/** The level if the sandbox works. */
function requestedLevel({ settings }: Config, { isSandboxDisabled }: HttpExposure): SandboxLevel {
  if (isSandboxDisabled) return 'off'
  return settings.SANDBOX === 'auto' ? 'workspace' : settings.SANDBOX
}

/**
 * Opens and verifies the sandbox for commands of HTTP callers. On loopback it is used if it is available; on other
 * addresses it is required.
 */
async function openHttpSandbox(config: Config, exposure: HttpExposure, log: Log): Promise<CommandSandbox> {
  const [{ createCommandSandbox, NO_SANDBOX }, { UnsafeSandboxFailure }] = await Promise.all([
    import('@scorpiox/server/sandbox/command-sandbox'),
    import('@scorpiox/server/sandbox/sandbox-level'),
  ])
  const { host, isLoopback } = exposure
  const commandSandbox = createCommandSandbox(config, requestedLevel(config, exposure))
  try {
    await commandSandbox.verify()
    return commandSandbox
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (!isLoopback) throw new UsageError(`${host} is reachable from outside. ${error.message} ${ADVICE}`)
    if (error instanceof UnsafeSandboxFailure) throw new UsageError(`${error.message} ${ADVICE}`)
    if (config.settings.SANDBOX !== 'auto') throw error
    log.warn(`commands run without a sandbox: ${error.message}`)
    return NO_SANDBOX
  }
}
