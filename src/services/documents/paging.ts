// Cuts a long document into pages: between lines, best before a heading or a paragraph, and within a block of code or a
// table only where that alone is longer than a page. The slices of all pages together are the document.

import type { Block } from './blocks.js'

export interface Page {
  readonly start: number
  readonly end: number
  /** The slice as it is shown: what was cut within a block is closed and opened again. */
  readonly text: string
}

/** How much of a page must be filled for the better places to end it. */
const HEADING_FILL = 0.6
const PARAGRAPH_FILL = 0.4
/** Up to where a block that has to be cut anyway may begin. */
const BLOCK_FILL = 0.5

export function pageAt(content: string, blocks: readonly Block[], start: number, max: number): Page {
  const near = blocks.filter((block) => block.start < start + max && block.end > start)
  const begun = around(near, start)
  const reopen = fitting(begun?.reopen ?? '', max)
  const end = endOf(content, near, start, max - reopen.length)
  const cut = end < content.length ? around(near, end) : undefined
  const slice = content.slice(start, end)
  const close = fitting(cut?.close ?? '', max)
  return { start, end, text: `${reopen}${slice.replace(/\n$/, '')}${close === '' ? '' : `\n${close}`}` }
}

function endOf(content: string, blocks: readonly Block[], start: number, max: number): number {
  if (content.length - start <= max) return content.length
  const limit = start + max
  const places = endsOfLines(content, start, limit)
  const whole = betweenBlocks(content, blocks, places, start, max)
  const cut = around(blocks, limit)
  if (whole !== undefined && !(cut && isTooLong(cut, start, max))) return whole
  const room = limit - fitting(cut?.close ?? '', max).length - 1
  return places.findLast((place) => place <= room) ?? withinLine(content, start, room)
}

function betweenBlocks(
  content: string,
  blocks: readonly Block[],
  places: readonly number[],
  start: number,
  max: number,
): number | undefined {
  const free = places.filter((place) => !around(blocks, place))
  const filled = (share: number) => (place: number) => place - start >= max * share
  return (
    free.filter(filled(HEADING_FILL)).findLast((place) => content.startsWith('#', place)) ??
    free.filter(filled(PARAGRAPH_FILL)).findLast((place) => content.startsWith('\n', place - 2)) ??
    free.at(-1)
  )
}

/** It fits no page, and begins where this one is still rather empty. */
function isTooLong(block: Block, start: number, max: number): boolean {
  return block.end - Math.max(block.start, start) > max && block.start < start + max * BLOCK_FILL
}

/** The block that a cut there would go through. */
function around(blocks: readonly Block[], place: number): Block | undefined {
  return blocks.find(({ start, end }) => start < place && place < end)
}

function endsOfLines(content: string, start: number, limit: number): readonly number[] {
  const places: number[] = []
  for (let at = content.indexOf('\n', start); at !== -1 && at < limit; at = content.indexOf('\n', at + 1)) {
    places.push(at + 1)
  }
  return places
}

/** A line longer than a page: after a word where there is one, and never within a character. */
function withinLine(content: string, start: number, limit: number): number {
  const space = content.lastIndexOf(' ', limit - 1)
  if (space > start + (limit - start) / 2) return space + 1
  return isLowSurrogate(content.charCodeAt(limit)) && limit - 1 > start ? limit - 1 : limit
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc_00 && unit <= 0xdf_ff
}

/** What would fill a page by itself is not repeated on it. */
function fitting(repeated: string, max: number): string {
  return repeated.length <= max / 4 ? repeated : ''
}
