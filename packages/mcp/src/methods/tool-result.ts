// Formats the content of a tools/call result for the client's revision. Results are passed on as the JSON text of their
// members, without braces, so that large ones are serialized once. Text is made well-formed, because strict clients
// reject a message that contains a lone surrogate. Used by tools.ts. Pure.

import type { ContentBlock, ToolOutput } from '../definitions/tool.js'
import { isJsonObject, type JsonObject, stringifyWellFormed } from '../json/json.js'
import type { ClientProfile } from '../revisions/client-profile.js'
import { projectBlock } from '../revisions/projection.js'

/** The result of a call before it is formatted. */
export interface ResultParts {
  readonly output: ToolOutput
  readonly structured?: JsonObject | undefined
  /** The members of `_meta`. */
  readonly meta?: JsonObject | undefined
}

export interface ToolResultOptions {
  readonly structured?: JsonObject | undefined
  /** Pending messages, sent before the content in a block of their own, followed by an empty line. */
  readonly pendingText?: string | undefined
  /** Ends each text block with a newline, because some clients join blocks without a separator. */
  readonly newlineAfterText?: boolean
}

export function formatToolResult(output: ToolOutput, client: ClientProfile, options: ToolResultOptions): string {
  const { structured, pendingText, newlineAfterText = false } = options
  const { content, isError } =
    typeof output !== 'string' && 'content' in output ? output : { content: output, isError: false }
  if (client.toolCallFormat) return client.toolCallFormat.formatContent(toBlocks(content, pendingText), isError)
  // The common case, without allocating a block.
  const blocks =
    typeof content === 'string' && pendingText === undefined
      ? stringifyText(content, newlineAfterText)
      : toBlocks(content, pendingText && `${pendingText}\n\n`)
          .map((block) => stringifyBlock(projectBlock(block, client.revision), newlineAfterText))
          .join(',')
  const text = `"content":[${blocks}],"isError":${isError}`
  if (structured === undefined || client.revision < '2025-06-18') return text
  return `${text},"structuredContent":${stringifyWellFormed(structured)}`
}

function toBlocks(content: string | readonly ContentBlock[], front: string | undefined): readonly ContentBlock[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content
  return front === undefined ? blocks : [{ type: 'text', text: front }, ...blocks]
}

function stringifyBlock(block: ContentBlock, newline: boolean): string {
  return block.type === 'text' ? stringifyText(block.text, newline) : stringifyWellFormed(block)
}

function stringifyText(text: string, newline: boolean): string {
  const end = newline && text !== '' && !text.endsWith('\n') ? '\n' : ''
  return `{"type":"text","text":${JSON.stringify(text.toWellFormed() + end)}}`
}

/** The default output of a tool without `format`: a string or content blocks as they are, anything else as JSON. */
export function defaultToolOutput(value: unknown, isData: boolean): ToolOutput {
  if (typeof value === 'string') return value
  if (value === undefined) return []
  if (!isData && (isBlocks(value) || hasErrorFlag(value))) return value
  // A result as other libraries return it: blocks without `isError`.
  if (!isData && isJsonObject(value) && value.isError === undefined && isBlocks(value.content)) return value.content
  return stringifyWellFormed([value]).slice(1, -1)
}

/** Output that has an `isError` flag. */
export function hasErrorFlag(value: unknown): value is Exclude<ToolOutput, string | readonly ContentBlock[]> {
  if (!isJsonObject(value) || typeof value.isError !== 'boolean') return false
  return typeof value.content === 'string' || isBlocks(value.content)
}

export function isErrorOutput(output: ToolOutput): boolean {
  return typeof output !== 'string' && 'isError' in output && output.isError
}

/** An empty list is data; a tool without output returns undefined. */
function isBlocks(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.length > 0 && value.every(isBlock)
}

function isBlock(value: unknown): value is ContentBlock {
  if (!isJsonObject(value)) return false
  switch (value.type) {
    case 'text':
      return typeof value.text === 'string'
    case 'image':
    case 'audio':
      return typeof value.data === 'string' && typeof value.mimeType === 'string'
    case 'resource':
      return isJsonObject(value.resource) && typeof value.resource.uri === 'string'
    case 'resource_link':
      return typeof value.uri === 'string' && typeof value.name === 'string'
    default:
      return false
  }
}
