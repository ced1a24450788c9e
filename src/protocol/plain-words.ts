// The default output of a tool without `format`: a string or content blocks as they are, anything else as JSON.

import { isObject, printJson } from '../lib/json.js'
import type { Block, Words } from '../tools/tool.js'

export function plainWords(value: unknown, isData: boolean): Words {
  if (typeof value === 'string') return value
  if (value === undefined) return []
  if (!isData && (isBlocks(value) || isMarked(value))) return value
  // A result as other libraries return it: blocks without `isError`.
  if (!isData && isObject(value) && value.isError === undefined && isBlocks(value.content)) return value.content
  return printJson([value]).slice(1, -1)
}

/** Output that has an `isError` flag. */
export function isMarked(value: unknown): value is Exclude<Words, string | readonly Block[]> {
  if (!isObject(value) || typeof value.isError !== 'boolean') return false
  return typeof value.content === 'string' || isBlocks(value.content)
}

/** An empty list is data; a tool without output returns undefined. */
function isBlocks(value: unknown): value is readonly Block[] {
  return Array.isArray(value) && value.length > 0 && value.every(isBlock)
}

function isBlock(value: unknown): value is Block {
  if (!isObject(value)) return false
  switch (value.type) {
    case 'text':
      return typeof value.text === 'string'
    case 'image':
    case 'audio':
      return typeof value.data === 'string' && typeof value.mimeType === 'string'
    case 'resource':
      return isObject(value.resource) && typeof value.resource.uri === 'string'
    case 'resource_link':
      return typeof value.uri === 'string' && typeof value.name === 'string'
    default:
      return false
  }
}
