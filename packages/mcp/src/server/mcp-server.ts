// A server independent of any client: its identity, registries, services and capabilities. Created once, by the program
// or by the library, and shared by all sessions and transports. Parts that few clients need (sealed states, task
// handles) are loaded on demand. Opens nothing by itself.

import type { AskServer } from '../client-requests/ask-client.js'
import type { RequestStateSealer } from '../client-requests/request-state.js'
import type { CallObserver } from '../definitions/call-observer.js'
import { type ChangeEvents, createChangeEvents } from '../definitions/change-events.js'
import { checkIcons } from '../definitions/icon.js'
import type { MessageQueue } from '../definitions/message-queue.js'
import type { Middleware } from '../definitions/middleware.js'
import type { PromptDefinition } from '../definitions/prompt.js'
import type { ResourceDefinition, ResourceTemplateDefinition } from '../definitions/resource.js'
import type { SkillDefinition } from '../definitions/skill.js'
import type { ToolDefinition } from '../definitions/tool.js'
import type { TaskHandleStore } from '../protocol-tasks/task-handle-store.js'
import type { TaskHandles } from '../protocol-tasks/task-handles.js'
import { createResourceRegistry, type ResourceRegistry } from '../registry/resource-registry.js'
import { createSkillRegistry, type SkillRegistry } from '../registry/skill-registry.js'
import { createToolRegistry, DEFAULT_PAGE_SIZE, type ToolRegistry } from '../registry/tool-registry.js'
import { formatServerInfo } from '../revisions/modern-request.js'
import type { ServerIdentity } from '../revisions/projection.js'
import { loadOnce } from '../promises.js'
import type { ServiceTable } from './service-table.js'

/** A list, or a function that returns the current list after each change. */
export type ListSource<T> = readonly T[] | (() => readonly T[])

export interface ServerDefinition extends ServerIdentity {
  readonly instructions?: string
  readonly tools?: ListSource<ToolDefinition>
  readonly resources?: ListSource<ResourceDefinition>
  readonly templates?: ListSource<ResourceTemplateDefinition>
  readonly prompts?: ListSource<PromptDefinition>
  /** For hosts with the Skills extension; the skills' files must be among the resources. */
  readonly skills?: ListSource<SkillDefinition>
  /** Called before a list is read, to bring it up to date. Lists read before the first call are read again. */
  readonly refreshLists?: () => Promise<void> | undefined
  readonly services?: ServiceTable
  /** The change events that the services publish to. */
  readonly changeEvents?: ChangeEvents
  /** Tools that exist but are disabled, with the reason that callers receive. */
  readonly disabledTools?: ReadonlyMap<string, string>
  /** The model to suggest in sampling requests. */
  readonly suggestedModel?: string
  /** Declares the logging capability; without it `call.log` does nothing. */
  readonly logging?: boolean
  /** Number of list entries per page. */
  readonly pageSize?: number
  /** Where task handles are stored. Default: in memory. */
  readonly taskHandleStore?: () => TaskHandleStore | Promise<TaskHandleStore>
  /** Seals request states. Default: with a key that is valid for this process. */
  readonly requestStates?: (() => Promise<RequestStateSealer>) | undefined
  /** Pending messages, put in front of the next result of their session. */
  readonly messageQueue?: MessageQueue
  /** Runs around the calls of tools, resources and prompts; the first is the outermost. */
  readonly middleware?: readonly Middleware<unknown>[]
  /** Called for every tool call. */
  readonly observer?: CallObserver
  /** Pushes messages to clients that declared the channel, or to all clients. Default: none. */
  readonly channelPush?: 'asked' | 'all'
  /** Ends each text block of a result with a newline, because some clients join blocks without a separator. */
  readonly newlineAfterText?: boolean
  /** Receives unexpected errors; the client only learns that there was one. */
  readonly logError?: (error: unknown) => void
}

export interface McpServer extends AskServer {
  readonly identity: ServerIdentity
  /** The server info member of each modern result, as JSON text, without icons: only `server/discover` has them. */
  readonly serverInfoJson: string
  readonly instructions: string | undefined
  readonly toolRegistry: ToolRegistry
  readonly resourceRegistry: ResourceRegistry
  readonly skillRegistry: SkillRegistry
  readonly hasTools: boolean
  readonly hasSkills: boolean
  /** Number of list entries per page. */
  readonly pageSize: number
  /** Which lists may change while the server runs. */
  readonly dynamicLists: { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean }
  readonly services: ServiceTable
  readonly changeEvents: ChangeEvents
  readonly disabledTools: ReadonlyMap<string, string>
  readonly suggestedModel: string
  readonly logging: boolean
  /** Set when there can be pending messages, perhaps long after the start. */
  messageQueue: MessageQueue | undefined
  readonly observer: CallObserver | undefined
  /** Undefined if there is none. */
  readonly middleware: readonly Middleware<unknown>[] | undefined
  readonly channelPush: 'asked' | 'all' | undefined
  readonly newlineAfterText: boolean
  /** Whether any tool supports task handles. */
  readonly supportsTasks: boolean
  /** Brings the lists up to date; returns undefined if there is nothing to wait for. */
  refreshLists(): Promise<void> | undefined
  /** Refreshes the lists after pending answers were sent: a client that initializes will request lists next. */
  scheduleRefresh(): void
  requestStates(): Promise<RequestStateSealer>
  taskHandles(): Promise<TaskHandles>
  /** Whether a call of this user goes on as a task. */
  hasRunningTasks(user: string): boolean
  logError(error: unknown): void
  /** Closes its services. Called by the creator of the server after the last session. */
  close(): Promise<void>
}

export function createMcpServer(definition: ServerDefinition): McpServer {
  const { name, version, title, icons, instructions, services = NO_SERVICES, logError, middleware } = definition
  const {
    tools = [],
    resources = [],
    templates = [],
    prompts = [],
    skills = [],
    pageSize = DEFAULT_PAGE_SIZE,
  } = definition
  if (!name || !version) throw new Error('a server needs a name and a version')
  if (!Number.isInteger(pageSize) || pageSize < 1) throw new Error(`pageSize must be at least 1, not ${pageSize}`)
  const changeEvents = definition.changeEvents ?? createChangeEvents()
  checkIcons(name, icons)
  const identity = { name, version, title, icons }

  const createTools = (): ToolRegistry =>
    createToolRegistry(checkDefinitions('tool', resolveList(tools), services), pageSize)
  const createResources = (): ResourceRegistry => {
    const lists = {
      resources: resolveList(resources),
      templates: resolveList(templates),
      prompts: resolveList(prompts),
    }
    return createResourceRegistry({
      resources: checkDefinitions('resource', lists.resources, services),
      templates: checkDefinitions('template', lists.templates, services),
      prompts: checkDefinitions('prompt', lists.prompts, services),
    })
  }
  const createSkills = (): SkillRegistry =>
    createSkillRegistry(checkDefinitions('skill', resolveList(skills), services))
  // Lists that are refreshed on demand are read when needed; others at once, so that mistakes in them show at once.
  const readUnlessDeferred = <T>(read: () => T): T | undefined => (definition.refreshLists ? undefined : read())
  let toolRegistry = readUnlessDeferred(createTools)
  let resourceRegistry = readUnlessDeferred(createResources)
  let skillRegistry = readUnlessDeferred(createSkills)
  let supportsTasks = resolveList(tools).some(supportsTaskHandles)
  // The first subscriber, so that later subscribers see the updated registries.
  changeEvents.subscribe(({ kind }) => {
    if (kind === 'tools') {
      toolRegistry = readUnlessDeferred(createTools)
      // Stays true once set: existing task handles can still be queried.
      supportsTasks ||= resolveList(tools).some(supportsTaskHandles)
    }
    if (kind === 'resources' || kind === 'prompts') resourceRegistry = readUnlessDeferred(createResources)
    if (kind === 'resources') skillRegistry = readUnlessDeferred(createSkills)
  })

  let isRefreshed = definition.refreshLists === undefined
  const dropUnrefreshedLists = (): undefined => {
    if (!isRefreshed) toolRegistry = resourceRegistry = skillRegistry = undefined
    isRefreshed = true
  }

  const refreshLists = (): Promise<void> | undefined => {
    const refreshing = definition.refreshLists?.()
    return refreshing ? refreshing.then(dropUnrefreshedLists) : dropUnrefreshedLists()
  }

  let openingHandles: Promise<TaskHandles> | undefined
  let openHandles: TaskHandles | undefined
  return {
    identity,
    serverInfoJson: formatServerInfo({ ...identity, icons: undefined }),
    instructions,
    get toolRegistry() {
      return (toolRegistry ??= createTools())
    },
    get resourceRegistry() {
      return (resourceRegistry ??= createResources())
    },
    get skillRegistry() {
      return (skillRegistry ??= createSkills())
    },
    hasTools: definition.tools !== undefined,
    hasSkills: definition.skills !== undefined,
    pageSize,
    dynamicLists: {
      tools: typeof tools === 'function',
      resources: typeof resources === 'function' || typeof templates === 'function',
      prompts: typeof prompts === 'function',
    },
    services,
    changeEvents,
    disabledTools: definition.disabledTools ?? new Map(),
    suggestedModel: definition.suggestedModel ?? '',
    logging: definition.logging ?? false,
    messageQueue: definition.messageQueue,
    observer: definition.observer,
    middleware: middleware?.length ? middleware : undefined,
    channelPush: definition.channelPush,
    newlineAfterText: definition.newlineAfterText ?? false,
    get supportsTasks() {
      return supportsTasks
    },
    refreshLists,
    scheduleRefresh() {
      if (definition.refreshLists && !isRefreshed) setImmediate(() => void runInBackground(refreshLists, logError))
    },
    requestStates: loadOnce(
      definition.requestStates ??
        (async () => (await import('../client-requests/request-state.js')).createRequestStateSealer()),
    ),
    taskHandles: loadOnce(async () => {
      openingHandles = openTaskHandles(definition.taskHandleStore, changeEvents)
      return (openHandles = await openingHandles)
    }),
    hasRunningTasks: (user) => openHandles?.isWorkingFor(user) ?? false,
    logError: (error) => safeLog(logError, error),
    async close() {
      // A failure to open was reported to the call that needed the handles.
      const handles = await openingHandles?.catch(() => undefined)
      await handles?.close().catch((error: unknown) => safeLog(logError, error))
      await services.close().catch((error: unknown) => safeLog(logError, error))
    },
  }
}

function supportsTaskHandles({ taskSupport: supportsTasks }: ToolDefinition): boolean {
  return supportsTasks !== undefined
}

function resolveList<T>(source: ListSource<T>): readonly T[] {
  return typeof source === 'function' ? source() : source
}

function checkDefinitions<
  T extends ToolDefinition | ResourceDefinition | ResourceTemplateDefinition | PromptDefinition | SkillDefinition,
>(kind: string, items: readonly T[], services: ServiceTable): readonly T[] {
  for (const item of items) {
    const { name, services: required = [] } = item
    if ('icons' in item) checkIcons(`${kind} ${name}`, item.icons)
    const missingService = required.find((service) => !services.names.has(service))
    if (missingService !== undefined)
      throw new Error(`${kind} ${name} needs the service ${missingService}, which this server lacks`)
  }
  return items
}

async function openTaskHandles(
  open: ServerDefinition['taskHandleStore'],
  changeEvents: ChangeEvents,
): Promise<TaskHandles> {
  const [{ createTaskHandles }, { createInMemoryTaskHandleStore }] = await Promise.all([
    import('../protocol-tasks/task-handles.js'),
    import('../protocol-tasks/task-handle-store.js'),
  ])
  return createTaskHandles(open ? await open() : createInMemoryTaskHandleStore(), changeEvents)
}

/** Errors are logged only: the same error will be reported to the request that needs the lists. */
async function runInBackground(
  work: () => Promise<void> | undefined,
  logError: ServerDefinition['logError'],
): Promise<void> {
  try {
    await work()
  } catch (error) {
    safeLog(logError, error)
  }
}

/** A failing log must not prevent the answer. */
function safeLog(logError: ServerDefinition['logError'], error: unknown): void {
  try {
    logError?.(error)
  } catch {
    // The error cannot be reported anywhere else.
  }
}

const NO_SERVICES: ServiceTable = { names: new Set(), open: () => ({}), close: () => Promise.resolve() }
