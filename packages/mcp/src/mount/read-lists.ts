// Reads the lists of a mounted server, page by page and within limits. Used by remote-mount.ts. Sends requests through
// the connection.

import type { ClientConnection } from '../client/client-connection.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import type { ListName } from './mount-lists.js'

const MAX_PAGES = 100
/** Of each list; more would fill the context of any model. */
const MAX_ENTRIES = 1000

/** Entries as the server sent them. */
export interface ServerLists {
  readonly tools: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  readonly resources: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
}

export const NO_LISTS: ServerLists = { tools: [], prompts: [], resources: [], templates: [] }

export async function readLists(connection: ClientConnection, timeoutMs: number): Promise<ServerLists> {
  const read = async (capability: ListName, method: string, member: string): Promise<readonly JsonObject[]> =>
    hasCapability(connection, capability) ? readPages(connection, { method, member, timeoutMs }) : []
  const [tools, prompts, resources, templates] = await Promise.all([
    read('tools', 'tools/list', 'tools'),
    read('prompts', 'prompts/list', 'prompts'),
    read('resources', 'resources/list', 'resources'),
    // A server with resources need not have templates.
    read('resources', 'resources/templates/list', 'resourceTemplates').catch(() => []),
  ])
  return { tools, prompts, resources, templates }
}

export function hasCapability({ server }: ClientConnection, name: string): boolean {
  return isJsonObject(server.capabilities) && isJsonObject(server.capabilities[name])
}

async function readPages(
  connection: ClientConnection,
  { method, member, timeoutMs }: { readonly method: string; readonly member: string; readonly timeoutMs: number },
): Promise<readonly JsonObject[]> {
  const entries: JsonObject[] = []
  let params: JsonObject = {}
  for (let page = 0; page < MAX_PAGES && entries.length < MAX_ENTRIES; page++) {
    const result = await connection.request(method, params, { timeoutMs })
    const list = result[member]
    if (Array.isArray(list)) entries.push(...list.filter(isJsonObject))
    const { nextCursor } = result
    if (typeof nextCursor !== 'string' || nextCursor === params.cursor) break
    params = { cursor: nextCursor }
  }
  return entries.slice(0, MAX_ENTRIES)
}
