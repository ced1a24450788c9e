// Truncates a text of any length, added piece by piece, to a number of characters: its head and its tail, cut at line ends
// unless the lines are too long, and between them one line that says exactly how much is omitted. Long lines are clipped.
// Used by output-renderer. No I/O; bounded memory.

import { formatCount } from '../../text/format.js'
import type { TextMeasure } from '../../text/terminal/split-rows.js'
import { characterBoundary, clipLine } from './clip-line.js'

const HEAD_SHARE = 0.4

export interface TruncatedText {
  readonly text: string
  /** Omitted: UTF-16 units, line ends and UTF-8 bytes. */
  readonly omittedCharacters: number
  readonly omittedLines: number
  readonly omittedBytes: number
}

export interface HeadAndTail {
  /** Adds complete characters and their measured size. */
  add(bytes: Buffer, measured: TextMeasure): void
  /** Bytes were lost here: the counts become lower bounds. */
  markGap(): void
  /** The truncated text as if `rest` had been added. */
  truncate(rest: Buffer, measured: TextMeasure): TruncatedText
  /** Bytes held in memory. */
  bufferedBytes(): number
}

export function createHeadAndTail(maxCharacters: number, maxLine: number): HeadAndTail {
  const maxHead = Math.floor(maxCharacters * HEAD_SHARE)
  const maxTail = maxCharacters - maxHead
  const head = createByteQueue()
  const tail = createByteQueue()
  let dropped = 0
  let isComplete = true
  let total: TextSize = { characters: 0, lines: 0, bytes: 0 }

  function add(bytes: Buffer, measured: TextMeasure): void {
    total = addSizes(total, measured, bytes.length)
    const forHead = bytes.subarray(0, Math.max(maxBytesOf(maxHead) - head.size(), 0))
    if (forHead.length > 0) head.add(forHead)
    if (forHead.length === bytes.length) return
    tail.add(bytes.subarray(forHead.length))
    dropped += tail.dropOldest(maxBytesOf(maxTail))
  }

  function show(rest: Buffer, measured: TextMeasure): TruncatedText {
    const first = Buffer.concat(dropped > 0 ? head.chunks() : [...head.chunks(), ...tail.chunks(), rest])
    const last = dropped > 0 ? Buffer.concat([...tail.chunks(), rest]) : first
    const all = addSizes(total, measured, rest.length)
    if (all.characters <= maxCharacters) return clipLongLines(first.toString(), maxLine)
    const headText = cutHead(first.toString('utf8', 0, maxBytesOf(maxHead)), maxHead, maxLine)
    const tailText = cutTail(last.toString('utf8', Math.max(last.length - maxBytesOf(maxTail), 0)), maxTail, maxLine)
    const gap = {
      omittedCharacters: all.characters - headText.length - tailText.length,
      omittedLines: all.lines - countLineEnds(headText) - countLineEnds(tailText),
      omittedBytes: all.bytes - Buffer.byteLength(headText) - Buffer.byteLength(tailText),
    }
    const separator = headText === '' || headText.endsWith('\n') ? '' : '\n'
    const [clippedHead, clippedTail] = [clipLongLines(headText, maxLine), clipLongLines(tailText, maxLine)]
    return {
      text: `${clippedHead.text}${separator}[${isComplete ? '' : 'at least '}${describeOmission(gap)} left out here]\n${clippedTail.text}`,
      omittedCharacters: gap.omittedCharacters + clippedHead.omittedCharacters + clippedTail.omittedCharacters,
      omittedLines: gap.omittedLines,
      omittedBytes: gap.omittedBytes + clippedHead.omittedBytes + clippedTail.omittedBytes,
    }
  }

  return {
    add,
    markGap: () => void (isComplete = false),
    truncate: show,
    bufferedBytes: () => head.size() + tail.size(),
  }
}

interface TextSize {
  readonly characters: number
  readonly lines: number
  readonly bytes: number
}

function addSizes(size: TextSize, { characters, lines }: TextMeasure, bytes: number): TextSize {
  return { characters: size.characters + characters, lines: size.lines + lines, bytes: size.bytes + bytes }
}

/** Upper bound: at most three bytes for each UTF-16 unit, and one more character that is cut. */
function maxBytesOf(characters: number): number {
  return characters * 3 + 3
}

/** A line that is cut keeps half of the maximum line length. */
function cutHead(text: string, max: number, maxLine: number): string {
  const lines = text.lastIndexOf('\n', max - 1) + 1
  if (max > 0 && lines > max / 2) return text.slice(0, lines)
  return text.slice(0, characterBoundary(text, Math.min(max, lines + Math.floor(maxLine / 2))))
}

function cutTail(text: string, max: number, maxLine: number): string {
  const from = Math.max(text.length - max, 0)
  const lines = from === 0 ? 0 : text.indexOf('\n', from - 1) + 1
  if (lines > 0 && text.length - lines > max / 2) return text.slice(lines)
  const lineEnd = lines > 0 ? lines - 1 : text.length
  return text.slice(boundaryAfter(text, Math.max(from, lineEnd - Math.floor(maxLine / 2))))
}

function boundaryAfter(text: string, at: number): number {
  return characterBoundary(text, at) === at ? at : at + 1
}

/** Clips every line that is longer than `maxLine`. */
export function clipLongLines(text: string, maxLine: number): TruncatedText {
  let omittedCharacters = 0
  let omittedBytes = 0
  if (text.length <= maxLine) return { text, omittedCharacters, omittedLines: 0, omittedBytes }
  const lines = text.split('\n').map((line) => {
    const clipped = clipLine(line, maxLine)
    for (const part of clipped.omitted) {
      omittedCharacters += part.length
      omittedBytes += Buffer.byteLength(part)
    }
    return clipped.text
  })
  return { text: lines.join('\n'), omittedCharacters, omittedLines: 0, omittedBytes }
}

function countLineEnds(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}

function describeOmission({ omittedCharacters, omittedLines }: Omit<TruncatedText, 'text'>): string {
  const characters = formatCount(omittedCharacters, 'character', 'characters')
  return omittedLines === 0 ? characters : `${formatCount(omittedLines, 'line', 'lines')} (${characters})`
}

const COPY_BELOW_BYTES = 4096
const SLAB_BYTES = 16 * 1024

export interface ByteQueue {
  add(bytes: Buffer): void
  size(): number
  /** Drops the oldest chunks while at least `bytes` bytes remain. Returns the number of bytes dropped. */
  dropOldest(bytes: number): number
  chunks(): Buffer[]
}

/**
 * A queue of bytes from which the oldest can be dropped. Small chunks are copied into shared slabs: that saves objects,
 * and does not retain the large buffer that a small chunk may be a view of.
 */
function createByteQueue(): ByteQueue {
  const chunks: Buffer[] = []
  let chunkBytes = 0
  let slab = Buffer.alloc(0)
  let used = 0

  function push(bytes: Buffer): void {
    chunks.push(bytes)
    chunkBytes += bytes.length
  }

  function sealSlab(): void {
    if (used > 0) push(slab.subarray(0, used))
    slab = Buffer.alloc(0)
    used = 0
  }

  return {
    add(bytes) {
      if (bytes.length >= COPY_BELOW_BYTES) {
        sealSlab()
        return push(bytes)
      }
      if (used + bytes.length > slab.length) {
        sealSlab()
        slab = Buffer.allocUnsafe(SLAB_BYTES)
      }
      used += bytes.copy(slab, used)
    },
    size: () => chunkBytes + used,
    dropOldest(bytes) {
      const before = chunkBytes
      for (let first = chunks[0]; first && chunkBytes + used - first.length >= bytes; first = chunks[0]) {
        chunks.shift()
        chunkBytes -= first.length
      }
      return before - chunkBytes
    },
    chunks: () => [...chunks, slab.subarray(0, used)],
  }
}
