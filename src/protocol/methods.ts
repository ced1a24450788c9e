// What each era answers to, by method name. A method returns the members of its result as text, or throws.

import { callTool } from './call.js'
import type { Exchange } from './exchange.js'
import { projectIdentity } from './projection.js'
import { INVALID_PARAMS, ProtocolError } from './protocol-error.js'
import { SUPPORTED_REVISIONS, type LegacyRevision } from './revision.js'
import type { Server } from './server.js'

const CAPABILITIES = { tools: { listChanged: false } }

// The list is settled when the process starts; five minutes let a client notice a restart with other settings.
const CACHE = '"ttlMs":300000,"cacheScope":"private"'

export type Method = (server: Server, exchange: Exchange) => string | Promise<string>

export const LEGACY_METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['ping', () => ''],
  ['tools/list', listTools],
  ['tools/call', callTool],
])

export const MODERN_METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['server/discover', discover],
  ['tools/list', (server, exchange) => `${listTools(server, exchange)},${CACHE}`],
  ['tools/call', callTool],
])

export function initializeMembers(server: Server, revision: LegacyRevision): string {
  const { identity, instructions } = server
  return memberText({
    protocolVersion: revision,
    capabilities: CAPABILITIES,
    serverInfo: projectIdentity(identity, revision),
    instructions,
  })
}

function discover(server: Server): string {
  const { instructions } = server
  return `${memberText({ supportedVersions: SUPPORTED_REVISIONS, capabilities: CAPABILITIES, instructions })},${CACHE}`
}

function listTools(server: Server, exchange: Exchange): string {
  const { cursor } = exchange.params
  if (cursor !== undefined)
    throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'cursor' was not given by this server")
  return `"tools":${server.catalogue.list(exchange.client.revision)}`
}

function memberText(members: object): string {
  return JSON.stringify(members).slice(1, -1)
}
