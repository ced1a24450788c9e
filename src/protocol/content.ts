// Rendered words → the members of a tools/call result, at the revision of whoever asked.
// Results travel as the text of their members, without braces, so that large ones are printed once.
// Text is made well-formed: strict clients refuse a message with half a character in it.

import type { JsonObject } from '../lib/json.js'
import type { Block, Words } from '../tools/tool.js'
import { projectBlock } from './projection.js'
import type { Revision } from './revision.js'

export function contentMembers(words: Words, structured: JsonObject | undefined, revision: Revision): string {
  if (typeof words === 'string') return members(words, false, structured, revision)
  if ('content' in words) return members(words.content, words.isError, structured, revision)
  return members(words, false, structured, revision)
}

function members(
  content: string | readonly Block[],
  isError: boolean,
  structured: JsonObject | undefined,
  revision: Revision,
): string {
  const blocks =
    typeof content === 'string'
      ? `{"type":"text","text":${JSON.stringify(content.toWellFormed())}}`
      : content.map((block) => JSON.stringify(projectBlock(block, revision))).join(',')
  const text = `"content":[${blocks}],"isError":${isError}`
  if (structured === undefined || revision < '2025-06-18') return text
  return `${text},"structuredContent":${JSON.stringify(structured)}`
}
