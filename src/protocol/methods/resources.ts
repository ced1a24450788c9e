// resources/list, resources/templates/list and resources/read.

import { Failure } from '../../lib/failure.js'
import type { Content, ResourcePart } from '../../tools/resource.js'
import type { Exchange } from '../exchange.js'
import { projectResource, projectTemplate } from '../offer-projection.js'
import { pageOf } from '../paging.js'
import { INTERNAL_ERROR, INVALID_PARAMS, ProtocolError, RESOURCE_NOT_FOUND } from '../protocol-error.js'
import { memberText } from '../reply.js'
import { MODERN_REVISION } from '../revision.js'
import type { Server } from '../server.js'
import { LIST_CACHE, prepared, textParam, type ListMethod, type Methods } from './method.js'

// Resource contents may change at any time.
const READ_CACHE = '"ttlMs":0,"cacheScope":"private"'

const list: ListMethod = ({ library, pageSize: size }, { client, params: { cursor } }) => {
  const { items, nextCursor } = pageOf(library.resources, ({ uri }) => uri, { list: 'resources', cursor, size })
  return memberText({ resources: items.map((item) => projectResource(item, client.revision)), nextCursor })
}

const listTemplates: ListMethod = ({ library, pageSize: size }, { client, params: { cursor } }) => {
  const options = { list: 'templates', cursor, size }
  const { items, nextCursor } = pageOf(library.templates, ({ uriTemplate }) => uriTemplate, options)
  return memberText({ resourceTemplates: items.map((item) => projectTemplate(item, client.revision)), nextCursor })
}

async function read(server: Server, context: Exchange): Promise<string> {
  const uri = textParam(context, 'uri')
  const match = server.library.at(uri)
  if (!match) throw createNotFoundError(uri, context)
  const [{ needs: serviceNames = [], mimeType }, variables] =
    'template' in match ? [match.template, match.variables] : [match, undefined]
  try {
    const services = await server.services.open(serviceNames)
    const call = context.toCall()
    const content =
      'template' in match
        ? await match.template.read(variables ?? {}, call, services)
        : await match.read(call, services)
    if (content === undefined) throw createNotFoundError(uri, context)
    return memberText({ contents: toResourceContents(content, uri, mimeType) })
  } catch (error) {
    if (error instanceof Failure) throw new ProtocolError(INTERNAL_ERROR, error.message, { uri })
    throw error
  }
}

function toResourceContents(content: Content, uri: string, mimeType: string | undefined): readonly ResourcePart[] {
  const info = mimeType === undefined ? { uri } : { uri, mimeType }
  if (typeof content === 'string') return [{ ...info, text: content }]
  if (content instanceof Uint8Array) return [{ ...info, blob: Buffer.from(content).toString('base64') }]
  if (Array.isArray(content)) return content
  throw new Error(`resource ${uri} must return text, bytes or a list of parts`)
}

/** Modern and legacy revisions use different error codes. */
function createNotFoundError(uri: string, { client }: Exchange): ProtocolError {
  const code = client.revision === MODERN_REVISION ? INVALID_PARAMS : RESOURCE_NOT_FOUND
  return new ProtocolError(code, `Resource not found: ${uri.slice(0, 500)}`, { uri })
}

export const LEGACY_RESOURCES: Methods = {
  'resources/list': prepared(list),
  'resources/templates/list': prepared(listTemplates),
  'resources/read': prepared(read),
}

export const MODERN_RESOURCES: Methods = {
  'resources/list': prepared((server, context) => `${list(server, context)},${LIST_CACHE}`),
  'resources/templates/list': prepared((server, context) => `${listTemplates(server, context)},${LIST_CACHE}`),
  'resources/read': prepared(async (server, context) => `${await read(server, context)},${READ_CACHE}`),
}
