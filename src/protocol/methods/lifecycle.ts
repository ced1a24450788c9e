// initialize, ping and server/discover. The declared capabilities follow from the server's definition.

import { isObject, type JsonObject } from '../../lib/json.js'
import { CHANNEL, SKILLS_EXTENSION, TASKS_EXTENSION, type Client } from '../client.js'
import { projectIdentity } from '../projection.js'
import { memberText } from '../reply.js'
import { MODERN_REVISION, SUPPORTED_REVISIONS, type Revision } from '../revision.js'
import type { Server } from '../server.js'
import { LIST_CACHE, type Method, type Methods } from './method.js'

export function initializeMembers(server: Server, { revision, capabilities }: Client): string {
  const { identity, instructions } = server
  server.prepareSoon()
  return memberText({
    protocolVersion: revision,
    // Extensions are declared only to clients that declare extensions themselves.
    capabilities: {
      ...serverCapabilities(server, revision),
      ...(isObject(capabilities.extensions) && serverExtensions(server, revision)),
      ...(supportsChannel(server, capabilities) && { experimental: { [CHANNEL]: {} } }),
    },
    serverInfo: projectIdentity(identity, revision),
    instructions,
  })
}

const discover: Method = (server) => {
  server.prepareSoon()
  const { instructions } = server
  const capabilities = { ...serverCapabilities(server, MODERN_REVISION), ...serverExtensions(server, MODERN_REVISION) }
  return `${memberText({ supportedVersions: SUPPORTED_REVISIONS, capabilities, instructions })},${LIST_CACHE}`
}

export const LEGACY_LIFECYCLE: Methods = { ping: () => '' }

export const MODERN_LIFECYCLE: Methods = { 'server/discover': discover }

function serverCapabilities(server: Server, revision: Revision): JsonObject {
  const { changing, hasTools, library, logging } = server
  return {
    ...(hasTools && { tools: { listChanged: changing.tools } }),
    ...((library.hasResources || changing.resources) && {
      resources: { subscribe: true, listChanged: changing.resources },
    }),
    ...((library.hasPrompts || changing.prompts) && { prompts: { listChanged: changing.prompts } }),
    ...(library.hasCompletions && revision >= '2025-03-26' && { completions: {} }),
    ...(logging && { logging: {} }),
  }
}

function supportsChannel({ channel }: Server, { experimental }: JsonObject): boolean {
  return channel !== undefined && isObject(experimental) && isObject(experimental[CHANNEL])
}

function serverExtensions({ defers, hasSkills }: Server, revision: Revision): JsonObject {
  const extensions = {
    ...(defers && revision === MODERN_REVISION && { [TASKS_EXTENSION]: {} }),
    ...(hasSkills && { [SKILLS_EXTENSION]: { directoryRead: true } }),
  }
  return Object.keys(extensions).length > 0 ? { extensions } : {}
}
