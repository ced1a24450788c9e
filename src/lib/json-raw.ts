// Reads the raw text of members and elements of JSON text without parsing the rest: JSON.parse rounds integers beyond
// 2^53, and ids must be echoed exactly. The text was already accepted by JSON.parse.

import { stringEnd } from './json-depth.js'

/** Returns the raw text of the value at `path`; of duplicate keys the last one counts, as in JSON.parse. */
export function rawMember(text: string, path: readonly string[]): string | undefined {
  let raw: string | undefined = text
  for (const key of path) {
    if (raw === undefined) return undefined
    raw = readMember(raw, key)
  }
  return raw?.trim()
}

/** Returns the raw text of each element of a JSON array. */
export function rawElements(text: string): readonly string[] {
  const elements: string[] = []
  let at = skipSpace(text, skipSpace(text, 0) + 1)
  while (at < text.length && text[at] !== ']') {
    const end = skipValue(text, at)
    elements.push(text.slice(at, end))
    at = skipSpace(text, end + (text[end] === ',' ? 1 : 0))
  }
  return elements
}

function readMember(text: string, key: string): string | undefined {
  let at = skipSpace(text, 0)
  if (text[at] !== '{') return undefined
  let found: string | undefined
  at = skipSpace(text, at + 1)
  while (text[at] === '"') {
    const nameEnd = stringEnd(text, at + 1) + 1
    const name: unknown = JSON.parse(text.slice(at, nameEnd))
    const valueStart = skipSpace(text, text.indexOf(':', nameEnd) + 1)
    const valueEnd = skipValue(text, valueStart)
    if (name === key) found = text.slice(valueStart, valueEnd)
    at = skipSpace(text, valueEnd)
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return found
}

function skipValue(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      at = stringEnd(text, at + 1)
    } else if (char === '{' || char === '[') {
      depth++
    } else if (char === '}' || char === ']') {
      if (depth === 0) return at
      depth--
    } else if (char === ',' && depth === 0) {
      return at
    }
  }
  return text.length
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at++
  return at
}
