// Reduces tools, content blocks and server info to what each revision knows. Clients of a revision may throw on fields
// and content types that did not exist yet. Content that cannot be sent is replaced by text. Used by the registry and
// the method handlers. Pure.

import type { ContentBlock, ToolHints } from '../definitions/tool.js'
import type { JsonObject } from '../json/json.js'
import type { Revision } from './revision.js'

export interface ToolListing {
  readonly name: string
  readonly title: string | undefined
  readonly description: string | undefined
  readonly hints: ToolHints | undefined
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | undefined
}

export function projectTool(tool: ToolListing, revision: Revision): JsonObject {
  const { name, title, description, hints, inputSchema, outputSchema } = tool
  if (revision < '2025-03-26') return { name, description, inputSchema }
  if (revision < '2025-06-18') {
    return { name, description, inputSchema, annotations: undefinedIfEmpty({ title, ...toAnnotations(hints) }) }
  }
  const annotations = undefinedIfEmpty(toAnnotations(hints))
  return { name, title, description, inputSchema, outputSchema, annotations }
}

/** A hint with its protocol default (not idempotent, open world) is left out. */
function toAnnotations({ readOnly, destructive, idempotent, openWorld }: ToolHints = {}): JsonObject {
  return {
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent || undefined,
    openWorldHint: openWorld === false ? false : undefined,
  }
}

function undefinedIfEmpty(members: JsonObject): JsonObject | undefined {
  return Object.values(members).every((member) => member === undefined) ? undefined : members
}

export function projectBlock(block: ContentBlock, revision: Revision): ContentBlock {
  if (block.type === 'audio' && revision < '2025-03-26') {
    return createTextBlock(
      `[audio, ${block.mimeType}, ${block.data.length} base64 characters: not shown at this protocol revision]`,
    )
  }
  if (block.type === 'resource_link' && revision < '2025-06-18') {
    return createTextBlock(
      `${block.title ?? block.name}: ${block.uri}${block.description ? ` (${block.description})` : ''}`,
    )
  }
  return block
}

/** Reduces the server info: titles exist since 2025-06-18. */
export function projectIdentity(identity: ServerIdentity, revision: Revision): JsonObject {
  const { name, version, title } = identity
  return title === undefined || revision < '2025-06-18' ? { name, version } : { name, title, version }
}

export interface ServerIdentity {
  readonly name: string
  readonly version: string
  readonly title?: string
}

function createTextBlock(text: string): ContentBlock {
  return { type: 'text', text }
}
