// A TOML text as its statements: headers of tables and pairs of key and value, each with the place it has in the text
// and the path it speaks of. Only for texts that a parser has accepted.

import { parse } from 'smol-toml'

import { isObject } from '../../lib/json.js'

export interface Statement {
  readonly kind: 'header' | 'pair'
  /** From the root of the document. */
  readonly path: readonly string[]
  /** From the first character of its line, to behind its line break. */
  readonly start: number
  readonly end: number
  /** Of a pair, where its value stands. */
  readonly value: { readonly start: number; readonly end: number }
}

export function statementsOf(text: string): readonly Statement[] {
  const statements: Statement[] = []
  let table: readonly string[] = []
  for (let at = skipBlank(text, 0); at < text.length;) {
    const start = text.lastIndexOf('\n', at - 1) + 1
    if (text[at] === '[') {
      const isArray = text[at + 1] === '['
      const keys = endOfKeys(text, at + (isArray ? 2 : 1))
      table = pathOf(text.slice(at + (isArray ? 2 : 1), keys))
      const end = endOfLine(text, keys)
      statements.push({ kind: 'header', path: table, start, end, value: { start: end, end } })
      at = skipBlank(text, end)
      continue
    }
    const keys = endOfKeys(text, at)
    const from = skipSpaces(text, keys + 1)
    const to = endOfValue(text, from)
    const end = endOfLine(text, to)
    const path = [...table, ...pathOf(text.slice(at, keys))]
    statements.push({ kind: 'pair', path, start, end, value: { start: from, end: to } })
    at = skipBlank(text, end)
  }
  return statements
}

/** Lets the parser read the dots and the quotes. */
function pathOf(keys: string): readonly string[] {
  const path: string[] = []
  for (let value: unknown = parse(`${keys} = 0`); isObject(value);) {
    const [first] = Object.entries(value)
    if (first === undefined) break
    path.push(first[0])
    value = first[1]
  }
  return path
}

/** Where the keys end: at `=` or `]`. */
function endOfKeys(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '=' && text[at] !== ']')
    at = isQuote(text[at]) ? endOfString(text, at) : at + 1
  return at
}

function endOfValue(text: string, from: number): number {
  let depth = 0
  let at = from
  let end = from
  while (at < text.length) {
    const sign = text[at] ?? ''
    if (isQuote(sign)) at = end = endOfString(text, at)
    else if (sign === '#') {
      if (depth === 0) break
      at = endOfComment(text, at)
    } else if (/[\r\n]/.test(sign)) {
      if (depth === 0) break
      at++
    } else {
      if (sign === '[' || sign === '{') depth++
      if (sign === ']' || sign === '}') depth--
      at++
      if (!/[\t ]/.test(sign)) end = at
    }
  }
  return end
}

function endOfString(text: string, from: number): number {
  const quote = text[from] ?? ''
  const many = quote.repeat(3)
  const isLong = text.startsWith(many, from)
  const closing = isLong ? many : quote
  let at = from + closing.length
  while (at < text.length && !text.startsWith(closing, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1
  at += closing.length
  if (!isLong) return at
  // Up to two quotes may stand before the closing ones.
  while (text[at] === quote) at++
  return at
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at === -1 ? text.length : at + 1
}

function endOfComment(text: string, from: number): number {
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

function isQuote(sign: string | undefined): boolean {
  return sign === '"' || sign === "'"
}
