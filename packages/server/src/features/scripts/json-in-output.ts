// Finds the JSON object in the output of a program that may print other lines before or after it.

import { isJsonObject, type JsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { isDeeperThan } from '@scorpiox/mcp/json/json-scan'

const MAX_DEPTH = 64

/** Tries the text from the first line that opens an object to the last that closes one, then the last such line. */
export function findJsonObject(text: string): JsonObject | undefined {
  const lines = text.trim().split('\n')
  const first = lines.findIndex((line) => line.startsWith('{'))
  const last = lines.findLastIndex((line) => line.trimEnd().endsWith('}'))
  if (first === -1 || last < first) return undefined
  return parseObject(lines.slice(first, last + 1).join('\n')) ?? parseObject(lines[last] ?? '')
}

function parseObject(text: string): JsonObject | undefined {
  const value = isDeeperThan(MAX_DEPTH, text) ? undefined : tryParseJson(text)
  return isJsonObject(value) ? value : undefined
}
