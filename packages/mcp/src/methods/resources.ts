// Handles resources/list, resources/templates/list and resources/read. Loaded by optional-methods. Calls the resources
// of the server.

import { isViewUri } from '../definitions/app-view.js'
import type { ResourceContent, ResourcePart } from '../definitions/resource.js'
import { echo, Failure, INTERNAL_ERROR, INVALID_PARAMS, ProtocolError, RESOURCE_NOT_FOUND } from '../errors.js'
import { stringifyMembers } from '../jsonrpc/result.js'
import { paginate } from '../registry/paging.js'
import { RequestCallContext, type RequestContext } from '../request/request-context.js'
import { projectResource, projectTemplate } from '../revisions/resource-projection.js'
import { type ClientProfile, supportsApps } from '../revisions/client-profile.js'
import { MODERN_REVISION } from '../revisions/revision.js'
import type { McpServer } from '../server/mcp-server.js'
import {
  LIST_CACHE_MEMBERS,
  type ListHandler,
  type MethodTable,
  requireStringParam,
  withRefreshedLists,
} from './method.js'
import { toResourceContents } from './resource-contents.js'

// Resource contents may change at any time.
const READ_CACHE = '"ttlMs":0,"cacheScope":"private"'

const list: ListHandler = ({ resourceRegistry, pageSize: size }, { client, params: { cursor } }) => {
  const visible = resourceRegistry.resources.filter(({ uri }) => isVisible(uri, client))
  const { items, nextCursor } = paginate(visible, ({ uri }) => uri, {
    list: 'resources',
    cursor,
    size,
  })
  return stringifyMembers({ resources: items.map((item) => projectResource(item, client.revision)), nextCursor })
}

const listTemplates: ListHandler = ({ resourceRegistry, pageSize: size }, { client, params: { cursor } }) => {
  const options = { list: 'templates', cursor, size }
  const visible = resourceRegistry.templates.filter(({ uriTemplate }) => isVisible(uriTemplate, client))
  const { items, nextCursor } = paginate(visible, ({ uriTemplate }) => uriTemplate, options)
  return stringifyMembers({
    resourceTemplates: items.map((item) => projectTemplate(item, client.revision)),
    nextCursor,
  })
}

async function read(server: McpServer, context: RequestContext): Promise<string> {
  const uri = requireStringParam(context, 'uri')
  const match = isVisible(uri, context.client) ? server.resourceRegistry.findByUri(uri) : undefined
  if (!match) throw createNotFoundError(uri, context)
  const { services: serviceNames = [], mimeType, ui } = 'template' in match ? match.template : match
  const createCall = () => new RequestCallContext(context)
  const convert = (content: ResourceContent) =>
    toResourceContents(content, { uri, mimeType, ...(ui && { _meta: { ui } }) })
  const readMatch = async (): Promise<readonly ResourcePart[]> => {
    const services = await server.services.open(serviceNames)
    const content =
      'template' in match
        ? await match.template.read(match.variables, createCall(), services)
        : await match.read(createCall(), services)
    if (content === undefined) throw createNotFoundError(uri, context)
    return convert(content)
  }
  try {
    if (!server.middleware) return stringifyMembers({ contents: await readMatch() })
    const { readResourceThrough } = await import('./middleware.js')
    const contents = await readResourceThrough(server.middleware, uri, { createCall, read: readMatch, convert })
    return stringifyMembers({ contents })
  } catch (error) {
    if (error instanceof Failure) throw new ProtocolError(INTERNAL_ERROR, error.message, { uri })
    throw error
  }
}

/** Resources of views exist only for clients that show views. */
function isVisible(uri: string, client: ClientProfile): boolean {
  return !isViewUri(uri) || supportsApps(client)
}

/** Modern and legacy revisions use different error codes. */
function createNotFoundError(uri: string, { client }: RequestContext): ProtocolError {
  const code = client.revision === MODERN_REVISION ? INVALID_PARAMS : RESOURCE_NOT_FOUND
  return new ProtocolError(code, `Resource not found: ${echo(uri)}`, { uri })
}

export const LEGACY_RESOURCES: MethodTable = {
  'resources/list': withRefreshedLists(list),
  'resources/templates/list': withRefreshedLists(listTemplates),
  'resources/read': withRefreshedLists(read),
}

export const MODERN_RESOURCES: MethodTable = {
  'resources/list': withRefreshedLists((server, context) => `${list(server, context)},${LIST_CACHE_MEMBERS}`),
  'resources/templates/list': withRefreshedLists(
    (server, context) => `${listTemplates(server, context)},${LIST_CACHE_MEMBERS}`,
  ),
  'resources/read': withRefreshedLists(async (server, context) => `${await read(server, context)},${READ_CACHE}`),
}
