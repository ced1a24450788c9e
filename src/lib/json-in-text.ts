// The JSON object in what a program printed, which may have complained before or after it.

import { isObject, parseJson, type JsonObject } from './json.js'
import { deeperThan } from './json-depth.js'

const MAX_DEPTH = 64

/** The whole text, else from the first line that opens an object to the last that closes one, else the last such line. */
export function jsonInText(text: string): JsonObject | undefined {
  const lines = text.trim().split('\n')
  const first = lines.findIndex((line) => line.startsWith('{'))
  const last = lines.findLastIndex((line) => line.trimEnd().endsWith('}'))
  if (first === -1 || last < first) return undefined
  return objectIn(lines.slice(first, last + 1).join('\n')) ?? objectIn(lines[last] ?? '')
}

function objectIn(text: string): JsonObject | undefined {
  const value = deeperThan(MAX_DEPTH, text) ? undefined : parseJson(text)
  return isObject(value) ? value : undefined
}
