// The content of a tools/call result, at the revision of the client. Results travel as the text of their members,
// without braces, so that large ones are serialised once. Text is made well-formed: strict clients reject a message
// that contains a lone surrogate.

import { printJson, type JsonObject } from '../lib/json.js'
import type { Block, Words } from '../tools/tool.js'
import type { Client } from './client.js'
import { projectBlock } from './projection.js'

export interface ContentOptions {
  readonly structured?: JsonObject | undefined
  /** A message that goes before the content, in a block of its own, with an empty line after it. */
  readonly front?: string | undefined
  /** Ends each text block with a newline: some clients join blocks without a separator. */
  readonly newline?: boolean
}

export function contentMembers(words: Words, client: Client, options: ContentOptions): string {
  const { structured, front, newline = false } = options
  const { content, isError } =
    typeof words !== 'string' && 'content' in words ? words : { content: words, isError: false }
  if (client.dialect) return client.dialect.content(blocksOf(content, front), isError)
  // The usual case, without an object for the block.
  const blocks =
    typeof content === 'string' && front === undefined
      ? textBlock(content, newline)
      : blocksOf(content, front && `${front}\n\n`)
          .map((block) => printBlock(projectBlock(block, client.revision), newline))
          .join(',')
  const text = `"content":[${blocks}],"isError":${isError}`
  if (structured === undefined || client.revision < '2025-06-18') return text
  return `${text},"structuredContent":${printJson(structured)}`
}

function blocksOf(content: string | readonly Block[], front: string | undefined): readonly Block[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
  return front === undefined ? blocks : [{ type: 'text', text: front }, ...blocks]
}

function printBlock(block: Block, newline: boolean): string {
  return block.type === 'text' ? textBlock(block.text, newline) : printJson(block)
}

function textBlock(text: string, newline: boolean): string {
  const end = newline && text !== '' && !text.endsWith('\n') ? '\n' : ''
  return `{"type":"text","text":${JSON.stringify(text.toWellFormed() + end)}}`
}
