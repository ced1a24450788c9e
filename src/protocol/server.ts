// What a server is, apart from any client: its name, what it offers, and the services behind it. Made once, shared by
// all sessions. What only some clients need (sealed states, tickets) is loaded when the first of them comes.

import type { Mail } from '../services/mail.js'
import { createNotices, type Notices } from '../services/notices.js'
import type { Observer } from '../services/observer.js'
import type { Services } from '../services/services.js'
import type { TicketStore } from '../store/ticket-store.js'
import type { Prompt } from '../tools/prompt.js'
import type { Resource, ResourceTemplate } from '../tools/resource.js'
import type { Skill } from '../tools/skill.js'
import type { Tool } from '../tools/tool.js'
import { createCatalogue, DEFAULT_PAGE, type Catalogue } from './catalogue.js'
import { createLibrary, type Library } from './library.js'
import { signature } from './modern.js'
import type { Identity } from './projection.js'
import type { RequestStates } from './request-state.js'
import { createShelf, type Shelf } from './shelf.js'
import type { Tickets } from './tickets.js'

/** A list, or where to read it anew each time `changed` is said of it. */
export type Offer<T> = readonly T[] | (() => readonly T[])

export interface ServerDescription extends Identity {
  readonly instructions?: string
  readonly tools?: Offer<Tool>
  readonly resources?: Offer<Resource>
  readonly templates?: Offer<ResourceTemplate>
  readonly prompts?: Offer<Prompt>
  /** For hosts that know the Skills extension; their files must be among the resources. */
  readonly skills?: Offer<Skill>
  /** Called before anything of the lists is shown, so that they can be made up to date; what is read before the first time is read again. */
  readonly prepare?: () => Promise<void> | undefined
  readonly services?: Services
  /** The way by which services say what changed; the one they were given. */
  readonly notices?: Notices
  /** Tools that exist but may not be called here, and why: the reason is told to whoever calls. */
  readonly refusals?: ReadonlyMap<string, string>
  /** The model to suggest when a client's model is asked. */
  readonly model?: string
  /** Offer log messages to clients; without it what `call.log` says goes nowhere. */
  readonly logging?: boolean
  /** Entries of a list that fit one page. */
  readonly pageSize?: number
  /** Where calls that outlive their answer are kept; in memory unless told. */
  readonly tickets?: () => TicketStore | Promise<TicketStore>
  /** What sessions are told without having asked, in front of their next result. */
  readonly mail?: Mail
  /** Told of every call. */
  readonly observer?: Observer
  /** Push messages to clients that asked for the channel, or to all; nobody unless told. */
  readonly channel?: 'asked' | 'all'
  /** End each text block of a tool's result with a newline: some clients join blocks without a separator. */
  readonly newlineAfterText?: boolean
  /** Told about bugs; the client only learns that there was one. */
  readonly logError?: (error: unknown) => void
}

export interface Server {
  readonly identity: Identity
  /** What each modern result says of who gave it, ready to be sent. */
  readonly signature: string
  readonly instructions: string | undefined
  readonly catalogue: Catalogue
  readonly library: Library
  readonly shelf: Shelf
  readonly hasTools: boolean
  readonly hasSkills: boolean
  /** Entries of a list that fit one page. */
  readonly pageSize: number
  /** The lists that may change while the server runs. */
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
  /** Whether any tool's call may outlive its answer. */
  readonly defers: boolean
  /** Makes the lists fit to be shown; nothing to wait for where they are. */
  prepare(): Promise<void> | undefined
  /** The same once everybody has been answered: whoever says hello will ask for lists next. */
  prepareSoon(): void
  states(): Promise<RequestStates>
  tickets(): Promise<Tickets>
  logError(error: unknown): void
  /** Closes its services. For whoever made the server, when the last session is over. */
  close(): Promise<void>
}

export function createServer(description: ServerDescription): Server {
  const { name, version, title, instructions, services = NO_SERVICES, logError } = description
  const { tools = [], resources = [], templates = [], prompts = [], skills = [], pageSize = DEFAULT_PAGE } = description
  if (!name || !version) throw new Error('a server needs a name and a version')
  if (!Number.isInteger(pageSize) || pageSize < 1) throw new Error(`pageSize must be at least 1, not ${pageSize}`)
  const notices = description.notices ?? createNotices()
  const identity = title === undefined ? { name, version } : { name, version, title }

  const readTools = (): Catalogue => createCatalogue(checked('tool', listOf(tools), services), pageSize)
  const readLibrary = (): Library => {
    const lists = { resources: listOf(resources), templates: listOf(templates), prompts: listOf(prompts) }
    return createLibrary({
      resources: checked('resource', lists.resources, services),
      templates: checked('template', lists.templates, services),
      prompts: checked('prompt', lists.prompts, services),
    })
  }
  const readShelf = (): Shelf => createShelf(checked('skill', listOf(skills), services))
  // What must be prepared first is read when it is asked for; anything else at once, so that mistakes show at once.
  const early = <T>(read: () => T): T | undefined => (description.prepare ? undefined : read())
  let catalogue = early(readTools)
  let library = early(readLibrary)
  let shelf = early(readShelf)
  let defers = listOf(tools).some(isDeferring)
  // First to hear, so that everybody who is told of a change finds it made.
  notices.listen(({ kind }) => {
    if (kind === 'tools') {
      catalogue = early(readTools)
      // Once true it stays: what was deferred can still be asked about.
      defers ||= listOf(tools).some(isDeferring)
    }
    if (kind === 'resources' || kind === 'prompts') library = early(readLibrary)
    if (kind === 'resources') shelf = early(readShelf)
  })

  let isPrepared = description.prepare === undefined
  const forget = (): undefined => {
    if (!isPrepared) catalogue = library = shelf = undefined
    isPrepared = true
  }

  const prepare = (): Promise<void> | undefined => {
    const preparing = description.prepare?.()
    return preparing ? preparing.then(forget) : forget()
  }

  let states: Promise<RequestStates> | undefined
  let tickets: Promise<Tickets> | undefined
  return {
    identity,
    signature: signature(identity),
    instructions,
    get catalogue() {
      return (catalogue ??= readTools())
    },
    get library() {
      return (library ??= readLibrary())
    },
    get shelf() {
      return (shelf ??= readShelf())
    },
    hasTools: description.tools !== undefined,
    hasSkills: description.skills !== undefined,
    pageSize,
    changing: {
      tools: typeof tools === 'function',
      resources: typeof resources === 'function' || typeof templates === 'function',
      prompts: typeof prompts === 'function',
    },
    services,
    notices,
    refusals: description.refusals ?? new Map(),
    model: description.model ?? '',
    logging: description.logging ?? false,
    mail: description.mail,
    observer: description.observer,
    channel: description.channel,
    newlineAfterText: description.newlineAfterText ?? false,
    get defers() {
      return defers
    },
    prepare,
    prepareSoon() {
      if (description.prepare && !isPrepared) setImmediate(() => void attempt(prepare, logError))
    },
    states: () => (states ??= import('./request-state.js').then(({ createRequestStates }) => createRequestStates())),
    tickets() {
      // One that failed to open is tried again by the next call that needs it.
      tickets ??= openTickets(description.tickets, notices).catch((error: unknown) => {
        tickets = undefined
        throw error
      })
      return tickets
    },
    logError: (error) => tell(logError, error),
    async close() {
      await tickets?.then((open) => open.close()).catch((error: unknown) => tell(logError, error))
      await services.close().catch((error: unknown) => tell(logError, error))
    },
  }
}

function isDeferring({ defers }: Tool): boolean {
  return defers !== undefined
}

function listOf<T>(offer: Offer<T>): readonly T[] {
  return typeof offer === 'function' ? offer() : offer
}

function checked<T extends { readonly name: string; readonly needs?: readonly string[] }>(
  kind: string,
  items: readonly T[],
  services: Services,
): readonly T[] {
  for (const { name, needs = [] } of items) {
    const missing = needs.find((need) => !services.names.has(need))
    if (missing !== undefined) throw new Error(`${kind} ${name} needs the service ${missing}, which this server lacks`)
  }
  return items
}

async function openTickets(open: ServerDescription['tickets'], notices: Notices): Promise<Tickets> {
  const [{ createTickets }, { createTicketMemory }] = await Promise.all([
    import('./tickets.js'),
    import('../store/ticket-store.js'),
  ])
  return createTickets(open ? await open() : createTicketMemory(), notices)
}

/** Nobody waits for it: what goes wrong now goes wrong again when somebody does. */
async function attempt(work: () => Promise<void> | undefined, logError: ServerDescription['logError']): Promise<void> {
  try {
    await work()
  } catch (error) {
    tell(logError, error)
  }
}

/** A log that fails must not take the answer with it. */
function tell(logError: ServerDescription['logError'], error: unknown): void {
  try {
    logError?.(error)
  } catch {
    // There is nobody left to tell.
  }
}

const NO_SERVICES: Services = { names: new Set(), open: () => ({}), close: () => Promise.resolve() }
