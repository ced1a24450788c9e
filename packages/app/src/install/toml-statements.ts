// Splits TOML text into statements (table headers and key/value pairs), each with its position and path, for
// toml-format.ts. The text must have been accepted by the parser. Pure.

import { parse } from 'smol-toml'

import { isJsonObject } from '@scorpiox/mcp/json/json'

export interface TomlStatement {
  readonly kind: 'header' | 'pair'
  /** From the root of the document. */
  readonly path: readonly string[]
  /** From the start of its line to the end of its line break. */
  readonly start: number
  readonly end: number
  /** Position of the value of a pair. */
  readonly value: { readonly start: number; readonly end: number }
}

export function parseTomlStatements(text: string): readonly TomlStatement[] {
  const statements: TomlStatement[] = []
  let table: readonly string[] = []
  for (let at = skipBlank(text, 0); at < text.length;) {
    const start = text.lastIndexOf('\n', at - 1) + 1
    if (text[at] === '[') {
      const isArray = text[at + 1] === '['
      const keys = findKeysEnd(text, at + (isArray ? 2 : 1))
      table = parseKeyPath(text.slice(at + (isArray ? 2 : 1), keys))
      const end = findLineEnd(text, keys)
      statements.push({ kind: 'header', path: table, start, end, value: { start: end, end } })
      at = skipBlank(text, end)
      continue
    }
    const keys = findKeysEnd(text, at)
    const from = skipSpaces(text, keys + 1)
    const to = findValueEnd(text, from)
    const end = findLineEnd(text, to)
    const path = [...table, ...parseKeyPath(text.slice(at, keys))]
    statements.push({ kind: 'pair', path, start, end, value: { start: from, end: to } })
    at = skipBlank(text, end)
  }
  return statements
}

/** The parser handles dots and quotes. */
function parseKeyPath(keys: string): readonly string[] {
  const path: string[] = []
  for (let value: unknown = parse(`${keys} = 0`); isJsonObject(value);) {
    const [first] = Object.entries(value)
    if (first === undefined) break
    path.push(first[0])
    value = first[1]
  }
  return path
}

/** Position of the `=` or `]` after the keys. */
function findKeysEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '=' && text[at] !== ']')
    at = isQuote(text[at]) ? findStringEnd(text, at) : at + 1
  return at
}

function findValueEnd(text: string, from: number): number {
  let depth = 0
  let at = from
  let end = from
  while (at < text.length) {
    const character = text[at] ?? ''
    if (isQuote(character)) at = end = findStringEnd(text, at)
    else if (character === '#') {
      if (depth === 0) break
      at = findCommentEnd(text, at)
    } else if (/[\r\n]/.test(character)) {
      if (depth === 0) break
      at++
    } else {
      if (character === '[' || character === '{') depth++
      if (character === ']' || character === '}') depth--
      at++
      if (!/[\t ]/.test(character)) end = at
    }
  }
  return end
}

function findStringEnd(text: string, from: number): number {
  const quote = text[from] ?? ''
  const tripleQuote = quote.repeat(3)
  const isLong = text.startsWith(tripleQuote, from)
  const closing = isLong ? tripleQuote : quote
  let at = from + closing.length
  while (at < text.length && !text.startsWith(closing, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1
  at += closing.length
  if (!isLong) return at
  // Up to two quotes may precede the closing ones.
  while (text[at] === quote) at++
  return at
}

function findLineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at === -1 ? text.length : at + 1
}

function findCommentEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at === -1 ? text.length : at
}

function skipBlank(text: string, from: number): number {
  const blank = /(?:\s|#[^\n]*)*/y
  blank.lastIndex = from
  blank.exec(text)
  return blank.lastIndex
}

function skipSpaces(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\t') at++
  return at
}

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'"
}
