// Splits plain text into rows (at newlines, and softly, without one, where a row would exceed MAX_ROW_BYTES, so that an
// endless line does not fill the memory) and measures it. Pure. Used by the output renderer of commands.

import { isAscii, isUtf8 } from 'node:buffer'

import { isContinuation } from '../utf8.js'
import { createTerminalRow, type TerminalRow } from './terminal-row.js'

/** Number of rows a control code can still edit; rows above are final. */
export const EDITABLE_ROWS = 200

export const MAX_ROW_BYTES = 1024

const NEWLINE = 0x0a

/** Returns the position where the last EDITABLE_ROWS rows start; 0 if there are fewer lines. */
export function findLastRowsStart(bytes: Buffer): number {
  let at = bytes.length
  for (let line = 0; line < EDITABLE_ROWS; line++) {
    at = at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1)
    if (at === -1) return 0
  }
  return at + 1
}

/**
 * Splits text from a position into rows; the last has no newline yet. `emittedBefore` bytes of the first row were
 * emitted earlier.
 */
export function splitRows(bytes: Buffer, from: number, emittedBefore: number): TerminalRow[] {
  const rows: TerminalRow[] = []
  let emitted = emittedBefore
  let at = from
  for (let lineEnd = findLineEnd(bytes, at); ;) {
    const end = findRowEnd(bytes, at, lineEnd, emitted)
    // Copied, so that a kept row does not keep the whole chunk in memory.
    rows.push(createTerminalRow(Buffer.from(bytes.subarray(at, end)), end < lineEnd))
    emitted = 0
    at = end
    if (end < lineEnd) continue
    if (lineEnd === bytes.length) return rows
    at++
    lineEnd = findLineEnd(bytes, at)
  }
}

/** Returns the length of the last row of a text; `emittedBefore` bytes of its first row were emitted earlier. */
export function countLastRowBytes(bytes: Buffer, emittedBefore: number): number {
  const newline = bytes.lastIndexOf(NEWLINE)
  let emitted = newline === -1 ? emittedBefore : 0
  for (let at = newline + 1; ;) {
    const end = findRowEnd(bytes, at, bytes.length, emitted)
    if (end === bytes.length) return emitted + end - at
    emitted = 0
    at = end
  }
}

function findLineEnd(bytes: Buffer, at: number): number {
  const newline = bytes.indexOf(NEWLINE, at)
  return newline === -1 ? bytes.length : newline
}

function findRowEnd(bytes: Buffer, at: number, lineEnd: number, emitted: number): number {
  if (emitted + lineEnd - at <= MAX_ROW_BYTES) return lineEnd
  let end = at + MAX_ROW_BYTES - emitted
  while (end > at && isContinuation(bytes[end] ?? 0)) end--
  return end
}

const TAB = 0x09
const RETURN = 0x0d
const DELETE = 0x7f
const WORD_SCAN_FROM_BYTES = 64

export interface TextMeasure {
  /** Complete characters and no control codes except tab and newline. */
  readonly isPlain: boolean
  /** The same, but with carriage returns, each before a newline: what terminals pass on. */
  readonly hasReturns: boolean
  /** In UTF-16 units, like `length` of a string. 0 for a text that is neither. */
  readonly characters: number
  readonly lines: number
}

const NOT_PLAIN: TextMeasure = { isPlain: false, hasReturns: false, characters: 0, lines: 0 }

/**
 * Tests whether bytes are plain text, which a terminal prints unchanged, and counts characters and lines in one pass.
 * This is all the work plain output costs, so it reads four bytes at a time and uses native scans for the rest.
 */
export function measureText(bytes: Buffer): TextMeasure {
  const lines = countLines(bytes)
  if (lines < 0 || bytes.includes(DELETE)) return NOT_PLAIN
  const hasReturns = bytes.includes(RETURN)
  const isPlain = !hasReturns
  if (isAscii(bytes)) return { isPlain, hasReturns, characters: bytes.length, lines }
  const characters = isUtf8(bytes) ? countCharacters(bytes) : -1
  return characters < 0 ? NOT_PLAIN : { isPlain, hasReturns, characters, lines }
}

/** Returns -1 if there is a control code, other than a carriage return before a newline. */
function countLines(bytes: Buffer): number {
  if (bytes.length < WORD_SCAN_FROM_BYTES) return countLinesBetween(bytes, 0, bytes.length)
  const from = -bytes.byteOffset & 3
  const fourByteBlocks = new Int32Array(bytes.buffer, bytes.byteOffset + from, (bytes.length - from) >> 2)
  const before = countLinesBetween(bytes, 0, from)
  const after = countLinesBetween(bytes, from + fourByteBlocks.length * 4, bytes.length)
  if (before < 0 || after < 0) return -1
  let lines = before + after
  for (let at = 0; at < fourByteBlocks.length; at++) {
    const fourBytes = fourByteBlocks[at] ?? 0
    // The borrow of a byte below 0x20 may flag its neighbour too, but a word without such a byte is never flagged.
    if (((fourBytes - 0x20202020) & ~fourBytes & 0x80808080) === 0) continue
    const start = from + at * 4
    const found = countLinesBetween(bytes, start, start + 4)
    if (found < 0) return -1
    lines += found
  }
  return lines
}

function countLinesBetween(bytes: Buffer, from: number, to: number): number {
  let lines = 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0
    if (byte === NEWLINE) lines++
    else if (byte < 0x20 && byte !== TAB && !(byte === RETURN && bytes[at + 1] === NEWLINE)) return -1
  }
  return lines
}

/** Removes the carriage returns from a text whose measure says that each is before a newline. */
export function removeReturns(bytes: Buffer, { characters, lines }: TextMeasure): [Buffer, TextMeasure] {
  const text = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte !== RETURN) text[length++] = byte
  }
  const measured = { isPlain: true, hasReturns: false, characters: characters - (bytes.length - length), lines }
  return [text.subarray(0, length), measured]
}

/** Counts characters of valid UTF-8; -1 if there is a C1 control code, U+0080 to U+009F. */
function countCharacters(bytes: Buffer): number {
  let count = bytes.length
  let previous = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte >= 0x80) {
      if (byte < 0xc0) count--
      else if (byte >= 0xf0) count++
      if (previous === 0xc2 && byte < 0xa0) return -1
    }
    previous = byte
  }
  return count
}
