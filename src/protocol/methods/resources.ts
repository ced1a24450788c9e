// resources/list, resources/templates/list, resources/read and, on legacy revisions, subscriptions to one resource.

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

// What is read changes by its own rules; a client that wants it fresh asks again.
const READ_CACHE = '"ttlMs":0,"cacheScope":"private"'

const list: ListMethod = ({ library, pageSize: size }, { client, params: { cursor } }) => {
  const { items, nextCursor } = pageOf(library.resources, ({ uri }) => uri, { list: 'resources', cursor, size })
  return memberText({ resources: items.map((item) => projectResource(item, client.revision)), nextCursor })
}

const listTemplates: ListMethod = ({ library, pageSize: size }, { client, params: { cursor } }) => {
  const terms = { list: 'templates', cursor, size }
  const { items, nextCursor } = pageOf(library.templates, ({ uriTemplate }) => uriTemplate, terms)
  return memberText({ resourceTemplates: items.map((item) => projectTemplate(item, client.revision)), nextCursor })
}

async function read(server: Server, exchange: Exchange): Promise<string> {
  const uri = textParam(exchange, 'uri')
  const found = server.library.at(uri)
  if (!found) throw notFound(uri, exchange)
  const [{ needs = [], mimeType }, variables] =
    'template' in found ? [found.template, found.variables] : [found, undefined]
  try {
    const services = await server.services.open(needs)
    const call = exchange.toCall()
    const content =
      'template' in found
        ? await found.template.read(variables ?? {}, call, services)
        : await found.read(call, services)
    if (content === undefined) throw notFound(uri, exchange)
    return memberText({ contents: partsOf(content, uri, mimeType) })
  } catch (error) {
    if (error instanceof Failure) throw new ProtocolError(INTERNAL_ERROR, error.message, { uri })
    throw error
  }
}

function partsOf(content: Content, uri: string, mimeType: string | undefined): readonly ResourcePart[] {
  const face = mimeType === undefined ? { uri } : { uri, mimeType }
  if (typeof content === 'string') return [{ ...face, text: content }]
  if (content instanceof Uint8Array) return [{ ...face, blob: Buffer.from(content).toString('base64') }]
  if (Array.isArray(content)) return content
  throw new Error(`resource ${uri} must return text, bytes or a list of parts`)
}

/** The code moved between the eras. */
function notFound(uri: string, { client }: Exchange): ProtocolError {
  const code = client.revision === MODERN_REVISION ? INVALID_PARAMS : RESOURCE_NOT_FOUND
  return new ProtocolError(code, `Resource not found: ${uri.slice(0, 500)}`, { uri })
}

export const LEGACY_RESOURCES: Methods = {
  'resources/list': prepared(list),
  'resources/templates/list': prepared(listTemplates),
  'resources/read': prepared(read),
}

export const MODERN_RESOURCES: Methods = {
  'resources/list': prepared((server, exchange) => `${list(server, exchange)},${LIST_CACHE}`),
  'resources/templates/list': prepared((server, exchange) => `${listTemplates(server, exchange)},${LIST_CACHE}`),
  'resources/read': prepared(async (server, exchange) => `${await read(server, exchange)},${READ_CACHE}`),
}
