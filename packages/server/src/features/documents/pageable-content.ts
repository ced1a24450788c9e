// Prepares extracted text for pagination: without invisible characters, with the blocks that pagination must not cut and a
// fingerprint. Line numbers of the outline stay valid. Used by fetch-context and cache-lookup. Pure.

import { removeInvisible, removeNoncharacters } from '../../text/untrusted-text.js'
import type { DocumentFormat, ExtractResult } from './extract/extract-types.js'
import { contentFingerprint } from './paginate.js'

export type ExtractMetadata = Omit<ExtractResult, 'content'>

export interface PageableContent {
  readonly metadata: ExtractMetadata
  readonly content: string
  readonly blocks: readonly UnbreakableBlock[]
  readonly fingerprint: string
}

export function toPageableContent(reading: ExtractResult, format: DocumentFormat): PageableContent {
  const { content: rawContent, ...about } = reading
  const content = removeInvisible(removeNoncharacters(normalizeLineBreaks(rawContent))).trimEnd()
  return {
    metadata: about,
    content,
    blocks: findUnbreakableBlocks(content, format),
    fingerprint: contentFingerprint(content),
  }
}

/** Other line separators become spaces, so that line numbers do not change. */
function normalizeLineBreaks(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[\r\u0085\u2028\u2029]/g, ' ')
}

export interface UnbreakableBlock {
  readonly start: number
  /** Exclusive. */
  readonly end: number
  /** Lines added at the end of the page where the block is cut and at the start of the next page; '' for none. */
  readonly closingLines: string
  readonly reopeningLines: string
}

/**
 * Finds code blocks and tables, which pagination should not cut, with the lines that close and reopen each one if it
 * must be cut. In document order; none contains another.
 */
export function findUnbreakableBlocks(content: string, format: DocumentFormat): readonly UnbreakableBlock[] {
  if (format === 'text') return []
  return format === 'html' ? findHtmlBlocks(content) : [...findMarkdownBlocks(content)]
}

interface Line {
  readonly text: string
  readonly start: number
  readonly end: number
}

function* findMarkdownBlocks(content: string): Generator<UnbreakableBlock> {
  let fence: { readonly opener: Line; readonly marker: string } | undefined
  let tableRows: Line[] = []
  for (const line of splitLines(content)) {
    if (fence) {
      if (!closesFence(line.text, fence.marker)) continue
      yield codeBlock(fence.opener, fence.marker, line.end)
      fence = undefined
      continue
    }
    if (isTableRow(line.text)) {
      tableRows.push(line)
      continue
    }
    yield* tableBlock(tableRows)
    tableRows = []
    const marker = /^[\s>]*(`{3,}(?=[^`]*$)|~{3,})/.exec(line.text)?.[1]
    if (marker !== undefined) fence = { opener: line, marker }
  }
  if (fence) yield codeBlock(fence.opener, fence.marker, content.length)
  yield* tableBlock(tableRows)
}

function closesFence(text: string, marker: string): boolean {
  const line = text.replace(/^[\s>]*/, '').trimEnd()
  return line.length >= marker.length && line === marker.charAt(0).repeat(line.length)
}

function codeBlock({ text, start }: Line, marker: string, end: number): UnbreakableBlock {
  const indent = text.slice(0, text.indexOf(marker))
  return { start, end, closingLines: `${indent}${marker}`, reopeningLines: `${text}\n` }
}

function isTableRow(text: string): boolean {
  return /^[\s>]*\|/.test(text)
}

function* tableBlock(tableRows: readonly Line[]): Generator<UnbreakableBlock> {
  const [head, rule] = tableRows
  const last = tableRows.at(-1)
  if (!head || !rule || !last) return
  const hasHead = /^[\s>|:-]+$/.test(rule.text)
  yield {
    start: head.start,
    end: last.end,
    closingLines: '',
    reopeningLines: hasHead ? `${head.text}\n${rule.text}\n` : '',
  }
}

function* splitLines(content: string): Generator<Line> {
  let start = 0
  while (start < content.length) {
    const newline = content.indexOf('\n', start)
    const end = newline === -1 ? content.length : newline + 1
    yield { text: content.slice(start, newline === -1 ? end : newline), start, end }
    start = end
  }
}

/** `pre` and `table` elements. A nested one belongs to the outer one. */
function findHtmlBlocks(content: string): readonly UnbreakableBlock[] {
  const blocks: UnbreakableBlock[] = []
  let open: { readonly name: string; readonly start: number; depth: number } | undefined
  for (const { 0: tag, 1: slash, 2: name = '', index } of content.matchAll(/<(\/?)(pre|table)\b[^<>]*>/gi)) {
    const isSame = name.toLowerCase() === open?.name
    if (slash === '') {
      if (!open) open = { name: name.toLowerCase(), start: index, depth: 1 }
      else if (isSame) open.depth++
    } else if (open && isSame && --open.depth === 0) {
      blocks.push({ start: open.start, end: index + tag.length, closingLines: '', reopeningLines: '' })
      open = undefined
    }
  }
  return blocks
}
