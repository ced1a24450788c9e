// tools/list and tools/call.

import { callTool } from '../call.js'
import { LIST_CACHE, prepared, type ListMethod, type Methods } from './method.js'

const list: ListMethod = ({ catalogue }, { client, params }) => catalogue.list(client.revision, params.cursor)

export const LEGACY_TOOLS: Methods = { 'tools/list': prepared(list), 'tools/call': callTool }

export const MODERN_TOOLS: Methods = {
  'tools/list': prepared((server, context) => `${list(server, context)},${LIST_CACHE}`),
  'tools/call': callTool,
}
