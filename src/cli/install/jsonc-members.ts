// Puts a member into an object of a JSON text and takes one out again, with the indentation, the commas and the
// comments that are there.

import type { Node } from 'jsonc-parser'

import { lineBreakOf } from './format.js'

const MOST_SPACE = 1000

export interface Edit {
  readonly at: number
  readonly length: number
  readonly text: string
}

export interface Style {
  readonly lineBreak: string
  /** Of one step. */
  readonly indent: string
  /** Whether the text is all in one line, and more than an empty object. */
  readonly isOneLine: boolean
  /** Over several lines, those after the first indented by so much more. */
  print(value: unknown, indentation: string): string
  inline(value: unknown): string
}

export function styleOf(text: string): Style {
  const lineBreak = lineBreakOf(text)
  const indent = /[{[][^\S\n]*\r?\n([\t ]+)\S/.exec(text)?.[1] ?? '  '
  return {
    lineBreak,
    indent,
    isOneLine: !/[\r\n]/.test(text.trim()) && !/^\s*(\{\s*\})?\s*$/.test(text),
    print: (value, indentation) => spread(value, indent).replaceAll('\n', lineBreak + indentation),
    inline,
  }
}

/** Lists stay in one line, as people write them. */
function spread(value: unknown, indent: string): string {
  const lists: string[] = []
  const marked = JSON.stringify(
    value,
    (_, part: unknown) => (Array.isArray(part) ? `\u0000${lists.push(inline(part)) - 1}` : part),
    indent,
  )
  return marked.replace(/"\\u0000(\d+)"/g, (_, index) => lists[Number(index)] ?? '')
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${inline(part)}`)
  return `{${members.join(', ')}}`
}

export interface Insertion {
  readonly edits: readonly Edit[]
  readonly lead: string
  readonly tail: string
}

/** As the last one. */
export function insertMember(text: string, object: Node, key: string, value: unknown, style: Style): Insertion {
  const last = object.children?.at(-1)
  return last === undefined
    ? insertFirst(text, object, key, value, style)
    : insertAfter(text, object, last, key, value, style)
}

function insertFirst(text: string, object: Node, key: string, value: unknown, style: Style): Insertion {
  const opening = object.offset + 1
  const closing = object.offset + object.length - 1
  const at = endOfComments(text, opening, closing)
  if (style.isOneLine) return inserted(at, '', member(key, value, style), '')
  const outer = indentationAt(text, object.offset)
  const inner = outer + style.indent
  const tail = /[\r\n]/.test(text.slice(at, closing)) ? '' : style.lineBreak + outer
  return inserted(at, style.lineBreak + inner, member(key, value, style, inner), tail)
}

function insertAfter(text: string, object: Node, last: Node, key: string, value: unknown, style: Style): Insertion {
  const end = last.offset + last.length
  const next = skipTrivia(text, end)
  const hasComma = text[next] === ','
  const settled = hasComma ? next + 1 : end
  const comment = commentOnLine(text, settled)
  const at = comment?.end ?? settled
  const isInline = !/[\r\n]/.test(text.slice(object.offset, last.offset)) && comment?.kind !== 'line'
  const outer = isInline ? '' : indentationAt(text, object.offset)
  const inner = isFirstOnLine(text, last.offset) ? indentationAt(text, last.offset) : outer + style.indent
  const lead = isInline ? ' ' : style.lineBreak + inner
  const written = isInline ? member(key, value, style) : member(key, value, style, inner)
  const insertion = inserted(at, lead, written + (hasComma ? ',' : ''), '')
  if (hasComma) return insertion
  return { ...insertion, edits: [{ at: end, length: 0, text: ',' }, ...insertion.edits] }
}

function inserted(at: number, lead: string, written: string, tail: string): Insertion {
  return { edits: [{ at, length: 0, text: lead + written + tail }], lead, tail }
}

function member(key: string, value: unknown, style: Style, indentation?: string): string {
  const written = indentation === undefined ? style.inline(value) : style.print(value, indentation)
  return `${JSON.stringify(key)}: ${written}`
}

/** `lead` and `tail` go with it where they are found; `isClose` says whether other white space before it goes. */
export function withoutMember(
  text: string,
  object: Node,
  gone: Node,
  lead: string | undefined,
  tail: string,
  isClose: boolean,
): string {
  const members = object.children ?? []
  const index = members.indexOf(gone)
  const previous = members[index - 1]
  const end = gone.offset + gone.length
  const next = skipTrivia(text, end)
  const hasComma = text[next] === ','
  const start = gone.offset - spaceBefore(text, gone.offset, lead, isClose)
  const isAlone = members.length === 1
  const after = isAlone && tail !== '' && text.startsWith(tail, end) ? tail.length : 0
  const edits = [cut(start, end + after)]
  if (hasComma) edits.push(cut(next, next + 1))
  if (!hasComma && previous !== undefined) {
    const comma = skipTrivia(text, previous.offset + previous.length)
    edits.unshift(cut(comma, comma + 1))
  }
  return applyEdits(text, edits)
}

function spaceBefore(text: string, at: number, lead: string | undefined, isClose: boolean): number {
  if (lead !== undefined && text.slice(0, at).endsWith(lead)) return lead.length
  if (!isClose) return 0
  return /[\t ]*(\r?\n)?[\t ]*$/.exec(text.slice(Math.max(0, at - MOST_SPACE), at))?.[0].length ?? 0
}

function cut(from: number, to: number): Edit {
  return { at: from, length: to - from, text: '' }
}

/** They must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  // Of two at one place, the one named first comes first.
  const backwards = edits
    .map((edit, index) => ({ edit, index }))
    .toSorted((a, b) => b.edit.at - a.edit.at || b.index - a.index)
  return backwards.reduce(
    (result, { edit }) => result.slice(0, edit.at) + edit.text + result.slice(edit.at + edit.length),
    text,
  )
}

/** Where the next thing begins that is neither white space nor a comment. */
function skipTrivia(text: string, from: number): number {
  const trivia = /(?:\s|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y
  trivia.lastIndex = from
  trivia.exec(text)
  return trivia.lastIndex
}

/** The end of the last comment there; the beginning where there is none. */
function endOfComments(text: string, from: number, to: number): number {
  const comments = [...text.slice(from, to).matchAll(/\/\/[^\r\n]*|\/\*[^]*?\*\//g)]
  const last = comments.at(-1)
  return last === undefined ? from : from + last.index + last[0].length
}

/** A comment that follows in the same line and belongs to what stands before it. */
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
