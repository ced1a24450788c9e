// Scans JSON text without parsing it: counts its values and tests its nesting depth before JSON.parse, which on five
// million brackets or objects blocks the event loop; and reads the raw text of members and elements. Used by
// jsonrpc/message.ts, parse-questions and describe-script. Pure.

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const SPACE = 0x20
const SCAN_CHARS = 24
// Numbers and white space are slow to read and need no values.
const MAX_OUTSIDE = 4 * 1024 * 1024

/**
 * Counts the values of JSON text by its commas and brackets: no value needs fewer of them. Returns -1 if the text is nested
 * too deeply, and Infinity if it has more than `maxValues` values or too many characters outside of strings.
 */
export function countValues(text: string, maxDepth: number, maxValues: number): number {
  let depth = 0
  let values = 1
  let outside = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // '[' and '{' differ by 0x20, as do ']' and '}', and no other character shares the pairs.
    if ((code | 0x20) === 0x7b) {
      if (++depth > maxDepth) return -1
      values++
    } else if ((code | 0x20) === 0x7d) {
      depth--
    } else if (code === QUOTE) {
      at = findStringEnd(text, at + 1)
    } else if (code === COMMA) {
      values++
    }
    if (++outside > MAX_OUTSIDE || values > maxValues) return Infinity
  }
  return values
}

export function isDeeperThan(limit: number, text: string): boolean {
  return countValues(text, limit, Infinity) < 0
}

/** Returns the position of the quote that closes the string whose first character is at `from`. */
function findStringEnd(text: string, from: number): number {
  for (let at = from; ;) {
    // Short strings, and escapes that follow one another closely, are read faster one character at a time.
    const scanEnd = Math.min(at + SCAN_CHARS, text.length)
    while (at < scanEnd) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) return at
      at += code === BACKSLASH ? 2 : 1
    }
    const quote = text.indexOf('"', at)
    if (quote === -1) return text.length
    if (!isEscaped(text, quote, at)) return quote
    at = quote + 1
  }
}

function isEscaped(text: string, at: number, from: number): boolean {
  let slashes = 0
  while (at - slashes > from && text.charCodeAt(at - slashes - 1) === BACKSLASH) slashes++
  return slashes % 2 === 1
}

/**
 * Returns the raw text of the value at `path`: JSON.parse rounds integers beyond 2^53, and ids must be echoed exactly.
 * The text was already accepted by JSON.parse; of duplicate keys the last one counts, as there.
 */
export function readRawMember(text: string, path: readonly string[]): string | undefined {
  let raw: string | undefined = text
  for (const key of path) {
    if (raw === undefined) return undefined
    raw = readMember(raw, key)
  }
  return raw?.trim()
}

/** Returns the raw text of each element of a JSON array. */
export function readRawElements(text: string): readonly string[] {
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
    const nameEnd = findStringEnd(text, at + 1) + 1
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
      at = findStringEnd(text, at + 1)
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
  while (text.charCodeAt(at) <= SPACE) at++
  return at
}
