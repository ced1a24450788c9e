// The result format of ArmorIQ's proxy and SDK: every content item is a text, and every text is JSON.

import { isObject, printJson } from '../../lib/json.js'
import type { Dialect } from '../../protocol/client.js'

export const ARMORIQ: Dialect = {
  content(blocks, isError) {
    const items = blocks.map((block) => ({
      type: 'text',
      text: block.type === 'text' ? toJsonText(block.text.toWellFormed(), isError) : printJson(block),
    }))
    return `"content":${JSON.stringify(items)},"isError":${isError}`
  },
  // The SDK adds its own keys to the arguments; a strict schema would reject every call.
  readArguments(args, known) {
    if (!isObject(args)) return args
    const isAddedBySdk = (name: string): boolean => !known.has(name) && (name.startsWith('_') || name === 'user_email')
    return Object.fromEntries(Object.entries(args).filter(([name]) => !isAddedBySdk(name)))
  },
}

/** A text that is already a JSON object or array is not changed. */
function toJsonText(text: string, isError: boolean): string {
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
