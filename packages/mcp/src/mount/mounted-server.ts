// The server of `ServeOptions` with `mount`: its own lists and those of the mounted servers. Loaded by open-server.ts,
// which passes what it shares with other servers. The mounted servers start programs and open connections when they are
// first needed.

import { checkHeaderParameters, findHeaderParameters } from '../http/header-parameters.js'
import type { createLog } from '../log.js'
import type { formatValue } from '../methods/tools.js'
import type { ResourceRegistry } from '../registry/resource-registry.js'
import type { createServerFromOptions, ServeOptions, ServerMount } from '../serve-options.js'
import type { ListSource, McpServer } from '../server/mcp-server.js'
import { createServiceTable } from '../server/service-table.js'
import { type ComposedServer, LocalMount } from './local-mount.js'
import { checkPrefixes, type DefinitionLists, type Mount, type MountDeps } from './mount-lists.js'
import { RemoteMount } from './remote-mount.js'

const MAX_LOGGED = 100

/** Parts of the kernel. Importing them would split it into more files, which every server would load. */
export interface KernelParts {
  readonly createServer: typeof createServerFromOptions
  readonly createLog: typeof createLog
  readonly formatValue: typeof formatValue
}

export function createMountedServer<S extends object>(options: ServeOptions<S>, kernel: KernelParts): McpServer {
  return composeServer(options, kernel).server
}

/** `outer`: the servers that mount this one. */
function composeServer<S extends object>(
  options: ServeOptions<S>,
  kernel: KernelParts,
  outer: readonly object[] = [],
): ComposedServer {
  const { mount = [], ...own } = options
  if (outer.includes(options)) throw new Error(`the server ${own.name} mounts itself`)
  const { createServer } = kernel
  const log = kernel.createLog(own.name, 'info').info
  checkPrefixes(mount)
  // Until the lists were read for the first time no client has them.
  let wasRead = false
  const deps: MountDeps = {
    clientInfo: { name: own.name, version: own.version },
    listHeaderParameters(tool) {
      const registered = server.toolRegistry.find(tool)
      return registered ? findHeaderParameters(registered) : []
    },
    checkLists: (lists) =>
      checkHeaderParameters(createServer({ name: 'checked', version: '1', ...lists }).toolRegistry),
    log,
    logError: (error) => server.logError(error),
    onListChanged: (list) => wasRead && server.changeEvents.notifyListChanged(list),
    onResourceUpdated: (uri, user) => server.changeEvents.notifyResourceUpdated(uri, user),
  }
  const mounts = mount.map((mounted) => createMount(mounted, deps, kernel, [...outer, options]))
  const logTaken = createTakenLog(log)
  const lists = (): DefinitionLists =>
    joinLists([readLists(own), ...mounts.map((mounted) => mounted.lists())], logTaken)
  const findProblem = (tool: string): string | undefined =>
    own.disabledTools?.get(tool) ?? firstDefined(mounts, (mounted) => mounted.findProblem(tool))
  const findResource: Mount['findResource'] = (uri) => firstDefined(mounts, (mounted) => mounted.findResource(uri))
  const definition: ServeOptions<S> = {
    ...own,
    tools: () => lists().tools,
    prompts: () => lists().prompts,
    resources: () => lists().resources,
    templates: () => lists().templates,
    disabledTools: new ProblemsByTool(findProblem),
    refreshLists: () =>
      waitForAll([own.refreshLists?.(), ...mounts.map((mounted) => mounted.refresh())], () => (wasRead = true)),
  }
  const server = createServer(definition, createServiceTable)
  // Mistakes in the lists of the server itself show at once.
  if (!own.refreshLists) void [server.toolRegistry, server.resourceRegistry]
  return { server: extendServer(server, mounts, findResource), lists, findResource, findProblem }
}

function createMount(mount: ServerMount, deps: MountDeps, kernel: KernelParts, outer: readonly object[]): Mount {
  if (!('server' in mount)) return new RemoteMount(mount, deps)
  return new LocalMount(mount.prefix, composeServer(mount.server, kernel, outer), deps, kernel.formatValue)
}

/** Everything is inherited but the end of the server, and its registry: resources of mounts need not be in a list. */
function extendServer(server: McpServer, mounts: readonly Mount[], findResource: Mount['findResource']): McpServer {
  const get = (): ResourceRegistry => {
    const registry = server.resourceRegistry
    return {
      ...registry,
      // Mounted servers may have completers once they are started.
      hasCompletions: mounts.length > 0 || registry.hasCompletions,
      findByUri(uri) {
        const found = registry.findByUri(uri)
        // Templates are matched by decoded values, from which the URI cannot be restored.
        return found && !('template' in found) ? found : (findResource(uri) ?? found)
      },
    }
  }
  const close = async (): Promise<void> => {
    await Promise.all([server.close(), ...mounts.map((mounted) => mounted.close())])
  }
  const extended: McpServer = Object.create(server, { resourceRegistry: { get }, close: { value: close } })
  return extended
}

/** Why tools of a mounted server that could not be started cannot be called, besides the disabled tools. */
class ProblemsByTool extends Map<string, string> {
  constructor(private readonly findProblem: (tool: string) => string | undefined) {
    super()
  }

  override get(tool: string): string | undefined {
    return this.findProblem(tool)
  }
}

function readLists({ tools = [], prompts = [], resources = [], templates = [] }: ServeOptions): DefinitionLists {
  return {
    tools: resolveList(tools),
    prompts: resolveList(prompts),
    resources: resolveList(resources),
    templates: resolveList(templates),
  }
}

function resolveList<T>(source: ListSource<T>): readonly T[] {
  return typeof source === 'function' ? source() : source
}

/** The first list is the server's own: duplicates in it are reported as always, those of later lists are left out. */
function joinLists(lists: readonly DefinitionLists[], logTaken: (key: string) => void): DefinitionLists {
  const join = <T>(read: (list: DefinitionLists) => readonly T[], keyOf: (item: T) => string): readonly T[] => {
    const [own = [], ...mounted] = lists.map(read)
    const known = new Set(own.map(keyOf))
    const added = mounted.flat().filter((item) => {
      const key = keyOf(item)
      if (known.has(key)) logTaken(key)
      return !known.has(key) && known.add(key)
    })
    return [...own, ...added]
  }
  return {
    tools: join(
      ({ tools }) => tools,
      ({ name }) => name,
    ),
    prompts: join(
      ({ prompts }) => prompts,
      ({ name }) => name,
    ),
    resources: join(
      ({ resources }) => resources,
      ({ uri }) => uri,
    ),
    templates: join(
      ({ templates }) => templates,
      ({ uriTemplate }) => uriTemplate,
    ),
  }
}

/** Lists are joined again and again; each name is logged once. */
function createTakenLog(log: (message: string) => void): (key: string) => void {
  const logged = new Set<string>()
  return (key) => {
    if (logged.has(key) || logged.size >= MAX_LOGGED) return
    logged.add(key)
    log(`left out, because the name is taken: ${key}`)
  }
}

/** Returns undefined if there is nothing to wait for. */
function waitForAll(promises: readonly (Promise<void> | undefined)[], then: () => void): Promise<void> | undefined {
  const waiting = promises.filter((promise) => promise !== undefined)
  if (waiting.length > 0) return Promise.all(waiting).then(then)
  then()
  return undefined
}

function firstDefined<T, R>(items: readonly T[], read: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const value = read(item)
    if (value !== undefined) return value
  }
  return undefined
}
