// The results of calls to mounted servers, with the prefix in their URIs; those of other processes are checked. Used by
// remote-definitions.ts and local-mount.ts. Pure.

import type { ContentBlock } from '../definitions/tool.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { ForwardedResult } from '../jsonrpc/result.js'
import { prefixBlock } from './mount-lists.js'

export class MountedResult extends ForwardedResult {
  readonly output
  readonly structured
  readonly meta

  constructor(prefix: string, { content, structuredContent, isError, _meta }: JsonObject) {
    super()
    const blocks = Array.isArray(content) ? content.map((block) => readBlock(prefix, block)) : []
    this.output = { content: blocks, isError: isError === true }
    this.structured = isJsonObject(structuredContent) ? structuredContent : undefined
    // What the protocol itself says in `_meta` concerns the connection to the mounted server.
    const entries = Object.entries(isJsonObject(_meta) ? _meta : {})
    const own = entries.filter(([key]) => !key.startsWith('io.modelcontextprotocol/'))
    this.meta = own.length > 0 ? Object.fromEntries(own) : undefined
  }
}

/** A result whose parts are known. */
export class ReadyResult extends ForwardedResult {
  readonly output
  readonly structured
  readonly meta

  constructor({ output, structured, meta }: ForwardedResult) {
    super()
    this.output = output
    this.structured = structured
    this.meta = meta
  }
}

/** A result of a server that is mounted by a mounted one. */
export function prefixResult(prefix: string, { output, structured, meta }: ForwardedResult): ReadyResult {
  const content = output.content.map((block) => prefixBlock(prefix, block))
  return new ReadyResult({ output: { ...output, content }, structured, meta })
}

export function readBlock(prefix: string, value: unknown): ContentBlock {
  if (isContentBlock(value)) return prefixBlock(prefix, value)
  const type = isJsonObject(value) ? String(value.type).slice(0, 40) : 'none'
  return { type: 'text', text: `[content of a type that is not known here: ${type}]` }
}

function isContentBlock(value: unknown): value is ContentBlock {
  if (!isJsonObject(value)) return false
  const { type, text, data, mimeType, resource, uri, name } = value
  if (type === 'text') return typeof text === 'string'
  if (type === 'image' || type === 'audio') return typeof data === 'string' && typeof mimeType === 'string'
  if (type === 'resource_link') return typeof uri === 'string' && typeof name === 'string'
  return type === 'resource' && isJsonObject(resource) && typeof resource.uri === 'string'
}
