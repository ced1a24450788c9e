// The workspaces of WORKSPACE_ROOT: each user, or each tenant, has a directory and in it a server with its own sandbox,
// jobs, skills and console. A workspace is opened by the first request and closed after an hour without one. Used by
// served-projects.ts. Creates directories, opens servers, and checks on a timer for idle workspaces.

import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import type { UserConsoles } from '@scorpiox/console/user-consoles'
import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import type { Principal } from '@scorpiox/mcp/http/authenticator'
import type { Refusal } from '@scorpiox/mcp/http/host-policy'
import type { Log } from '@scorpiox/mcp/log'
import type { McpServer } from '@scorpiox/mcp/server/mcp-server'
import { loadOnce } from '@scorpiox/mcp/promises'
import type { Config } from '@scorpiox/server/config/load-config'
import { expandPath, pinProjectRoot, splitPathList } from '@scorpiox/server/config/paths'
import { openWorkspaceDirectory, openWorkspaceFolder, type WorkspaceRoot } from '@scorpiox/server/config/workspace-root'
import { loadStartupTasks } from '@scorpiox/server/features/shell/index'
import type { Membership } from '@scorpiox/server/machines/membership'
import { type CommandSandbox, createCommandSandbox } from '@scorpiox/server/sandbox/command-sandbox'
import type { ActiveSandboxLevel } from '@scorpiox/server/sandbox/sandbox-level'
import type { ServerWithServices } from '../create-server.js'
import type { ConsoleFor } from '../http/console-endpoint.js'
import { inWorkspaces } from './workspace-membership.js'
import { type HttpWorkspace, openSharedServices, type OwnedSharedServices } from './shared-services.js'

/** Open at the same time in one process. */
const MAX_WORKSPACES = 1000
/** As long as a session of a client lives without a request. */
const IDLE_MS = 60 * 60 * 1000
const CHECK_INTERVAL_MS = 60_000
/** No name of a user begins with it. */
const TEST_PREFIX = '+test-'

export interface Workspaces {
  /** For the routes that belong to no workspace. */
  readonly server: McpServer
  readonly serverFor: (principal: Principal) => McpServer | Refusal
  readonly consoleFor: ConsoleFor
  /** Ends the background jobs of these users. */
  readonly endJobs: (users: readonly string[]) => Promise<void>
  /** Closes workspaces without work that were not used for long. */
  closeIdle(inUse: ReadonlySet<McpServer>): Promise<void>
  /** Begins to close idle ones from time to time. */
  watchIdle(serversInUse: () => ReadonlySet<McpServer>): void
}

export interface WorkspacesDeps {
  readonly root: WorkspaceRoot
  readonly config: Config
  readonly log: Log
  readonly level: ActiveSandboxLevel
  readonly disabledTools: ReadonlyMap<string, string>
  readonly createServer: CreateWorkspaceServer
  /** Set if the server is one of several machines. */
  readonly membership: Membership | undefined
}

type CreateWorkspaceServer = (
  commandSandbox: () => Promise<CommandSandbox>,
  disabledTools: ReadonlyMap<string, string>,
  membership: Membership | undefined,
  workspace: HttpWorkspace,
) => ServerWithServices

interface Workspace extends ServerWithServices {
  readonly consoles: () => Promise<UserConsoles>
  lastUsedAt: number
  close(): Promise<void>
}

/** Tests the sandbox in a new directory of the folder; rejects with a Failure that names what is missing. */
export async function verifyWorkspaceSandbox(
  root: WorkspaceRoot,
  config: Config,
  level: ActiveSandboxLevel,
): Promise<void> {
  const directory = mkdtempSync(join(openWorkspaceFolder(root), TEST_PREFIX))
  const sandbox = createCommandSandbox(configOfWorkspace(config, directory), level)
  try {
    await sandbox.verify()
  } finally {
    await sandbox.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

export function openWorkspaces(deps: WorkspacesDeps): Workspaces {
  const { root, config, log, membership } = deps
  const folder = openWorkspaceFolder(root)
  const shared = openSharedServices(config, log, membership && inWorkspaces(membership, root))
  const workspaces = new Map<string, Workspace>()
  const base = openServer(deps, { config, shared })
  let timer: NodeJS.Timeout | undefined

  function nameOf({ user, tenant }: Principal): string | undefined {
    return root.of === 'user' ? user : tenant
  }

  function find(name: string): Workspace | Refusal {
    const known = workspaces.get(name)
    if (known) return known
    if (workspaces.size >= MAX_WORKSPACES) return TOO_MANY
    try {
      const opened = openWorkspace(deps, shared, openWorkspaceDirectory(folder, name))
      workspaces.set(name, opened)
      return opened
    } catch (error) {
      log.warn(`a workspace cannot be opened: ${errorMessage(error)}`)
      return { status: 503, reason: error instanceof Failure ? error.message : 'The workspace cannot be opened' }
    }
  }

  function workspaceFor(principal: Principal): Workspace | Refusal {
    const name = nameOf(principal)
    if (name === undefined) return NO_TENANT
    const workspace = find(name)
    if ('server' in workspace) workspace.lastUsedAt = performance.now()
    return workspace
  }

  async function closeIdle(inUse: ReadonlySet<McpServer>): Promise<void> {
    const idleSince = performance.now() - IDLE_MS
    for (const [name, workspace] of workspaces) {
      const isIdle = workspace.lastUsedAt < idleSince && !inUse.has(workspace.server)
      // Asked last, and nothing may have changed meanwhile.
      if (!isIdle || (await workspace.hasWork()) || workspace.lastUsedAt >= idleSince) continue
      workspaces.delete(name)
      await workspace.close()
    }
  }

  async function closeAll(): Promise<void> {
    clearInterval(timer)
    await Promise.all(Array.from(workspaces.values(), (workspace) => workspace.close()))
    await base.server.close()
    await shared.close()
  }

  return {
    server: {
      ...base.server,
      hasRunningTasks: (user) => [...workspaces.values()].some(({ server }) => server.hasRunningTasks(user)),
      close: closeAll,
    },
    serverFor(principal) {
      const workspace = workspaceFor(principal)
      return 'server' in workspace ? workspace.server : workspace
    },
    async consoleFor(principal) {
      const workspace = workspaceFor(principal)
      if (!('server' in workspace)) throw new Failure(workspace.reason)
      return (await workspace.consoles()).forUser(principal.user, false)
    },
    async endJobs(users) {
      await Promise.all(Array.from(workspaces.values(), (workspace) => workspace.endJobs(users)))
    },
    closeIdle,
    watchIdle(serversInUse) {
      const check = (): void => {
        closeIdle(serversInUse()).catch((error: unknown) => log.warn(`closing workspaces: ${errorMessage(error)}`))
      }
      timer = setInterval(check, CHECK_INTERVAL_MS).unref()
    },
  }
}

const TOO_MANY: Refusal = {
  status: 503,
  reason: `${MAX_WORKSPACES} workspaces are open in this server, which is the limit; nothing was done, try again later`,
  headers: { 'retry-after': '60' },
}

const NO_TENANT: Refusal = {
  status: 403,
  reason: 'This server has a workspace for each tenant; use an OAuth access token with the claim that names the tenant',
}

/** The server of the directory. Processes that a crashed server left there are ended first. */
function openWorkspace(deps: WorkspacesDeps, shared: OwnedSharedServices, directory: string): Workspace {
  const { log, level } = deps
  const unpin = pinProjectRoot(directory)
  const config = configOfWorkspace(deps.config, directory)
  const sandbox = createCommandSandbox(config, level)
  const served = openServer({ ...deps, sandbox }, { config, shared })
  const consoles = loadOnce(served.openConsoles)
  let openedConsoles: Promise<UserConsoles> | undefined
  void loadStartupTasks().then(({ runStartupTasks }) => runStartupTasks(config, log, sandbox))
  return {
    ...served,
    lastUsedAt: performance.now(),
    consoles: () => (openedConsoles = consoles()),
    async close() {
      await (await openedConsoles?.catch(() => undefined))?.close()
      await served.server.close()
      await sandbox.close()
      unpin()
    },
  }
}

function openServer(
  {
    createServer,
    level,
    disabledTools,
    config,
    sandbox,
    ...deps
  }: WorkspacesDeps & { readonly sandbox?: CommandSandbox },
  workspace: HttpWorkspace,
): ServerWithServices {
  const membership = deps.membership && inWorkspaces(deps.membership, deps.root, workspace.config.cwd)
  const commandSandbox = sandbox ?? createCommandSandbox(config, level)
  const served = createServer(() => Promise.resolve(commandSandbox), disabledTools, membership, workspace)
  void served.callbacks.adoptOrphans()
  return served
}

/** Relative paths of the settings keep their meaning, and the session folder of a parent process is that of one user. */
function configOfWorkspace(config: Config, directory: string): Config {
  const { settings } = config
  return {
    ...config,
    cwd: directory,
    sessionDir: '',
    settings: {
      ...settings,
      SCRIPT_TOOLS: settings.SCRIPT_TOOLS === '' ? '' : expandPath(settings.SCRIPT_TOOLS, config),
      ADDITIONAL_SKILLS: splitPathList(settings.ADDITIONAL_SKILLS, config).join(','),
    },
  }
}
