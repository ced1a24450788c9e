// Results as each revision knows them. A client must never meet a field or a content type its revision had not
// heard of: real clients of the period throw on them. What cannot be shown is told in words instead.

import type { JsonObject } from '../lib/json.js'
import type { Block, Hints } from '../tools/tool.js'
import type { Revision } from './revision.js'

export interface ToolFace {
  readonly name: string
  readonly title: string | undefined
  readonly description: string | undefined
  readonly hints: Hints | undefined
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | undefined
}

export function projectTool(tool: ToolFace, revision: Revision): JsonObject {
  const { name, title, description, hints, inputSchema, outputSchema } = tool
  if (revision < '2025-03-26') return { name, description, inputSchema }
  if (revision < '2025-06-18') {
    return { name, description, inputSchema, annotations: unlessEmpty({ title, ...annotationsOf(hints) }) }
  }
  const annotations = unlessEmpty(annotationsOf(hints))
  return { name, title, description, inputSchema, outputSchema, annotations }
}

/** What is not said is what the protocol has a client assume: not idempotent, open world. */
function annotationsOf({ readOnly, destructive, idempotent, openWorld }: Hints = {}): JsonObject {
  return {
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent || undefined,
    openWorldHint: openWorld === false ? false : undefined,
  }
}

function unlessEmpty(members: JsonObject): JsonObject | undefined {
  return Object.values(members).every((member) => member === undefined) ? undefined : members
}

export function projectBlock(block: Block, revision: Revision): Block {
  if (block.type === 'audio' && revision < '2025-03-26') {
    return inWords(
      `[audio, ${block.mimeType}, ${block.data.length} base64 characters: not shown at this protocol revision]`,
    )
  }
  if (block.type === 'resource_link' && revision < '2025-06-18') {
    return inWords(`${block.title ?? block.name}: ${block.uri}${block.description ? ` (${block.description})` : ''}`)
  }
  return block
}

/** The name of this server: titles, icons and links came later than names and versions. */
export function projectIdentity(identity: Identity, revision: Revision): JsonObject {
  const { name, version, title } = identity
  return title === undefined || revision < '2025-06-18' ? { name, version } : { name, title, version }
}

export interface Identity {
  readonly name: string
  readonly version: string
  readonly title?: string
}

function inWords(text: string): Block {
  return { type: 'text', text }
}
