// What a mounted server contributes to the server that mounts it, whether it runs in this process or not; and how names
// and URIs are mapped. Implemented by local-mount.ts and remote-mount.ts, used by mounted-server.ts. Pure.

import type { PromptDefinition } from '../definitions/prompt.js'
import type { ResourceDefinition, ResourceTemplateDefinition } from '../definitions/resource.js'
import type { ContentBlock, ToolDefinition } from '../definitions/tool.js'
import type { HeaderParameter } from '../http/header-parameters.js'

export interface DefinitionLists {
  readonly tools: readonly ToolDefinition[]
  readonly prompts: readonly PromptDefinition[]
  readonly resources: readonly ResourceDefinition[]
  readonly templates: readonly ResourceTemplateDefinition[]
}

export interface Mount {
  readonly prefix: string
  /** The current lists, with the prefix in every name and URI. */
  lists(): DefinitionLists
  /** Brings the lists up to date; undefined if there is nothing to wait for. */
  refresh(): Promise<void> | undefined
  /** A resource by its URI with the prefix, also if it is in no list. */
  findResource(uri: string): ResourceDefinition | undefined
  /** Why a tool that is in no list cannot be called; undefined if there is no such tool. */
  findProblem(toolName: string): string | undefined
  close(): Promise<void>
}

/** What a mount needs of the server that mounts it. */
export interface MountDeps {
  /** The headers that repeat arguments of a tool, by its name with the prefix. */
  readonly listHeaderParameters: (toolName: string) => readonly HeaderParameter[]
  /** Throws if a server could not have these lists. */
  readonly checkLists: (lists: Partial<DefinitionLists>) => void
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly log: (message: string) => void
  /** Receives errors of functions of the author. */
  readonly logError: (error: unknown) => void
  readonly onListChanged: (list: ListName) => void
  readonly onResourceUpdated: (uri: string, user: string | undefined) => void
}

export type ListName = 'tools' | 'prompts' | 'resources'

const PREFIX = /^[A-Za-z][A-Za-z0-9-]{0,31}$/

export function checkPrefixes(mounts: readonly { readonly prefix: string }[]): void {
  const seen = new Set<string>()
  for (const { prefix } of mounts) {
    if (!PREFIX.test(prefix)) {
      throw new Error(
        `prefix not allowed: ${JSON.stringify(prefix)}: at most 32 letters, digits and hyphens, a letter first`,
      )
    }
    // The scheme of a URI has no upper and lower case.
    if (seen.has(prefix.toLowerCase())) throw new Error(`two mounted servers have the prefix ${prefix}`)
    seen.add(prefix.toLowerCase())
  }
}

/** A prefix contains no underscore, so the first one ends it. */
export function addNamePrefix(prefix: string, name: string): string {
  return `${prefix}_${name}`
}

export function removeNamePrefix(prefix: string, name: string): string | undefined {
  return name.startsWith(`${prefix}_`) ? name.slice(prefix.length + 1) : undefined
}

/** Clients recognize views by this scheme. */
const VIEW = 'ui://'

/**
 * The prefix becomes a part of the scheme, so any URI stays a URI, and no two servers have the same one. That of a view
 * gets it after its scheme, as in `ui://git+log`.
 */
export function addUriPrefix(prefix: string, uri: string): string {
  return uri.startsWith(VIEW) ? `${VIEW}${prefix}+${uri.slice(VIEW.length)}` : `${prefix}+${uri}`
}

export function removeUriPrefix(prefix: string, uri: string): string | undefined {
  if (uri.startsWith(VIEW)) {
    const view = removeUriPrefix(prefix, uri.slice(VIEW.length))
    return view === undefined ? undefined : VIEW + view
  }
  const start = uri.slice(0, prefix.length + 1)
  return start.toLowerCase() === `${prefix.toLowerCase()}+` ? uri.slice(start.length) : undefined
}

/** Clients read the resources that a result refers to through the server that mounts. */
export function prefixBlock(prefix: string, block: ContentBlock): ContentBlock {
  if (block.type === 'resource_link') return { ...block, uri: addUriPrefix(prefix, block.uri) }
  if (block.type !== 'resource') return block
  return { ...block, resource: { ...block.resource, uri: addUriPrefix(prefix, block.resource.uri) } }
}
