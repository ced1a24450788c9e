// Formats the content of a tools/call result for the client's revision. Results are passed on as the JSON text of their
// members, without braces, so that large ones are serialized once. Text is made well-formed, because strict clients
// reject a message that contains a lone surrogate.

import { printJson, type JsonObject } from '../lib/json.js'
import type { Block, Words } from '../tools/tool.js'
import type { Client } from './client.js'
import { projectBlock } from './projection.js'

export interface ContentOptions {
  readonly structured?: JsonObject | undefined
  /** Pending messages, sent before the content in a block of their own, followed by an empty line. */
  readonly front?: string | undefined
  /** Ends each text block with a newline, because some clients join blocks without a separator. */
  readonly newline?: boolean
}

export function contentMembers(output: Words, client: Client, options: ContentOptions): string {
  const { structured, front, newline = false } = options
  const { content, isError } =
    typeof output !== 'string' && 'content' in output ? output : { content: output, isError: false }
  if (client.dialect) return client.dialect.content(toBlocks(content, front), isError)
  // The common case, without allocating a block.
  const blocks =
    typeof content === 'string' && front === undefined
      ? stringifyText(content, newline)
      : toBlocks(content, front && `${front}\n\n`)
          .map((block) => stringifyBlock(projectBlock(block, client.revision), newline))
          .join(',')
  const text = `"content":[${blocks}],"isError":${isError}`
  if (structured === undefined || client.revision < '2025-06-18') return text
  return `${text},"structuredContent":${printJson(structured)}`
}

function toBlocks(content: string | readonly Block[], front: string | undefined): readonly Block[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
  return front === undefined ? blocks : [{ type: 'text', text: front }, ...blocks]
}

function stringifyBlock(block: Block, newline: boolean): string {
  return block.type === 'text' ? stringifyText(block.text, newline) : printJson(block)
}

function stringifyText(text: string, newline: boolean): string {
  const end = newline && text !== '' && !text.endsWith('\n') ? '\n' : ''
  return `{"type":"text","text":${JSON.stringify(text.toWellFormed() + end)}}`
}
