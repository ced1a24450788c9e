// Tool calls in the form that ArmorIQ's proxy and SDK use: every content item is a text, and every text is JSON.

import { isObject, printJson } from '../../lib/json.js'
import type { Dialect } from '../../protocol/client.js'

export const ARMORIQ: Dialect = {
  content(blocks, isError) {
    const items = blocks.map((block) => ({
      type: 'text',
      text: block.type === 'text' ? jsonText(block.text.toWellFormed(), isError) : printJson(block),
    }))
    return `"content":${JSON.stringify(items)},"isError":${isError}`
  },
  // The SDK adds keys of its own to the arguments; a strict schema would refuse every call.
  readArguments(given, known) {
    if (!isObject(given)) return given
    const isOwn = (name: string): boolean => !known.has(name) && (name.startsWith('_') || name === 'user_email')
    return Object.fromEntries(Object.entries(given).filter(([name]) => !isOwn(name)))
  },
}

/** A text that is a JSON object or array already stays as it is. */
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
