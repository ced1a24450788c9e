// Handles ping and server/discover, and formats the result of initialize (handled by negotiated-state.ts). The declared
// capabilities follow from the server's definition. Found through method-table.ts. Pure.

import { APPS_EXTENSION, isViewUri } from '../definitions/app-view.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { stringifyMembers } from '../jsonrpc/result.js'
import {
  CHANNEL_EXTENSION,
  type ClientProfile,
  SKILLS_EXTENSION,
  supportsApps,
  TASKS_EXTENSION,
} from '../revisions/client-profile.js'
import { projectIdentity } from '../revisions/projection.js'
import { MODERN_REVISION, type Revision, SUPPORTED_REVISIONS } from '../revisions/revision.js'
import type { McpServer } from '../server/mcp-server.js'
import { LIST_CACHE_MEMBERS, type MethodHandler, type MethodTable } from './method.js'

export function formatInitializeResult(server: McpServer, client: ClientProfile): string {
  const { revision, capabilities } = client
  const { identity, instructions } = server
  server.scheduleRefresh()
  return stringifyMembers({
    protocolVersion: revision,
    // Extensions are declared only to clients that declare extensions themselves.
    capabilities: {
      ...serverCapabilities(server, revision),
      ...(isJsonObject(capabilities.extensions) && serverExtensions(server, client)),
      ...(supportsChannel(server, capabilities) && { experimental: { [CHANNEL_EXTENSION]: {} } }),
    },
    serverInfo: projectIdentity(identity, revision),
    instructions,
  })
}

const discover: MethodHandler = (server, { client }) => {
  server.scheduleRefresh()
  const { instructions } = server
  const capabilities = { ...serverCapabilities(server, MODERN_REVISION), ...serverExtensions(server, client) }
  return `${stringifyMembers({ supportedVersions: SUPPORTED_REVISIONS, capabilities, instructions })},${LIST_CACHE_MEMBERS}`
}

export const LEGACY_LIFECYCLE: MethodTable = { ping: () => '' }

export const MODERN_LIFECYCLE: MethodTable = { 'server/discover': discover }

function serverCapabilities(server: McpServer, revision: Revision): JsonObject {
  const { dynamicLists, hasTools, resourceRegistry, logging } = server
  return {
    ...(hasTools && { tools: { listChanged: dynamicLists.tools } }),
    ...((resourceRegistry.hasResources || dynamicLists.resources) && {
      resources: { subscribe: true, listChanged: dynamicLists.resources },
    }),
    ...((resourceRegistry.hasPrompts || dynamicLists.prompts) && { prompts: { listChanged: dynamicLists.prompts } }),
    ...(resourceRegistry.hasCompletions && revision >= '2025-03-26' && { completions: {} }),
    ...(logging && { logging: {} }),
  }
}

function supportsChannel({ channelPush }: McpServer, { experimental }: JsonObject): boolean {
  return channelPush !== undefined && isJsonObject(experimental) && isJsonObject(experimental[CHANNEL_EXTENSION])
}

function serverExtensions(server: McpServer, client: ClientProfile): JsonObject {
  const { supportsTasks, hasSkills, resourceRegistry } = server
  const extensions = {
    ...(supportsTasks && client.revision === MODERN_REVISION && { [TASKS_EXTENSION]: {} }),
    ...(hasSkills && { [SKILLS_EXTENSION]: { directoryRead: true } }),
    ...(supportsApps(client) &&
      resourceRegistry.resources.some(({ uri }) => isViewUri(uri)) && { [APPS_EXTENSION]: {} }),
  }
  return Object.keys(extensions).length > 0 ? { extensions } : {}
}
