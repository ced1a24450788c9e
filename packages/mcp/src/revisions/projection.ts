// Reduces tools, content blocks and server info to what each revision knows. Clients of a revision may throw on fields
// and content types that did not exist yet. Content that cannot be sent is replaced by text. Used by the registry and
// the method handlers. Pure.

import type { ToolUi } from '../definitions/app-view.js'
import type { Icon } from '../definitions/icon.js'
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
  readonly icons?: readonly Icon[] | undefined
  readonly ui?: ToolUi | undefined
  /** Not sent: the scopes without which a caller does not see the tool. */
  readonly scopes?: readonly string[] | undefined
}

export function projectTool(tool: ToolListing, revision: Revision): JsonObject {
  const { name, title, description, hints, inputSchema, outputSchema, icons } = tool
  if (revision < '2025-03-26') return { name, description, inputSchema }
  if (revision < '2025-06-18') {
    return { name, description, inputSchema, annotations: undefinedIfEmpty({ title, ...toAnnotations(hints) }) }
  }
  const annotations = undefinedIfEmpty(toAnnotations(hints))
  return { name, title, description, inputSchema, outputSchema, annotations, icons: projectIcons(icons, revision) }
}

/** Icons exist since 2025-11-25. */
export function projectIcons(icons: readonly Icon[] | undefined, revision: Revision): readonly Icon[] | undefined {
  return revision < '2025-11-25' ? undefined : icons
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
export function projectIdentity({ name, version, title, icons }: ServerIdentity, revision: Revision): JsonObject {
  return { name, title: revision < '2025-06-18' ? undefined : title, version, icons: projectIcons(icons, revision) }
}

/** How clients show the server. */
export interface ServerIdentity {
  readonly name: string
  readonly version: string
  readonly title?: string | undefined
  /** Icons for clients since revision 2025-11-25. */
  readonly icons?: readonly Icon[] | undefined
}

function createTextBlock(text: string): ContentBlock {
  return { type: 'text', text }
}
