// Rendered words → the members of a tools/call result, at the revision of whoever asked.
// Results travel as the text of their members, without braces, so that large ones are printed once.
// Text is made well-formed: strict clients refuse a message with half a character in it.

import { printJson, type JsonObject } from '../lib/json.js'
import type { Block, Words } from '../tools/tool.js'
import type { Client } from './client.js'
import { projectBlock } from './projection.js'

export function contentMembers(
  words: Words,
  structured: JsonObject | undefined,
  client: Client,
  front?: string,
): string {
  // The usual case makes nothing on the way.
  if (typeof words === 'string' && front === undefined) return members(words, false, structured, client)
  const { content, isError } =
    typeof words !== 'string' && 'content' in words ? words : { content: words, isError: false }
  return members(front === undefined ? content : behind(front, content), isError, structured, client)
}

function behind(front: string, content: string | readonly Block[]): readonly Block[] {
  return [
    { type: 'text', text: front },
    ...(typeof content === 'string' ? [{ type: 'text', text: content } as const] : content),
  ]
}

function members(
  content: string | readonly Block[],
  isError: boolean,
  structured: JsonObject | undefined,
  client: Client,
): string {
  const { revision } = client
  if (client.jsonText) return jsonMembers(content, isError)
  const blocks =
    typeof content === 'string'
      ? `{"type":"text","text":${JSON.stringify(content.toWellFormed())}}`
      : content.map((block) => printJson(projectBlock(block, revision))).join(',')
  const text = `"content":[${blocks}],"isError":${isError}`
  if (structured === undefined || revision < '2025-06-18') return text
  return `${text},"structuredContent":${printJson(structured)}`
}

/** Every item a text, and every text JSON. */
function jsonMembers(content: string | readonly Block[], isError: boolean): string {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
  const items = blocks.map((block) => ({
    type: 'text',
    text: block.type === 'text' ? jsonText(block.text.toWellFormed(), isError) : printJson(block),
  }))
  return `"content":${JSON.stringify(items)},"isError":${isError}`
}

/** A text that is an object or a list already stays as it is. */
function jsonText(text: string, isError: boolean): string {
  return !isError && isJsonCollection(text) ? text : JSON.stringify(isError ? { error: text } : { result: text })
}

function isJsonCollection(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
