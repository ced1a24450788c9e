// Creates the MCP server of the program: the enabled tools, resources and prompts, over its services. Used by main.ts,
// for stdio and for the commands (`serve`, `call`, `tools`). Opens no transport.

import { join } from 'node:path'

import type { UserConsoles } from '@scorpiox/console/user-consoles'
import type { RequestStateSealer } from '@scorpiox/mcp/client-requests/request-state'
import type { ToolDefinition } from '@scorpiox/mcp/definitions/tool'
import { formatErrorStack } from '@scorpiox/mcp/log'
import { createMcpServer, type McpServer } from '@scorpiox/mcp/server/mcp-server'
import { loadOnce } from '@scorpiox/mcp/promises'
import type { Config } from '@scorpiox/server/config/load-config'
import { toolOptionName } from '@scorpiox/server/config/options'
import { findProjectRoot, getStateDir } from '@scorpiox/server/config/paths'
import type { DeferredCallbacks } from '@scorpiox/server/features/callbacks/index'
import { buildInstructions } from '@scorpiox/server/instructions'
import type { Membership } from '@scorpiox/server/machines/membership'
import { canMakeTerminals } from '@scorpiox/server/process/terminal-support'
import type { CommandSandbox } from '@scorpiox/server/sandbox/command-sandbox'
import { RESOURCE_TEMPLATES, RESOURCES, TOOLS, VIEW_TOOLS } from '@scorpiox/server/tool-list'
import { VERSION } from '@scorpiox/server/config/version'
import { createAppServices, type CreateServerDeps } from './services.js'

export interface ServerWithServices {
  readonly server: McpServer
  readonly callbacks: DeferredCallbacks
  /** Whether a client has asked for a list; true if that is unknown. */
  readonly hasListed: () => boolean
  /** Opens the consoles, one for each user. */
  readonly openConsoles: () => Promise<UserConsoles>
  /** Whether a job runs, or callbacks or messages wait. */
  readonly hasWork: () => Promise<boolean>
  /** Ends the background jobs of these users. */
  readonly endJobs: (users: readonly string[]) => Promise<void>
}

export function createScorpioxServer(deps: CreateServerDeps): ServerWithServices {
  const { config, log, membership } = deps
  const { settings } = config
  const tools = TOOLS.map(({ name }) => name)
  const disabledTools = new Map([...(deps.disabledTools ?? []), ...findDisabledTools(config, tools)])
  const appServices = createAppServices({ ...deps, tools, disabledTools })
  const { services, changeEvents, skills, scripts, callbacks, callLog, openConsoles, hasWork, endJobs } = appServices
  const isEnabled = ({ name }: ToolDefinition): boolean => !disabledTools.has(name)
  const enabledTools = (deps.definitions ?? TOOLS).filter(isEnabled)
  const definitions = {
    tools: [...enabledTools, ...VIEW_TOOLS.flatMap(({ tool, resource }) => (isEnabled(tool) ? [resource] : []))],
    resources: RESOURCES.flatMap(({ tool, resource }) => (isEnabled(tool) ? [resource] : [])),
    templates: RESOURCE_TEMPLATES.flatMap(({ tool, resource }) => (isEnabled(tool) ? [resource] : [])),
  }
  const withSkills = disabledTools.has('InvokeSkill') ? definitions : skills.addTo(definitions)
  const server = createMcpServer({
    name: 'scorpiox-code',
    version: VERSION,
    instructions: buildInstructions(
      enabledTools.map(({ name }) => name),
      { hasSandbox: process.platform !== 'win32', hasTerminals: canMakeTerminals() },
    ),
    newlineAfterText: true,
    suggestedModel: settings.MODEL,
    changeEvents,
    taskHandleStore: async () => {
      if (membership) {
        const { openSharedTaskHandles } = await import('@scorpiox/server/machines/shared-task-handles')
        return openSharedTaskHandles(membership, findProjectRoot(config.cwd))
      }
      const { openTaskHandleFolder } = await import('@scorpiox/mcp/protocol-tasks/task-handle-files')
      return openTaskHandleFolder(join(getStateDir(settings), 'tickets'))
    },
    requestStates: membership && (() => openRequestStates(membership, config)),
    ...(scripts ? scripts.addTo(withSkills) : withSkills),
    disabledTools,
    logError: (error) => log.error(formatErrorStack(error)),
    logging: true,
    channelPush: settings.CLAUDE_CHANNEL ? 'all' : 'asked',
    observer: callLog,
    services,
  })
  appServices.attachServer(server)
  callbacks.onAttach((messageQueue) => (server.messageQueue = messageQueue))
  const hasListed = (): boolean => disabledTools.has('InvokeSkill') || skills.isOpen()
  return { server, callbacks, hasListed, openConsoles, hasWork, endJobs }
}

async function openRequestStates(membership: Membership, { cwd }: Config): Promise<RequestStateSealer> {
  const [{ createSharedRequestStateSealer }, { openSharedRequestStates }] = await Promise.all([
    import('@scorpiox/mcp/client-requests/shared-request-state'),
    import('@scorpiox/server/machines/shared-request-states'),
  ])
  return createSharedRequestStateSealer(openSharedRequestStates(membership, findProjectRoot(cwd)))
}

/** Opens the command sandbox on first use: a server that runs no commands does not need it. */
export function createLazyCommandSandbox(config: Config): () => Promise<CommandSandbox> {
  return loadOnce(async () => (await import('@scorpiox/server/sandbox/command-sandbox')).createStdioSandbox(config))
}

/** The tools that the settings disable, each with the error text for its calls. */
function findDisabledTools({ effective }: Config, tools: readonly string[]): ReadonlyMap<string, string> {
  const describeIfOff = (key: string): string | undefined => {
    const setting = effective.get(key)
    return setting?.value === false ? `${key}=0 (set by ${setting.source})` : undefined
  }
  return new Map(
    tools.flatMap((tool): [string, string][] => {
      const setting = describeIfOff('TOOLS') ?? describeIfOff(toolOptionName(tool))
      return setting === undefined ? [] : [[tool, `${tool} is disabled by the setting ${setting}`]]
    }),
  )
}
