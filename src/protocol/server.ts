// A server independent of any client: its identity, registries, services and capabilities. Created once and shared by
// all sessions. Parts that few clients need (sealed states, task handles) are loaded on demand.

import type { Mail } from '../services/mail.js'
import { createNotices, type Notices } from '../services/notices.js'
import type { Observer } from '../services/observer.js'
import type { Services } from '../services/services.js'
import type { TicketStore } from '../store/ticket-store.js'
import type { Prompt } from '../tools/prompt.js'
import type { Resource, ResourceTemplate } from '../tools/resource.js'
import type { Skill } from '../tools/skill.js'
import type { Tool } from '../tools/tool.js'
import type { AskServer } from './asking.js'
import { createCatalogue, DEFAULT_PAGE, type Catalogue } from './catalogue.js'
import { createLibrary, type Library } from './library.js'
import { signature } from './modern.js'
import type { Identity } from './projection.js'
import type { RequestStates } from './request-state.js'
import { createShelf, type Shelf } from './shelf.js'
import type { Tickets } from './tickets.js'

/** A list, or a function that returns the current list after each change. */
export type Offer<T> = readonly T[] | (() => readonly T[])

export interface ServerDescription extends Identity {
  readonly instructions?: string
  readonly tools?: Offer<Tool>
  readonly resources?: Offer<Resource>
  readonly templates?: Offer<ResourceTemplate>
  readonly prompts?: Offer<Prompt>
  /** For hosts with the Skills extension; the skills' files must be among the resources. */
  readonly skills?: Offer<Skill>
  /** Called before a list is read, to bring it up to date. Lists read before the first call are read again. */
  readonly prepare?: () => Promise<void> | undefined
  readonly services?: Services
  /** The change events that the services publish to. */
  readonly notices?: Notices
  /** Tools that exist but are disabled, with the reason that callers receive. */
  readonly refusals?: ReadonlyMap<string, string>
  /** The model to suggest in sampling requests. */
  readonly model?: string
  /** Declares the logging capability; without it `call.log` does nothing. */
  readonly logging?: boolean
  /** Number of list entries per page. */
  readonly pageSize?: number
  /** Where task handles are stored. Default: in memory. */
  readonly tickets?: () => TicketStore | Promise<TicketStore>
  /** Pending messages, put in front of the next result of their session. */
  readonly mail?: Mail
  /** Called for every tool call. */
  readonly observer?: Observer
  /** Pushes messages to clients that declared the channel, or to all clients. Default: none. */
  readonly channel?: 'asked' | 'all'
  /** Ends each text block of a result with a newline, because some clients join blocks without a separator. */
  readonly newlineAfterText?: boolean
  /** Receives unexpected errors; the client only learns that there was one. */
  readonly logError?: (error: unknown) => void
}

export interface Server extends AskServer {
  readonly identity: Identity
  /** The server info member of each modern result, as JSON text. */
  readonly signature: string
  readonly instructions: string | undefined
  readonly catalogue: Catalogue
  readonly library: Library
  readonly shelf: Shelf
  readonly hasTools: boolean
  readonly hasSkills: boolean
  /** Number of list entries per page. */
  readonly pageSize: number
  /** Which lists may change while the server runs. */
  readonly changing: { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean }
  readonly services: Services
  readonly notices: Notices
  readonly refusals: ReadonlyMap<string, string>
  readonly model: string
  readonly logging: boolean
  readonly mail: Mail | undefined
  readonly observer: Observer | undefined
  readonly channel: 'asked' | 'all' | undefined
  readonly newlineAfterText: boolean
  /** Whether any tool supports task handles. */
  readonly defers: boolean
  /** Brings the lists up to date; returns undefined if there is nothing to wait for. */
  prepare(): Promise<void> | undefined
  /** Refreshes the lists after pending answers were sent: a client that initializes will request lists next. */
  prepareSoon(): void
  states(): Promise<RequestStates>
  tickets(): Promise<Tickets>
  logError(error: unknown): void
  /** Closes its services. Called by the creator of the server after the last session. */
  close(): Promise<void>
}

export function createServer(definition: ServerDescription): Server {
  const { name, version, title, instructions, services = NO_SERVICES, logError } = definition
  const { tools = [], resources = [], templates = [], prompts = [], skills = [], pageSize = DEFAULT_PAGE } = definition
  if (!name || !version) throw new Error('a server needs a name and a version')
  if (!Number.isInteger(pageSize) || pageSize < 1) throw new Error(`pageSize must be at least 1, not ${pageSize}`)
  const notices = definition.notices ?? createNotices()
  const identity = title === undefined ? { name, version } : { name, version, title }

  const createTools = (): Catalogue =>
    createCatalogue(checkServiceNames('tool', resolveList(tools), services), pageSize)
  const createResources = (): Library => {
    const lists = {
      resources: resolveList(resources),
      templates: resolveList(templates),
      prompts: resolveList(prompts),
    }
    return createLibrary({
      resources: checkServiceNames('resource', lists.resources, services),
      templates: checkServiceNames('template', lists.templates, services),
      prompts: checkServiceNames('prompt', lists.prompts, services),
    })
  }
  const createSkills = (): Shelf => createShelf(checkServiceNames('skill', resolveList(skills), services))
  // Lists that are refreshed on demand are read when needed; others at once, so that mistakes in them show at once.
  const readUnlessDeferred = <T>(read: () => T): T | undefined => (definition.prepare ? undefined : read())
  let toolRegistry = readUnlessDeferred(createTools)
  let resourceRegistry = readUnlessDeferred(createResources)
  let skillRegistry = readUnlessDeferred(createSkills)
  let supportsTasks = resolveList(tools).some(supportsTaskHandles)
  // The first subscriber, so that later subscribers see the updated registries.
  notices.listen(({ kind }) => {
    if (kind === 'tools') {
      toolRegistry = readUnlessDeferred(createTools)
      // Stays true once set: existing task handles can still be queried.
      supportsTasks ||= resolveList(tools).some(supportsTaskHandles)
    }
    if (kind === 'resources' || kind === 'prompts') resourceRegistry = readUnlessDeferred(createResources)
    if (kind === 'resources') skillRegistry = readUnlessDeferred(createSkills)
  })

  let isRefreshed = definition.prepare === undefined
  const dropUnrefreshedLists = (): undefined => {
    if (!isRefreshed) toolRegistry = resourceRegistry = skillRegistry = undefined
    isRefreshed = true
  }

  const prepare = (): Promise<void> | undefined => {
    const refreshing = definition.prepare?.()
    return refreshing ? refreshing.then(dropUnrefreshedLists) : dropUnrefreshedLists()
  }

  let requestStates: Promise<RequestStates> | undefined
  let taskHandles: Promise<Tickets> | undefined
  return {
    identity,
    signature: signature(identity),
    instructions,
    get catalogue() {
      return (toolRegistry ??= createTools())
    },
    get library() {
      return (resourceRegistry ??= createResources())
    },
    get shelf() {
      return (skillRegistry ??= createSkills())
    },
    hasTools: definition.tools !== undefined,
    hasSkills: definition.skills !== undefined,
    pageSize,
    changing: {
      tools: typeof tools === 'function',
      resources: typeof resources === 'function' || typeof templates === 'function',
      prompts: typeof prompts === 'function',
    },
    services,
    notices,
    refusals: definition.refusals ?? new Map(),
    model: definition.model ?? '',
    logging: definition.logging ?? false,
    mail: definition.mail,
    observer: definition.observer,
    channel: definition.channel,
    newlineAfterText: definition.newlineAfterText ?? false,
    get defers() {
      return supportsTasks
    },
    prepare,
    prepareSoon() {
      if (definition.prepare && !isRefreshed) setImmediate(() => void runInBackground(prepare, logError))
    },
    states: () =>
      (requestStates ??= import('./request-state.js').then(({ createRequestStates }) => createRequestStates())),
    tickets() {
      // A failed open is retried by the next call that needs it.
      taskHandles ??= openTaskHandles(definition.tickets, notices).catch((error: unknown) => {
        taskHandles = undefined
        throw error
      })
      return taskHandles
    },
    logError: (error) => safeLog(logError, error),
    async close() {
      await taskHandles?.then((open) => open.close()).catch((error: unknown) => safeLog(logError, error))
      await services.close().catch((error: unknown) => safeLog(logError, error))
    },
  }
}

function supportsTaskHandles({ defers: supportsTasks }: Tool): boolean {
  return supportsTasks !== undefined
}

function resolveList<T>(source: Offer<T>): readonly T[] {
  return typeof source === 'function' ? source() : source
}

function checkServiceNames<T extends Tool | Resource | ResourceTemplate | Prompt | Skill>(
  kind: string,
  items: readonly T[],
  services: Services,
): readonly T[] {
  for (const { name, needs: required = [] } of items) {
    const missingService = required.find((service) => !services.names.has(service))
    if (missingService !== undefined)
      throw new Error(`${kind} ${name} needs the service ${missingService}, which this server lacks`)
  }
  return items
}

async function openTaskHandles(open: ServerDescription['tickets'], changeEvents: Notices): Promise<Tickets> {
  const [{ createTickets }, { createTicketMemory }] = await Promise.all([
    import('./tickets.js'),
    import('../store/ticket-store.js'),
  ])
  return createTickets(open ? await open() : createTicketMemory(), changeEvents)
}

/** Errors are logged only: the same error will be reported to the request that needs the lists. */
async function runInBackground(
  work: () => Promise<void> | undefined,
  logError: ServerDescription['logError'],
): Promise<void> {
  try {
    await work()
  } catch (error) {
    safeLog(logError, error)
  }
}

/** A failing log must not prevent the answer. */
function safeLog(logError: ServerDescription['logError'], error: unknown): void {
  try {
    logError?.(error)
  } catch {
    // The error cannot be reported anywhere else.
  }
}

const NO_SERVICES: Services = { names: new Set(), open: () => ({}), close: () => Promise.resolve() }
