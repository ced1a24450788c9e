// Cuts a document into pages at line ends, preferably before a heading or a paragraph, and names their positions by
// cursors. A code block or table is cut only if it is longer than a page. The slices of all pages make up the document.
// Used by document-result; cursors also by document-request and find-in-page. Pure.

import { createHash } from 'node:crypto'

import { Failure } from '@scorpiox/mcp/errors'
import type { UnbreakableBlock } from './pageable-content.js'

export interface TextPage {
  readonly start: number
  readonly end: number
  /** The slice with the lines that close and reopen a block that was cut. */
  readonly text: string
}

/** Share of a page that must be filled before it may end at a heading or paragraph. */
const MIN_FILL_BEFORE_HEADING = 0.6
const MIN_FILL_BEFORE_PARAGRAPH = 0.4
/** A block that is longer than a page is cut if it starts before this share of the page. */
const MAX_FILL_BEFORE_LONG_BLOCK = 0.5

export function cutPage(content: string, blocks: readonly UnbreakableBlock[], start: number, max: number): TextPage {
  const nearBlocks = blocks.filter((block) => block.start < start + max && block.end > start)
  const openBlock = blockContaining(nearBlocks, start)
  const reopeningLines = orEmptyIfTooLong(openBlock?.reopeningLines ?? '', max)
  const end = findPageEnd(content, nearBlocks, start, max - reopeningLines.length)
  const cutBlock = end < content.length ? blockContaining(nearBlocks, end) : undefined
  const slice = content.slice(start, end)
  const closingLines = orEmptyIfTooLong(cutBlock?.closingLines ?? '', max)
  return {
    start,
    end,
    text: `${reopeningLines}${slice.replace(/\n$/, '')}${closingLines === '' ? '' : `\n${closingLines}`}`,
  }
}

function findPageEnd(content: string, blocks: readonly UnbreakableBlock[], start: number, max: number): number {
  if (content.length - start <= max) return content.length
  const limit = start + max
  const lineEnds = findLineEnds(content, start, limit)
  const endBetweenBlocks = findEndBetweenBlocks(content, blocks, lineEnds, start, max)
  const cutBlock = blockContaining(blocks, limit)
  if (endBetweenBlocks !== undefined && !(cutBlock && mustCutBlock(cutBlock, start, max))) return endBetweenBlocks
  const limitWithClosing = limit - orEmptyIfTooLong(cutBlock?.closingLines ?? '', max).length - 1
  return lineEnds.findLast((offset) => offset <= limitWithClosing) ?? findEndInLine(content, start, limitWithClosing)
}

function findEndBetweenBlocks(
  content: string,
  blocks: readonly UnbreakableBlock[],
  lineEnds: readonly number[],
  start: number,
  max: number,
): number | undefined {
  const uncutEnds = lineEnds.filter((offset) => !blockContaining(blocks, offset))
  const isFilled = (share: number) => (offset: number) => offset - start >= max * share
  return (
    uncutEnds.filter(isFilled(MIN_FILL_BEFORE_HEADING)).findLast((offset) => content.startsWith('#', offset)) ??
    uncutEnds.filter(isFilled(MIN_FILL_BEFORE_PARAGRAPH)).findLast((offset) => content.startsWith('\n', offset - 2)) ??
    uncutEnds.at(-1)
  )
}

function mustCutBlock(block: UnbreakableBlock, start: number, max: number): boolean {
  return block.end - Math.max(block.start, start) > max && block.start < start + max * MAX_FILL_BEFORE_LONG_BLOCK
}

/** The block that a cut at this offset would split. */
function blockContaining(blocks: readonly UnbreakableBlock[], offset: number): UnbreakableBlock | undefined {
  return blocks.find(({ start, end }) => start < offset && offset < end)
}

function findLineEnds(content: string, start: number, limit: number): readonly number[] {
  const lineEnds: number[] = []
  for (let at = content.indexOf('\n', start); at !== -1 && at < limit; at = content.indexOf('\n', at + 1)) {
    lineEnds.push(at + 1)
  }
  return lineEnds
}

/** For a line longer than a page: ends after a word if possible, and never within a surrogate pair. */
function findEndInLine(content: string, start: number, limit: number): number {
  const space = content.lastIndexOf(' ', limit - 1)
  if (space > start + (limit - start) / 2) return space + 1
  return isLowSurrogate(content.charCodeAt(limit)) && limit - 1 > start ? limit - 1 : limit
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc_00 && unit <= 0xdf_ff
}

/** Long table heads are not repeated on each page. */
function orEmptyIfTooLong(lines: string, max: number): string {
  return lines.length <= max / 4 ? lines : ''
}

/**
 * The content of a ReadDocs cursor: an offset and a fingerprint of the whole document, which detects that the document
 * has changed. A cursor needs no server state, so it survives a restart.
 */
export interface CursorPosition {
  readonly offset: number
  /** The page is a short one: the text around a search match. */
  readonly isShort?: boolean
  readonly fingerprint: string
}

export function encodeCursor({ offset, fingerprint, isShort = false }: CursorPosition): string {
  return `${offset.toString(36)}.${fingerprint}${isShort ? '~' : ''}`
}

export function decodeCursor(cursor: string): CursorPosition {
  const [, offset, fingerprint, shortFlag] = /^\s*([0-9a-z]{1,8})\.([0-9a-f]{8})(~?)\s*$/.exec(cursor) ?? []
  if (offset !== undefined && fingerprint !== undefined) {
    return { offset: parseInt(offset, 36), fingerprint, isShort: shortFlag === '~' }
  }
  throw new Failure(
    `${JSON.stringify(cursor.slice(0, 40))} is not a ReadDocs cursor: use the one at the end of the previous result, or omit it to start over.`,
  )
}

export function contentFingerprint(content: string): string {
  return createHash('sha1').update(content).digest('hex').slice(0, 8)
}
