// The parts of a document that should not be cut: blocks of code and tables. Each with what continues it on another page
// where it has to be cut after all.

import type { Format } from './extract/extractor.js'

export interface Block {
  readonly start: number
  /** The first place behind it. */
  readonly end: number
  /** What closes it where it is cut, and what opens it again; whole lines, or ''. */
  readonly close: string
  readonly reopen: string
}

/** In order, and none within another. */
export function blocksOf(content: string, format: Format): readonly Block[] {
  if (format === 'text') return []
  return format === 'html' ? elementsOf(content) : [...markdownBlocks(content)]
}

interface Line {
  readonly text: string
  readonly start: number
  readonly end: number
}

function* markdownBlocks(content: string): Generator<Block> {
  let fence: { readonly opener: Line; readonly mark: string } | undefined
  let rows: Line[] = []
  for (const line of linesOf(content)) {
    if (fence) {
      if (!closes(line.text, fence.mark)) continue
      yield codeBlock(fence.opener, fence.mark, line.end)
      fence = undefined
      continue
    }
    if (isRow(line.text)) {
      rows.push(line)
      continue
    }
    yield* table(rows)
    rows = []
    const mark = /^[\s>]*(`{3,}(?=[^`]*$)|~{3,})/.exec(line.text)?.[1]
    if (mark !== undefined) fence = { opener: line, mark }
  }
  if (fence) yield codeBlock(fence.opener, fence.mark, content.length)
  yield* table(rows)
}

function closes(text: string, mark: string): boolean {
  const line = text.replace(/^[\s>]*/, '').trimEnd()
  return line.length >= mark.length && line === mark.charAt(0).repeat(line.length)
}

function codeBlock({ text, start }: Line, mark: string, end: number): Block {
  const indent = text.slice(0, text.indexOf(mark))
  return { start, end, close: `${indent}${mark}`, reopen: `${text}\n` }
}

function isRow(text: string): boolean {
  return /^[\s>]*\|/.test(text)
}

function* table(rows: readonly Line[]): Generator<Block> {
  const [head, rule] = rows
  const last = rows.at(-1)
  if (!head || !rule || !last) return
  const hasHead = /^[\s>|:-]+$/.test(rule.text)
  yield { start: head.start, end: last.end, close: '', reopen: hasHead ? `${head.text}\n${rule.text}\n` : '' }
}

function* linesOf(content: string): Generator<Line> {
  let start = 0
  while (start < content.length) {
    const feed = content.indexOf('\n', start)
    const end = feed === -1 ? content.length : feed + 1
    yield { text: content.slice(start, feed === -1 ? end : feed), start, end }
    start = end
  }
}

/** Those of HTML that hold code and rows; one within another belongs to the outer. */
function elementsOf(content: string): readonly Block[] {
  const blocks: Block[] = []
  let open: { readonly name: string; readonly start: number; depth: number } | undefined
  for (const { 0: tag, 1: slash, 2: name = '', index } of content.matchAll(/<(\/?)(pre|table)\b[^<>]*>/gi)) {
    const isSame = name.toLowerCase() === open?.name
    if (slash === '') {
      if (!open) open = { name: name.toLowerCase(), start: index, depth: 1 }
      else if (isSame) open.depth++
    } else if (open && isSame && --open.depth === 0) {
      blocks.push({ start: open.start, end: index + tag.length, close: '', reopen: '' })
      open = undefined
    }
  }
  return blocks
}
