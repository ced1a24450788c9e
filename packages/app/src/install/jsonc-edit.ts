// Inserts and removes a member of an object in JSON text, and keeps indentation, commas and comments. Used by
// jsonc-format.ts. Pure.

import type { Node } from 'jsonc-parser'

import { detectLineBreak } from './config-format.js'

const MAX_SPACE = 1000

export interface TextEdit {
  readonly at: number
  readonly length: number
  readonly text: string
}

export interface JsonStyle {
  readonly lineBreak: string
  /** One level of indentation. */
  readonly indent: string
  /** Whether the text is a single line and not an empty object. */
  readonly isOneLine: boolean
  /** Multi-line; lines after the first get this additional indentation. */
  print(value: unknown, indentation: string): string
  inline(value: unknown): string
}

export function detectJsonStyle(text: string): JsonStyle {
  const lineBreak = detectLineBreak(text)
  const indent = /[{[][^\S\n]*\r?\n([\t ]+)\S/.exec(text)?.[1] ?? '  '
  return {
    lineBreak,
    indent,
    isOneLine: !/[\r\n]/.test(text.trim()) && !/^(\{\s*\})?$/.test(text.trim()),
    print: (value, indentation) => printMultiline(value, indent).replaceAll('\n', lineBreak + indentation),
    inline,
  }
}

/** Arrays are written on one line. */
function printMultiline(value: unknown, indent: string): string {
  const lists: string[] = []
  const withPlaceholders = JSON.stringify(
    value,
    (_, part: unknown) => (Array.isArray(part) ? `\u0000${lists.push(inline(part)) - 1}` : part),
    indent,
  )
  return withPlaceholders.replace(/"\\u0000(\d+)"/g, (_, index) => lists[Number(index)] ?? '')
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${inline(part)}`)
  return `{${members.join(', ')}}`
}

export interface MemberInsertion {
  readonly edits: readonly TextEdit[]
  readonly lead: string
  readonly tail: string
}

/** Inserts it as the last member. */
export function insertMember(
  text: string,
  object: Node,
  key: string,
  value: unknown,
  style: JsonStyle,
): MemberInsertion {
  const last = object.children?.at(-1)
  return last === undefined
    ? insertFirst(text, object, key, value, style)
    : insertAfter(text, object, last, key, value, style)
}

function insertFirst(text: string, object: Node, key: string, value: unknown, style: JsonStyle): MemberInsertion {
  const opening = object.offset + 1
  const closing = object.offset + object.length - 1
  const at = endOfComments(text, opening, closing)
  if (style.isOneLine) return createInsertion(at, '', formatMember(key, value, style), '')
  const outer = indentationAt(text, object.offset)
  const inner = outer + style.indent
  const tail = /[\r\n]/.test(text.slice(at, closing)) ? '' : style.lineBreak + outer
  return createInsertion(at, style.lineBreak + inner, formatMember(key, value, style, inner), tail)
}

function insertAfter(
  text: string,
  object: Node,
  last: Node,
  key: string,
  value: unknown,
  style: JsonStyle,
): MemberInsertion {
  const end = last.offset + last.length
  const next = skipTrivia(text, end)
  const hasComma = text[next] === ','
  const afterComma = hasComma ? next + 1 : end
  const comment = commentOnLine(text, afterComma)
  const at = comment?.end ?? afterComma
  const isInline = !/[\r\n]/.test(text.slice(object.offset, last.offset)) && comment?.kind !== 'line'
  const outer = isInline ? '' : indentationAt(text, object.offset)
  const inner = isFirstOnLine(text, last.offset) ? indentationAt(text, last.offset) : outer + style.indent
  const lead = isInline ? ' ' : style.lineBreak + inner
  const memberText = isInline ? formatMember(key, value, style) : formatMember(key, value, style, inner)
  const insertion = createInsertion(at, lead, memberText + (hasComma ? ',' : ''), '')
  if (hasComma) return insertion
  return { ...insertion, edits: [{ at: end, length: 0, text: ',' }, ...insertion.edits] }
}

function createInsertion(at: number, lead: string, memberText: string, tail: string): MemberInsertion {
  return { edits: [{ at, length: 0, text: lead + memberText + tail }], lead, tail }
}

function formatMember(key: string, value: unknown, style: JsonStyle, indentation?: string): string {
  const memberText = indentation === undefined ? style.inline(value) : style.print(value, indentation)
  return `${JSON.stringify(key)}: ${memberText}`
}

/** Also removes `lead` and `tail` if they are found; `isClose` says whether to remove other white space before it. */
export function removeMember(
  text: string,
  object: Node,
  removed: Node,
  lead: string | undefined,
  tail: string,
  isClose: boolean,
): string {
  const members = object.children ?? []
  const index = members.indexOf(removed)
  const previous = members[index - 1]
  const end = removed.offset + removed.length
  const next = skipTrivia(text, end)
  const hasComma = text[next] === ','
  const start = removed.offset - spaceBefore(text, removed.offset, lead, isClose)
  const isOnlyMember = members.length === 1
  const tailLength = isOnlyMember && tail !== '' && text.startsWith(tail, end) ? tail.length : 0
  const edits = [deletion(start, end + tailLength)]
  if (hasComma) edits.push(deletion(next, next + 1))
  if (!hasComma && previous !== undefined) {
    const comma = skipTrivia(text, previous.offset + previous.length)
    edits.unshift(deletion(comma, comma + 1))
  }
  return applyTextEdits(text, edits)
}

function spaceBefore(text: string, at: number, lead: string | undefined, isClose: boolean): number {
  if (lead !== undefined && text.slice(0, at).endsWith(lead)) return lead.length
  if (!isClose) return 0
  return /(?<![\t ])(?:[\t ]*\r?\n)?[\t ]*$/.exec(text.slice(Math.max(0, at - MAX_SPACE), at))?.[0].length ?? 0
}

function deletion(from: number, to: number): TextEdit {
  return { at: from, length: to - from, text: '' }
}

/** The edits must not overlap. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  // Of two edits at one position, the first in the list comes first in the text.
  const fromEnd = edits
    .map((edit, index) => ({ edit, index }))
    .toSorted((a, b) => b.edit.at - a.edit.at || b.index - a.index)
  return fromEnd.reduce(
    (result, { edit }) => result.slice(0, edit.at) + edit.text + result.slice(edit.at + edit.length),
    text,
  )
}

/** Position of the next token after white space and comments. */
function skipTrivia(text: string, from: number): number {
  const trivia = /(?:\s|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y
  trivia.lastIndex = from
  trivia.exec(text)
  return trivia.lastIndex
}

/** End of the last comment in the range; its start if there is none. */
function endOfComments(text: string, from: number, to: number): number {
  const comments = [...text.slice(from, to).matchAll(/\/\/[^\r\n]*|\/\*[^]*?(?:\*\/|$)/g)]
  const last = comments.at(-1)
  return last === undefined ? from : from + last.index + last[0].length
}

/** A comment that follows on the same line. */
function commentOnLine(
  text: string,
  from: number,
): { readonly kind: 'line' | 'block'; readonly end: number } | undefined {
  const comment = /[\t ]*(\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)/y
  comment.lastIndex = from
  const found = comment.exec(text)?.[1]
  return found === undefined ? undefined : { kind: found.startsWith('//') ? 'line' : 'block', end: comment.lastIndex }
}

function indentationAt(text: string, at: number): string {
  return /^[\t ]*/.exec(text.slice(lineStart(text, at)))?.[0] ?? ''
}

function isFirstOnLine(text: string, at: number): boolean {
  return text.slice(lineStart(text, at), at).trim() === '' && lineStart(text, at) > 0
}

function lineStart(text: string, at: number): number {
  return Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1
}
